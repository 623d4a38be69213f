"""The text of ROADMAP.md with a phase more, a phase less, or another field: pure, and no other byte moves."""

from __future__ import annotations

import re

from gsd_capabilities.companion import planning_text, roadmap
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gsd_capabilities.companion.roadmap import Roadmap, Row, Section

ORDER = ("Goal", "Depends on", "Closes", "Requirements", "Mode", "Success criteria", "Notes")


class New(NamedTuple):
    """A phase to be: what its row and section say. `closes` is empty unless it closes gaps of another."""

    title: str
    goal: str = ""
    depends: str = "nothing"
    requirements: str = ""
    mode: str = "standard"
    criteria: tuple[str, ...] = ()
    closes: str = ""


def inserted(text: str, found: Roadmap, number: str, new: New, at: int) -> str:
    """`text` with the row and section of a new phase, so that it becomes row `at` (from 0)."""
    end = planning_text.newline(text)
    row_at = found.rows[at - 1].end if at else found.rows[0].start if found.rows else found.head_end
    before = found.section(found.rows[at - 1].number) if at else None
    last = max((section.end for section in found.sections), default=len(text))
    section_at = before.end if before else last
    row = _on_its_own_line(text[:row_at], _row(found.columns, number, new), end)
    text = text[:row_at] + row + text[row_at:]
    if section_at >= row_at:
        section_at += len(row)
    section = _apart(text, section_at, _section(number, new, end), end)
    return text[:section_at] + section + text[section_at:]


def without(text: str, number: str, file: str = roadmap.FILE) -> str:
    """`text` without a phase, its number among those that are never used again. Raises as `roadmap.parse`."""
    found = roadmap.parse(text, file)
    spans = [(part.start, part.end) for part in (found.row(number), found.section(number)) if part]
    end = planning_text.newline(text)
    note = roadmap.REMOVED.search(text)
    if note:
        at, piece = note.start(1) + len(note[1].rstrip(" ,")), f", {number}"
    else:
        line = f"{roadmap.REMOVED_WORDS} {number}{end}"
        at, piece = found.head_end, _on_its_own_line(text[: found.head_end], end + line, end)
    changes = [(start, stop, "") for start, stop in spans] + [(at, at, piece)]
    for start, stop, new in sorted(changes, reverse=True):
        text = text[:start] + new + text[stop:]
    return text


def moved(text: str, number: str, where: str, other: str, file: str = roadmap.FILE) -> str:
    """`text` with the row and section of a phase `before` or `after` those of another, numbers unchanged.

    Raises GsdError `bad_roadmap` when one of the two has no row or no section.
    """
    end = planning_text.newline(text)
    found = roadmap.parse(text, file)
    row, section = _parts(found, number, file)
    own_row, own_section = text[row.start : row.end].rstrip("\r\n") + end, text[section.start : section.end]
    last = section.end == len(text)
    for start, stop in sorted(((row.start, row.end), (section.start, section.end)), reverse=True):
        text = text[:start] + text[stop:]
    text = text.removesuffix(end) if last and text.endswith(end * 2) else text
    _, section = _parts(roadmap.parse(text, file), other, file)
    at = section.start if where == "before" else section.end
    text = text[:at] + _apart(text, at, own_section.rstrip() + end, end) + text[at:]
    row, _ = _parts(roadmap.parse(text, file), other, file)
    at = row.start if where == "before" else row.end
    return text[:at] + _on_its_own_line(text[:at], own_row, end) + text[at:]


def _parts(found: Roadmap, number: str, file: str) -> tuple[Row, Section]:
    row, section = found.row(number), found.section(number)
    if row is None or section is None:
        what = "row" if row is None else "section"
        hint = f"add it, from the template of {roadmap.FILE}"
        raise GsdError(f"phase {number} has no {what}", reason="bad_roadmap", file=file, hint=hint)
    return row, section


def with_field(text: str, number: str, name: str, value: str, file: str = roadmap.FILE) -> str:
    """`text` with another value of a field in the section of a phase. Raises GsdError `bad_roadmap`."""
    section = roadmap.parse(text, file).section(number)
    if section is None:
        hint = f"add a section `## Phase {number}: <name>`"
        raise GsdError(f"phase {number} has no section", reason="bad_roadmap", file=file, hint=hint)
    old = section.fields.get(name.lower())
    if old:
        gap = "" if text[old.start - 1] in " \t" else " "
        return text[: old.start] + gap + value + text[old.end :]
    end = planning_text.newline(text)
    at, blank = _place(text, section, name)
    return text[:at] + _on_its_own_line(text[:at], f"{end * blank}**{name}:** {value}{end}", end) + text[at:]


def _place(text: str, section: Section, name: str) -> tuple[int, bool]:
    """Where a field that is missing belongs, and whether a blank line stands before it."""
    ahead = [
        section.fields[word.lower()] for word in ORDER[: ORDER.index(name)] if word.lower() in section.fields
    ]
    if name == "Notes" or not ahead:
        body = text[section.start : section.end].rstrip()
        at = section.start + len(body)
        return _line_end(text, at if name == "Notes" else section.title.end), True
    return _line_end(text, max(part.end for part in ahead)), False


def _line_end(text: str, at: int) -> int:
    """The offset behind the line end that follows offset `at`."""
    match = re.compile(r"[^\r\n]*(?:\r\n?|\n)?").match(text, at)
    return match.end() if match else at


def _row(columns: tuple[str, ...], number: str, new: New) -> str:
    cells = {
        "phase": number,
        "name": roadmap.cell(new.title),
        "status": "pending",
        "plans": "0/0",
        "requirements": roadmap.cell(new.requirements),
    }
    return f"| {' | '.join(cells.get(column, '') for column in columns)} |"


def _section(number: str, new: New, end: str) -> str:
    rows = [f"## Phase {number}: {new.title}", "", f"**Goal:** {new.goal}", f"**Depends on:** {new.depends}"]
    if new.closes:
        rows.append(f"**Closes:** {new.closes}")
    rows += [f"**Requirements:** {new.requirements}", f"**Mode:** {new.mode}", "**Success criteria:**", ""]
    rows += [f"- C{at}: {text}" for at, text in enumerate(new.criteria, 1)]
    rows += ["", "**Notes:** none"] if new.criteria else ["**Notes:** none"]
    return end.join(row.rstrip() for row in rows) + end


def _apart(text: str, at: int, block: str, end: str) -> str:
    """`block` with a blank line before it, and one behind it when text follows."""
    before = text[:at]
    gap = "" if before.endswith(end * 2) else end if before.endswith(end) else end * 2
    return gap + block + (end if at < len(text) else "")


def _on_its_own_line(before: str, line: str, end: str) -> str:
    """`line` for the place behind `before`, which may be the end of a file without a last line end."""
    closed = line if line.endswith(end) else line + end
    return closed if before.endswith(("\n", "\r")) or not before else end + closed
