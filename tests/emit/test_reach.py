"""From every command to every file it can be sent to: all is installed, for every runtime and profile."""

from __future__ import annotations

import pytest

from gsd_install.content.model import BODIES, DISCOVERED, TIERS
from support.emissions import SCOPES, Emitted, content, emitted, plugins
from support.reach import Tree

RUNTIMES = plugins().ids()


def tree(found: Emitted, profile: str, *without: str) -> Tree:
    spell = found.target.spell
    files = {spell(output.path): output.data for output in found.outputs if output.path not in without}
    tiers = TIERS[: TIERS.index(profile) + 1]
    return Tree(files, spell(found.target.payload), tiers, optional(tiers))


def optional(tiers: tuple[str, ...]) -> frozenset[str]:
    """The workflows of features whose command is in a larger profile."""
    catalog = content().catalog
    of_features = {name for feature in catalog.features for name in feature.said.commands}
    commands = [document for document in catalog.documents if document.kind == "command"]
    return frozenset(each.id for each in commands if each.id in of_features and each.tier not in tiers)


def start(found: Emitted) -> list[str]:
    """What the host discovers."""
    return [found.target.spell(output.path) for output in found.of(*DISCOVERED)]


def bodies(found: Emitted) -> set[str]:
    return {found.target.spell(output.path) for output in found.of(*BODIES)}


@pytest.mark.req("ADR1671-file-floor")
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_whatever_a_command_leads_to_is_installed_and_nothing_else(runtime: str) -> None:
    walked = 0
    for scope in SCOPES:
        for profile in TIERS:
            found = emitted(runtime, scope, profile)
            if not any(found.target.places(kind) for kind in DISCOVERED):
                assert not start(found)
                continue
            assert start(found)
            whole = tree(found, profile)
            reached = whole.reached(start(found))
            assert not whole.missing(start(found)), (scope, profile)
            assert bodies(found) <= reached, (scope, profile)
            walked += len(reached)
    assert walked > 300


def test_every_runtime_there_is_was_walked() -> None:
    assert len(RUNTIMES) >= 57


@pytest.mark.parametrize("runtime", ["claude", "codex", "windsurf"])
def test_a_file_that_is_not_installed_is_found_whichever_it_is(runtime: str) -> None:
    found = emitted(runtime, "global", "standard")
    spell = found.target.spell
    removed = [*found.of(*BODIES), *found.of("launcher")]
    assert len(removed) > 100
    for output in removed:
        if output.path.endswith((".cmd", ".ps1")):
            continue
        missing = tree(found, "standard", output.path).missing(start(found))
        assert missing == {spell(output.path)}


def test_a_workflow_that_the_table_does_not_have_is_found() -> None:
    files = {
        ".x/commands/a.md": b"Run `.gsd/bin/gsd-tools render a`",
        ".gsd/bin/gsd-tools": b"",
        ".gsd/gsd/companion.json": b'{"workflows": {}, "capabilities": []}',
    }
    assert Tree(files, ".gsd").missing([".x/commands/a.md"]) == {".gsd/workflows/a.md"}
