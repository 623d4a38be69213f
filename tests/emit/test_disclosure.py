"""What a host has in its context at once, and what only when it is needed, for the content that ships."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import pytest
import yaml

from gsd_install.content.model import Catalog, Document
from gsd_install.emit.output import Output
from gsd_install.kernel import frontmatter
from gsd_install.runtime.words import Scope
from support.content import loaded
from support.emissions import SCOPES, Emitted, content, emitted, plugins

# https://agentskills.io/specification
NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
NAME_CHARACTERS, DESCRIPTION_CHARACTERS, BODY_LINES = 64, 1_024, 500
THIN = 2 * 1_024
LAUNCHER = re.compile(r"(?:[~/][^\s`\"'(){}]*/)?\.gsd/bin/gsd-tools\b")
STARTERS = ("gsd-tools", "gsd-tools.cmd", "gsd-tools.ps1")


# Skills, and commands where a host has skills only.


def misshapen(output: Output) -> list[str]:
    """What the open format says otherwise about a SKILL.md."""
    text = output.data.decode()
    if not text.startswith("---\n"):
        return ["no frontmatter"]
    head, _, body = text[4:].partition("\n---\n")
    fields = yaml.safe_load(head)
    name, description = str(fields.get("name", "")), str(fields.get("description", ""))
    wrong = {
        "name": not NAME.fullmatch(name) or len(name) > NAME_CHARACTERS,
        "folder": PurePosixPath(output.path).parent.name != name,
        "description": not 0 < len(description) <= DESCRIPTION_CHARACTERS,
        "more than one line": "\n" in description,
        "body": not 0 < len(body.strip().splitlines()) <= BODY_LINES,
    }
    return [what for what, is_wrong in wrong.items() if is_wrong]


def skills(found: Emitted) -> list[Output]:
    return [output for output in found.outputs if output.path.endswith("/SKILL.md")]


@pytest.mark.req("ADR1671-skill-format")
@pytest.mark.parametrize("scope", SCOPES)
def test_every_skill_has_the_open_format(scope: Scope) -> None:
    hosts = 0
    for runtime in plugins().ids():
        outputs = skills(emitted(runtime, scope, "full"))
        hosts += bool(outputs)
        assert {output.path: found for output in outputs if (found := misshapen(output))} == {}, runtime
    assert hosts > 30


@pytest.mark.req("ADR1671-skill-format")
@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        (b"---\n", b"", "no frontmatter"),
        (b'name: "gsd-', b'name: "Gsd-', "name"),
        (b'name: "gsd-', b'name: "other-', "folder"),
        (b'description: "', b'description: "' + b"x" * 1_024, "description"),
        (b'description: "', b'description: "a\\n', "more than one line"),
        (b"\n---\n", b"\n---\n" + b"x\n" * 500, "body"),
    ],
)
def test_a_skill_of_another_format_is_found(old: bytes, new: bytes, what: str) -> None:
    [first, *_] = skills(emitted("claude", "global", "full"))
    assert misshapen(first) == []
    assert what in misshapen(first._replace(data=first.data.replace(old, new, 1)))


class Disclosed(NamedTuple):
    """The files that the body of a skill names, and those that only they name."""

    named: set[str]
    hidden: set[str]


def disclosed(catalog: Catalog, skill: Document) -> Disclosed:
    documents = {document.path: document for document in catalog.documents}

    def paths(document: Document | None) -> set[str]:
        found = document.placeholders if document else ()
        return {placeholder.argument for placeholder in found if placeholder.verb == "path"}

    named = paths(skill)
    further = (paths(documents.get(path)) for path in named)
    return Disclosed(named, set[str]().union(*further) - named)


@pytest.mark.req("ADR1671-metadata-body-references")
def test_a_skill_is_a_line_then_a_body_then_texts_that_the_body_names_itself() -> None:
    catalog = content().catalog
    found = emitted("claude", "global", "full")
    written = {found.target.spell(output.path) for output in found.outputs}
    own = [document for document in catalog.documents if document.kind == "skill"]
    own = [document for document in own if document.path.endswith("/SKILL.md")]
    assert len(own) >= 2
    for skill in own:
        [output] = [each for each in found.of("skill") if each.source == skill.path]
        head = frontmatter.split(output.data.decode(), file=output.path)
        named, hidden = disclosed(catalog, skill)
        assert named
        assert hidden == set(), skill.path
        for path in named:
            [at] = {found.target.spell(each.path) for each in found.outputs if each.source == path}
            assert at in head.body
            assert at in written
        assert "\n" not in str(skill.meta["description"])
        assert str(skill.meta["description"]) not in head.body


def test_a_text_that_a_skill_leads_to_over_another_is_found(tmp_path: Path) -> None:
    files = {
        "skills/a/SKILL.md": "---\ndescription: d\n---\n{gsd:path references/one.md}\n",
        "references/one.md": "{gsd:path references/two.md}\n",
        "references/two.md": "x\n",
    }
    catalog = loaded(tmp_path, files)
    [skill] = [document for document in catalog.documents if document.kind == "skill"]
    assert disclosed(catalog, skill) == ({"references/one.md"}, {"references/two.md"})


# Commands.


def heavy(found: Emitted) -> list[str]:
    """Commands that hold more than what leads to their workflow, or do not lead there."""
    bodies = {
        output.source.removeprefix("workflows/"): output
        for output in found.outputs
        if output.source.startswith("workflows/") and not output.rendition.startswith("step ")
    }
    wrong = []
    for output in found.outputs:
        folder, _, name = output.source.partition("/")
        if folder == "commands" and name in bodies:
            text = output.data.decode()
            lines = {line for line in bodies[name].data.decode().splitlines() if len(line) > 60}
            leads = found.target.spell(bodies[name].path) in text and "render" in text
            if len(output.data) > THIN or not leads or lines & set(text.splitlines()):
                wrong.append(output.source)
    return wrong


@pytest.mark.req("ADR1671-lazy-hosts")
@pytest.mark.parametrize("scope", SCOPES)
def test_every_command_is_thin_and_names_the_body_to_read(scope: Scope) -> None:
    for runtime in plugins().ids():
        found = emitted(runtime, scope, "full")
        assert heavy(found) == [], runtime


@pytest.mark.req("ADR1671-lazy-hosts")
def test_a_command_that_holds_its_body_or_leads_nowhere_is_found() -> None:
    found = emitted("claude", "global", "core")
    body = next(output for output in found.outputs if output.path.endswith("/workflows/plan-phase.md"))
    line = next(line for line in body.data.splitlines(keepends=True) if len(line) > 70)
    assert heavy(found) == []
    [command] = [output for output in found.outputs if output.source == "commands/plan-phase.md"]
    seeds = (
        command.data + line,
        command.data + b"word " * 400,
        command.data.replace(b"workflows/plan-phase.md", b"workflows/plan.md"),
    )
    for seed in seeds:
        outputs = tuple(
            output._replace(data=seed) if output is command else output for output in found.outputs
        )
        assert heavy(found._replace(outputs=outputs)) == ["commands/plan-phase.md"]


# How the companion is started.


def starts(outputs: Iterable[Output]) -> tuple[set[str], set[tuple[str, bytes]]]:
    """Each way the companion is started in, and the bytes of what starts."""
    outputs = list(outputs)
    texts = [output.data.decode("utf-8", "replace") for output in outputs]
    spelled = {match for text in texts for match in LAUNCHER.findall(text)}
    launchers = {
        (PurePosixPath(output.path).name, output.data)
        for output in outputs
        if PurePosixPath(output.path).name in STARTERS
    }
    return spelled, launchers


@pytest.mark.req("ADR1671-launchers-alike")
@pytest.mark.parametrize("scope", SCOPES)
def test_the_companion_is_started_alike_for_every_host_of_a_scope(scope: Scope) -> None:
    found = {runtime: starts(emitted(runtime, scope, "full").outputs) for runtime in plugins().ids()}
    assert len(found) > 50
    spelled, launchers = found["claude"]
    assert spelled == {"~/.gsd/bin/gsd-tools" if scope == "global" else ".gsd/bin/gsd-tools"}
    assert len(launchers) == len(STARTERS)
    assert [runtime for runtime, each in found.items() if each != (spelled, launchers)] == []


@pytest.mark.req("ADR1671-launchers-alike")
def test_a_launcher_that_is_spelled_or_written_otherwise_is_seen() -> None:
    outputs = emitted("claude", "global", "core").outputs
    spelled, launchers = starts(outputs)
    for path in ("/.claude/commands/gsd-help.md", "/.gsd/bin/gsd-tools"):
        more = [
            output._replace(data=output.data + b"/opt/.gsd/bin/gsd-tools\n")
            for output in outputs
            if output.path.endswith(path)
        ]
        assert len(more) == 1
        found = starts([*outputs, *more])
        assert found[0] - spelled == {"/opt/.gsd/bin/gsd-tools"}
        assert (found[1] != launchers) is path.endswith("bin/gsd-tools")
