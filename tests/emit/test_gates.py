"""Gates over the content that ships: what is load-bearing stays, and the fixed prefix is the same everywhere.

What is protected is derived from the rules in the texts themselves. Every gate is shown to fail on an
empty set, on a seeded defect, and where no budget pressed.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from gsd_install.content.catalog import load_with
from gsd_install.content.model import BODIES, TIERS, Catalog, Document
from gsd_install.content.select import select
from gsd_install.emit import extract
from gsd_install.emit.emit import emit
from gsd_install.emit.output import Output
from gsd_install.emit.places import locate, place_for
from gsd_install.emit.target import Target
from gsd_install.emit.text import Stretch, composed, renderer
from gsd_install.gathering import gather_capabilities
from gsd_install.kernel import frontmatter
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.measure import measure
from gsd_install.kernel.scope import should_compose
from gsd_install.plugins import Plugin, Plugins
from gsd_install.runtime import Cap, Form
from gsd_install.runtime.words import CapUnit, Scope
from gsd_install.shipped import shipped_root
from support.content import loaded, target_of

PROTECTED = ("keep", "isolate")
# From no pressure at all to what nothing can keep; 1 and -1 are one unit over and under.
SWEEP = (4.0, 1, 1.0, -1, 0.9, 0.75, 0.5, 0.25)
SCOPES: tuple[Scope, ...] = ("global", "project")


class Host(NamedTuple):
    """A runtime in one scope."""

    plugin: Plugin
    target: Target

    def __str__(self) -> str:
        return f"{self.target.runtime.id} {self.target.scope}"


@cache
def shipped() -> Catalog:
    return load_with(shipped_root(), gather_capabilities().features).catalog


@cache
def hosts() -> tuple[Host, ...]:
    """A host for each distinct form of an agent: what a budget does to one does not depend on folders."""
    plugins = Plugins()
    found = [plugins.get(runtime) for runtime in plugins.ids()]
    every = (Host(plugin, target_of(plugin.runtime, scope)) for plugin in found for scope in SCOPES)
    placed = ((host, place_for("agent", host.target)) for host in every)
    distinct = {repr(place.forms): host for host, place in placed if place}
    return tuple(distinct.values())


def stretches(catalog: Catalog, document: Document, target: Target) -> tuple[Stretch, ...]:
    """The text of a document for one target, with what a budget may do to each stretch of it."""
    located = locate(catalog, catalog.documents, target, frozenset())
    return composed(document, renderer(catalog, target, located), target.spell)[0]


def output_of(catalog: Catalog, document: Document, host: Host, *caps: Cap) -> Output | None:
    """The file a host finds for a document under these caps; None where they are too tight for it."""
    documents = (document, *(other for other in catalog.documents if other.kind in BODIES))
    try:
        found = emit(catalog, documents, host.target, caps, host.plugin.converters, specific=frozenset())
    except GsdError as error:
        if error.reason == "over_cap":
            return None
        raise
    return found.outputs[0]


def decoded(output: Output, form: Form) -> str:
    """The body in a file, out of its dialect."""
    text = output.data.decode()
    if form.dialect == "markdown":
        return frontmatter.split(text, file=output.path).body
    if form.dialect in {"json", "yaml"}:
        [key] = [field.key for field in form.fields if field.source == "body"]
        return str(yaml.safe_load(text)[key])
    if form.dialect == "toml":
        [key] = [field.key for field in form.fields if field.source == "body"]
        return str(tomllib.loads(text)[key])
    return text


def budgets(size: int) -> Iterator[int]:
    """The sweep around a size, falling."""
    for step in SWEEP:
        yield size + int(step) if isinstance(step, int) else int(size * step)


# Load-bearing text.


def protected(catalog: Catalog) -> dict[str, list[Document]]:
    """The documents that hold load-bearing text, by kind; which they are is what their texts declare."""
    found = defaultdict(list)
    for document in catalog.documents:
        if should_compose(document.kind) and any(section.hold in PROTECTED for section in document.sections):
            found[document.kind].append(document)
    return found


def load_bearing_gate(catalog: Catalog, units: Iterable[CapUnit] = ("bytes",)) -> int:
    """Fail unless protected text is whole, in order, under every budget of the sweep; the files looked at."""
    agents = protected(catalog)["agent"]
    assert agents, "the gate protects nothing: no shipped agent declares load-bearing text"
    looked = pressed = 0
    for host in hosts():
        place = place_for("agent", host.target)
        for document in agents if place else ():
            whole = output_of(catalog, document, host)
            assert whole
            assert place
            kept = [item for item in stretches(catalog, document, host.target) if item.hold in PROTECTED]
            for unit in units:
                for limit in budgets(measure(whole.data.decode(), unit)):
                    output = output_of(catalog, document, host, Cap(place.kind, max(limit, 1), unit=unit))
                    if output is None:
                        continue
                    looked += 1
                    pressed += output.fit is not None
                    body = decoded(output, place.forms[0])
                    at = 0
                    for stretch in kept:
                        text = stretch.text.strip("\r\n")
                        found = body.find(text, at)
                        assert found >= 0, f"{host}: {document.path} lost {text[:60]!r} at {limit} {unit}"
                        at = found + len(text)
    assert pressed, "no budget of the sweep pressed"
    return looked


@pytest.mark.req(
    "ADR1671-load-bearing-declared",
    "ADR1671-load-bearing-sweep",
    "ADR1671-strategy-verbatim",
    "ADR1671-gate-no-model",
)
def test_load_bearing_text_of_every_agent_survives_every_budget() -> None:
    assert load_bearing_gate(shipped(), ("bytes", "tokens")) > 100


@pytest.mark.req("ADR1671-load-bearing-declared")
def test_every_agent_declares_who_it_is_and_what_it_returns() -> None:
    for document in shipped().documents:
        if document.kind != "agent":
            continue
        holds = {
            section.hold: "".join(part for part in section.parts if isinstance(part, str))
            for section in document.sections
        }
        assert 2 <= holds["isolate"].strip().count("\n") + 1 <= 8, document.path
        assert "## You return" in holds["keep"], document.path
        assert "## Never" in holds["keep"], document.path


AGENT = "---\ndescription: d\n---\n"
FILLER = "".join(f"## Part {number}\n\n{'word ' * 40}\n\n" for number in range(9))
NAMED = {"rules/r.md": "{gsd:agent a}\n"}


@pytest.mark.req("ADR1671-load-bearing-not-empty")
def test_the_gate_fails_where_nothing_is_load_bearing(tmp_path: Path) -> None:
    catalog = loaded(tmp_path, {"agents/a.md": f"{AGENT}{FILLER}", **NAMED})
    with pytest.raises(AssertionError, match="protects nothing"):
        load_bearing_gate(catalog)


@pytest.mark.req("ADR1671-load-bearing-pressure")
def test_the_gate_fails_where_no_budget_presses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.SWEEP", (4.0, 1, 1.0))
    with pytest.raises(AssertionError, match="no budget of the sweep pressed"):
        load_bearing_gate(shipped())
    # Nor is it pressure where every budget below the whole is refused.
    kept = {"agents/a.md": f"{AGENT}<!-- gsd:keep -->\n{FILLER}<!-- /gsd:keep -->\n", **NAMED}
    monkeypatch.setattr(f"{__name__}.SWEEP", (1.0, -1, 0.5))
    with pytest.raises(AssertionError, match="no budget of the sweep pressed"):
        load_bearing_gate(loaded(tmp_path, kept))


@pytest.mark.req("ADR1671-load-bearing-sweep")
def test_the_gate_fails_where_the_fitter_moves_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extract, "_FIXED", ("isolate",))
    with pytest.raises(AssertionError, match=r"agents/.* lost '## You return"):
        load_bearing_gate(shipped())


# The fixed prefix.


def prefixes(catalog: Catalog) -> dict[str, set[bytes]]:
    """The leading bytes of each agent's body that are declared fixed, as they are for each host."""
    found: dict[str, set[bytes]] = {}
    for document in catalog.documents:
        if document.kind == "agent" and any(section.hold == "isolate" for section in document.sections):
            found[document.path] = set()
    return found


