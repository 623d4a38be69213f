"""Linting what ships with capabilities: the core alone first, then the whole."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from gsd_install.gathering import gather_capabilities
from gsd_install.lint.lint import lint
from gsd_install.lint.model import Finding
from gsd_install.shipped import shipped_root
from support.capabilities import AGENT, RESEARCH, RESEARCH_FILES, bare, feature
from support.content import content_root
from support.linting import BASE

CORE: Mapping[str, str | bytes] = {
    **BASE,
    "references/size.md": "Small.\n",
    "rules/loop.md": "{gsd:path references/size.md}\n",
}


def found(
    root: Path, *features: Mapping[str, str], core: Mapping[str, str | bytes] = CORE
) -> tuple[Finding, ...]:
    folder = content_root(root / "core", core)
    made = [feature(root / f"feature-{at}", files) for at, files in enumerate(features)]
    return tuple(item for item in lint(str(folder), (), made) if item.level != "note")


def places(findings: tuple[Finding, ...]) -> list[tuple[str, int, str]]:
    return [(item.path.replace(os.sep, "/"), item.line, item.rule) for item in findings]


def test_a_sound_capability_is_clean(tmp_path: Path) -> None:
    assert found(tmp_path, RESEARCH_FILES) == ()


def test_what_only_a_hook_reads_is_reached_and_what_it_dispatches_is_named(tmp_path: Path) -> None:
    idle = {**RESEARCH_FILES, "capability.toml": RESEARCH.partition("[[step]]")[0]}
    assert places(found(tmp_path, idle)) == [
        ("../feature-0/agents/researcher.md", 1, "unnamed-agent"),
        ("../feature-0/references/research/how.md", 1, "unreachable"),
    ]


@pytest.mark.parametrize(
    ("path", "text", "line", "rule"),
    [
        ("agents/researcher.md", f"{AGENT}\u200b\n", 5, "hidden-unicode"),
        ("references/research/how.md", "x\n{gsd:path references/gone.md}\n", 2, "unresolved"),
        ("agents/researcher.md", "---\ntier: high\n---\nDo.\n", 2, "bad-value"),
        ("capability.toml", RESEARCH.replace("how.md", "gone.md"), 1, "unresolved"),
        ("capability.toml", bare("research", agents='["researcher", "other"]'), 1, "unresolved"),
        ("references/size.md", "Large.\n", 1, "bad-capability"),
    ],
)
def test_a_defect_of_a_capability_is_found_where_it_stands(
    tmp_path: Path, path: str, text: str, line: int, rule: str
) -> None:
    findings = places(found(tmp_path, {**RESEARCH_FILES, path: text}))
    assert (f"../feature-0/{path}", line, rule) in findings


def test_the_core_must_stand_without_capabilities(tmp_path: Path) -> None:
    leaning = {**CORE, "rules/loop.md": "{gsd:path references/size.md} {gsd:agent researcher}\n"}
    assert ("rules/loop.md", 1, "unresolved") in places(found(tmp_path, RESEARCH_FILES, core=leaning))
    lost = {**CORE, "references/only.md": "For researchers.\n"}
    using = {**RESEARCH_FILES, "references/research/how.md": "{gsd:path references/only.md}\n"}
    assert ("references/only.md", 1, "unreachable") in places(found(tmp_path / "b", using, core=lost))


def test_what_ships_is_clean_alone_and_merged() -> None:
    gathered = gather_capabilities()
    assert gathered.faults == ()
    assert lint(shipped_root()) == ()
    assert lint(shipped_root(), (), gathered.features) == ()
