"""The current plan: open tasks in full, finished ones as one line each.

A task is a heading `Task ...` with what stands below it, or a checkbox with the rows indented below it. It
is finished when its box is ticked or its status says so.
"""

from __future__ import annotations

import os
import re

from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gsd_capabilities.context.sections import Section

_TASK = re.compile(r"#{2,4}\s+Task\b")
_BOX = re.compile(r"(\s*)[-*+] \[([ xX])\] ?(.*)")
_STATUS = re.compile(r"(?i)\s*(?:[-*+] )?\**status\**:\**\s*(?:completed?|done|finished)\b|#.*\[[xX]\]\s*$")
_TAGS = re.compile(r"(?i)\s*(?:[-*+] )?\**tags\**:\**\s*\[?(.*?)\]?\s*$")


class Plan(NamedTuple):
    """The plans of the current phase; `tags` are those that open and finished tasks carry."""

    sections: tuple[Section, ...]
    tags: frozenset[str]


def condensed(text: str) -> str:
    """The plan with each finished task as one line."""
    return "\n".join(row for block in _blocks(text.split("\n")) for row in _kept(block))


def tags(text: str) -> frozenset[str]:
    """The words behind `Tags:`, in lower case."""
    rows = (match[1] for row in text.split("\n") if (match := _TAGS.fullmatch(row)))
    return frozenset(word.strip().lower() for row in rows for word in row.split(",") if word.strip())


def _kept(block: list[str]) -> list[str]:
    box = _BOX.match(block[0])
    if box:
        return block[:1] if box[2] != " " else block
    if _TASK.match(block[0]) and any(map(_STATUS.match, block)):
        title = block[0].lstrip("# ").removesuffix("[x]").removesuffix("[X]").strip()
        return [f"- [x] {title}", ""]
    return block


def _blocks(rows: list[str]) -> list[list[str]]:
    """Rows in blocks: a task with all that belongs to it, or a row that belongs to none."""
    blocks: list[list[str]] = []
    fence = ""
    for row in rows:
        mark = row.strip()[:3]
        inside = bool(fence)
        if mark in ("```", "~~~"):
            fence = "" if fence == mark else fence or mark
        if blocks and (inside or _belongs(blocks[-1][0], row)):
            blocks[-1].append(row)
        else:
            blocks.append([row])
    return blocks


def _belongs(first: str, row: str) -> bool:
    """Whether a row belongs to the task that starts with `first`."""
    if _TASK.match(first):
        level = len(first) - len(first.lstrip("#"))
        other = len(row) - len(row.lstrip("#"))
        return not (0 < other <= level)
    box = _BOX.match(first)
    if box is None:
        return False
    return not row.strip() or len(row) - len(row.lstrip()) > len(box[1])


def current(planning: str) -> Plan:
    """The plans of the phase that STATE.md names; one with a finished summary is a line.

    Raises GsdError where STATE.md is there and cannot be read.
    """
    from gsd_capabilities.context.sections import section

    phase, number = _position(os.path.join(planning, "STATE.md"))
    folder = _phase_folder(planning, phase)
    names = sorted(name for name in os.listdir(folder) if name.endswith("-PLAN.md")) if folder else []
    made, found = [], set[str]()
    for name in names:
        text = _read(os.path.join(folder, name))
        source = f"phases/{os.path.basename(folder)}/{name}"
        active = number != "" and name.split("-")[1].lstrip("0") == number.lstrip("0")
        body = _finished(folder, name) or condensed(_body(text))
        found |= tags(text)
        made.append(
            section(
                f"plan:{name[:-8]}", "plan", body, title=name, source=source, priority=81 if active else 80
            )
        )
    return Plan(tuple(made), frozenset(found))


def _position(path: str) -> tuple[str, str]:
    """Phase and plan that STATE.md names; empty without the file."""
    from gsd_install.kernel.frontmatter import split

    if not os.path.isfile(path):
        return "", ""
    fields = split(_stateful(_read(path)), file=path).fields
    return str(fields.get("phase", "")), str(fields.get("plan", "")).rpartition("-")[2]


def _stateful(text: str) -> str:
    """STATE.md with its empty fields, which it may have, spelled as empty texts."""
    head, mark, rest = text.partition("\n---")
    return re.sub(r"(?m)^([a-z_]+):[ \t]*$", r'\1: ""', head) + mark + rest


def _phase_folder(planning: str, phase: str) -> str:
    root = os.path.join(planning, "phases")
    whole, dot, part = phase.partition(".")
    prefix = f"{whole.zfill(2)}{dot}{part}-"
    if not phase or not os.path.isdir(root):
        return ""
    return next(
        (os.path.join(root, name) for name in sorted(os.listdir(root)) if name.startswith(prefix)), ""
    )


def _finished(folder: str, name: str) -> str:
    """The one line of a plan whose summary says that it is done."""
    path = os.path.join(folder, name.replace("-PLAN.md", "-SUMMARY.md"))
    if not os.path.isfile(path) or not re.search(r"(?m)^status: *[\"']?done\b", _read(path)):
        return ""
    return f"- [x] {name}: done, see {os.path.basename(path)}"


def _body(text: str) -> str:
    from gsd_install.kernel.markdown import FRAME

    frame = FRAME.match(text)
    return (text[frame.end() :] if frame else text).strip("\n")


def _read(path: str) -> str:
    from gsd_install.kernel.errors import GsdError

    try:
        with open(path, encoding="utf-8-sig") as file:
            return file.read()
    except UnicodeDecodeError as error:
        raise GsdError(
            "the file is not UTF-8", reason="not_text", file=path, hint="save it as UTF-8"
        ) from error