def isolate_gate(catalog: Catalog) -> dict[str, set[bytes]]:
    """Fail unless the prefix of every agent is the same for every host, profile and budget."""
    found = prefixes(catalog)
    assert found, "the gate compares nothing: no shipped agent declares a fixed prefix"
    looked = pressed = 0
    for host in hosts():
        place = place_for("agent", host.target)
        for profile in TIERS if place else ():
            for document in (document for document in select(catalog, profile) if document.path in found):
                assert place
                fixed = [item for item in stretches(catalog, document, host.target) if item.hold == "isolate"]
                text = "".join(item.text for item in fixed).lstrip("\r\n")
                found[document.path].add(text.encode())
                whole = output_of(catalog, document, host)
                assert whole
                for limit in budgets(len(whole.data)) if profile == TIERS[-1] else (len(whole.data),):
                    output = output_of(catalog, document, host, Cap(place.kind, max(limit, 1)))
                    if output is not None:
                        looked += 1
                        pressed += output.fit is not None
                        body = decoded(output, place.forms[0]).lstrip("\r\n")
                        assert body.startswith(text), f"{host}: {document.path} at {limit} bytes"
    assert looked
    assert pressed, "no budget pressed"
    for path, texts in found.items():
        assert len(texts) == 1, f"{path} begins differently for different hosts: {sorted(texts)}"
    return found


@pytest.mark.req("ADR1671-isolate-prefix", "ADR1671-load-bearing-isolate")
def test_the_fixed_prefix_of_every_agent_is_the_same_everywhere() -> None:
    found = isolate_gate(shipped())
    assert set(found) == {document.path for document in shipped().documents if document.kind == "agent"}
    assert all(len(text) > 60 for texts in found.values() for text in texts)


@pytest.mark.req("ADR1671-load-bearing-isolate")
def test_the_gate_fails_where_no_agent_declares_a_prefix(tmp_path: Path) -> None:
    catalog = loaded(tmp_path, {"agents/a.md": f"{AGENT}{FILLER}", **NAMED})
    with pytest.raises(AssertionError, match="compares nothing"):
        isolate_gate(catalog)


@pytest.mark.req("ADR1671-isolate-prefix")
def test_the_gate_fails_where_a_prefix_names_its_host(tmp_path: Path) -> None:
    text = f"{AGENT}<!-- gsd:isolate -->\nIn {{gsd:runtime}} you fix.\n<!-- /gsd:isolate -->\n\n{FILLER}"
    catalog = loaded(tmp_path, {"agents/a.md": text, **NAMED})
    with pytest.raises(AssertionError, match=r"agents/a\.md begins differently"):
        isolate_gate(catalog)


def test_the_gate_fails_where_the_fitter_puts_something_before_the_prefix(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs = extract._runs

    def last_first(texts: Sequence[Stretch]) -> Iterator[Any]:
        return runs([Stretch(text.text) for text in reversed(texts)])

    monkeypatch.setattr(extract, "_runs", last_first)
    with pytest.raises(AssertionError, match=r"agents/.* at \d+ bytes"):
        isolate_gate(shipped())
