"""The dates of facts: none is younger, or other, than the thing it was read from."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator
from types import ModuleType

import pytest

import gsd_runtimes
from gsd_install.runtime import Source

MODULES = sorted(module.name for module in pkgutil.iter_modules(gsd_runtimes.__path__))

# The day of each commit that facts were read at; for BMAD the day its own table was checked.
COMMITS = {
    "open-gsd/gsd-core 636ec921": "2026-08-08",
    "dyoshikawa/rulesync cfebcd75": "2026-08-18",
    "github/spec-kit 27f50f7e": "2026-08-21",
    "vercel-labs/skills 82dd76bd": "2026-02-14",
    "bmad-code-org/BMAD-METHOD 67d876f1": "2026-04-25",
}
# The day on which hosts were run.
RUN = "2026-11-30"
_COMMIT = re.compile(r"([\w.-]+/[\w.-]+ [0-9a-f]{7,40}): \S+")
_RUN = re.compile(r"[\w.-]+ \d[\w.]*, run offline")


def plugin(name: str) -> ModuleType:
    return importlib.import_module(f"gsd_runtimes.{name}")


def sources(module: ModuleType) -> set[Source]:
    """Everything a plugin calls a source: what it names, and what its facts hold."""
    runtime = module.RUNTIME
    held = [*runtime.places, *runtime.surfaces, *module.gsd_caps()]
    named = {value for value in vars(module).values() if isinstance(value, Source)}
    return named | {fact.source for fact in held} | set(runtime.sources)


def misdated(found: Iterable[Source]) -> Iterator[str]:
    for source in found:
        commit = _COMMIT.fullmatch(source.url)
        if commit and source.date != COMMITS.get(commit[1], "unknown"):
            yield f"{source.url} is dated {source.date}, not {COMMITS.get(commit[1], 'unknown')}"
        if _RUN.fullmatch(source.url) and source.date != RUN:
            yield f"{source.url} is dated {source.date}, but was run on {RUN}"
        if source.url == "unknown" and source.date != "unknown":
            yield f"nobody knows this fact, and yet it is dated {source.date}"


@pytest.mark.parametrize(
    "source",
    [
        Source("open-gsd/gsd-core 636ec921: src/a.cts", date="2026-08-09"),
        Source("dyoshikawa/rulesync cfebcd75: src/a.ts", date="2026-08-17"),
        Source("vercel-labs/skills 82dd76bd: src/agents.ts"),
        Source("acme/unheard-of 0123abcd: a.py", date="2026-08-08"),
        Source("acme 1.2.3, run offline", date="2026-12-01"),
        Source("unknown", date="2026-08-08"),
    ],
    ids=lambda source: f"{source.url[:12]} {source.date}",
)
def test_an_invented_date_is_seen(source: Source) -> None:
    assert len([*misdated([source])]) == 1


def test_a_true_date_and_an_unknown_one_are_not() -> None:
    kept = [
        Source("open-gsd/gsd-core 636ec921: src/a.cts", date="2026-08-08"),
        Source("acme/unheard-of 0123abcd: a.py"),
        Source("acme 1.2.3, run offline", date=RUN),
        Source("https://acme.example/docs", date="2026-09-01"),
        Source("unknown"),
    ]
    assert [*misdated(kept)] == []


def test_there_are_sources_of_both_kinds_to_look_at() -> None:
    urls = {source.url for name in MODULES for source in sources(plugin(name))}
    assert len([url for url in urls if _COMMIT.fullmatch(url)]) > 40
    assert len([url for url in urls if _RUN.fullmatch(url)]) > 8


@pytest.mark.parametrize("name", MODULES)
def test_no_fact_is_younger_than_what_it_was_read_from(name: str) -> None:
    assert [*misdated(sources(plugin(name)))] == []
