"""Read one content file into a document."""

from __future__ import annotations

from collections.abc import Mapping

from gsd_install.content import holds, placeholders
from gsd_install.content.model import ACTIONS, TIERS, Document, Section
from gsd_install.kernel import frontmatter, sections
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.kernel.scope import should_compose

if TYPE_CHECKING:
    from typing import Any

KEYS = {
    "description": ("command", "agent", "skill", "workflow", "reference", "template", "rule"),
    "title": ("command", "agent", "skill", "workflow", "reference", "template", "rule"),
    "name": ("skill",),
    "license": ("skill",),
    "compatibility": ("skill",),
    "metadata": ("skill",),
    "argument-hint": ("command",),
    "tier": ("command", "agent", "skill"),
    "requires": ("command", "agent", "skill"),
    "tools": ("command", "agent"),
    "access": ("agent",),
    "effort": ("agent",),
}
LISTS = ("requires", "tools")
CHOICES = {"tier": TIERS, "access": ("read", "write"), "effort": ("heavy", "standard", "light")}
DESCRIBED = ("command", "agent", "skill")


def document(kind: str, id: str, path: str, data: bytes, *, file: str, executable: bool) -> Document:  # noqa: A002
    """Parse the bytes of one file. Raises GsdError with file and line for anything that is not right."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise GsdError(
            "the file is not UTF-8", reason="encoding", file=file, line=line, hint="save it as UTF-8"
        ) from error
    front = frontmatter.split(text, file=file)
    _check(kind, id, front.fields, file, front.lines)
    return Document(kind, id, path, front.fields, _sections(kind, front, file), executable)


def _sections(kind: str, front: frontmatter.Frontmatter, file: str) -> tuple[Section, ...]:
    if not should_compose(kind):
        parts = placeholders.parse(front.body, file=file, line=front.body_line)
        return (Section("", "always", parts, line=front.body_line),)
    found: list[Section] = []
    for section in sections.parse(front.body, file=file, first_line=front.body_line):
        if section.explicit and kind != "workflow":
            raise GsdError(
                f"{_a(kind)} cannot have sections",
                reason="gated_agent",
                file=file,
                line=section.line,
                hint="move the text to a reference and point at it",
            )
        for held in holds.split(section.text, file=file, line=section.line):
            if held.hold == holds.ISOLATE and any(other.hold != holds.ISOLATE for other in found):
                raise GsdError(
                    "an isolate region must lead its document", reason="bad_hold", file=file, line=held.line
                )
            parts = placeholders.parse(held.text, file=file, line=held.line)
            name = section.id if section.explicit else ""
            found.append(Section(name, section.when, parts, held.hold, held.line))
    return tuple(found)


def _check(kind: str, id: str, fields: Mapping[str, Any], file: str, lines: Mapping[str, int]) -> None:  # noqa: A002
    for key, value in fields.items():
        if kind not in KEYS.get(key, ()):
            known = ", ".join(name for name, kinds in KEYS.items() if kind in kinds)
            raise GsdError(
                f"{_a(kind)} has no key {key!r}",
                reason="unknown_key",
                file=file,
                line=lines[key],
                hint=f"known: {known}",
            )
        _check_value(key, value, file, lines[key])
    description = fields.get("description", "")
    if kind in DESCRIBED and not description.strip():
        raise GsdError(
            f"{_a(kind)} needs a description",
            reason="no_description",
            file=file,
            line=1,
            hint="add `description: what it does and when to use it` between --- lines at the top",
        )
    if kind == "skill" and fields.get("name", id) != id:
        raise GsdError(
            f"the skill's name {fields['name']!r} is not its folder's name {id!r}",
            reason="skill_name",
            file=file,
            line=lines["name"],
            hint="delete the line: the folder is what names a skill",
        )


def _a(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def _check_value(key: str, value: Any, file: str, line: int) -> None:
    if "{gsd:" in str(value):
        raise GsdError(
            f"{key!r} holds a placeholder, and the frontmatter is not rendered",
            reason="bad_placeholder",
            file=file,
            line=line,
            hint="write the words themselves, or move the placeholder into the text",
        )
    if key in LISTS:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise GsdError(
                f"{key!r} must be a list of names",
                reason="bad_value",
                file=file,
                line=line,
                hint=f"write {key}: [one, two]",
            )
        unknown = [item for item in value if key == "tools" and item not in ACTIONS]
        if unknown:
            raise GsdError(
                f"unknown action {unknown[0]!r}",
                reason="bad_value",
                file=file,
                line=line,
                hint=f"known: {', '.join(ACTIONS)}",
            )
    elif key in CHOICES and value not in CHOICES[key]:
        raise GsdError(
            f"{key!r} cannot be {value!r}",
            reason="bad_value",
            file=file,
            line=line,
            hint=f"one of: {', '.join(CHOICES[key])}",
        )
    elif key != "metadata" and not isinstance(value, str):
        raise GsdError(
            f"{key!r} must be text",
            reason="bad_value",
            file=file,
            line=line,
            hint="put the value in double quotes",
        )
