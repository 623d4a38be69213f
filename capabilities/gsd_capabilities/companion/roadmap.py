"""ROADMAP.md: the table of phases, with status and plan counts, and one section for each phase.

The format is that of the template `roadmap`. Parsing keeps the span of everything it reads, so that an
edit replaces one cell, one field, one row or one section, and moves no other byte.
"""

from __future__ import annotations

import itertools
import re

from gsd_capabilities.companion import planning_text
from gsd_install.kernel import markdown
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.companion.project import Project

FILE = "ROADMAP.md"
COLUMNS = ("phase", "name", "status", "plans", "requirements")
STATUSES = ("pending", "discussed", "planned", "executing", "executed", "verified", "complete", "blocked")
MODES = ("standard", "mvp")

_NUMBER = re.compile(r"0*([0-9]+)(?:\.0*([0-9]+))?")
_TITLE = re.compile(r"Phase ([0-9]+(?:\.[0-9]+)?): *(\S.*)")
_FIELD = re.compile(
    r"^\*\*([A-Z][A-Za-z ]*):\*\*[ \t]*([^\r\n]*(?:\r?\n(?![ \t\r]|\*\*|[-#|>`]|$)[^\r\n]+)*)", re.MULTILINE
)
_CRITERION = re.compile(r"^[ \t]*- (C[0-9]+):[ \t]*([^\r\n]*)", re.MULTILINE)
_PIPE = re.compile(r"(?<!\\)\|")
REMOVED_WORDS = "Removed, never used again:"
REMOVED = re.compile(rf"^{REMOVED_WORDS} ([0-9., ]+)", re.MULTILINE)


class Part(NamedTuple):
    """A piece of the text: offsets, line (1-based) and what it says without blanks around it."""

    start: int
    end: int
    line: int
    value: str


class Row(NamedTuple):
    """One row of the table, its cells by column; `end` is behind its line end."""

    number: str
    start: int
    end: int
    line: int
    cells: Mapping[str, Part]

    @property
    def name(self) -> str:
        """The name of the phase, without what a table needs to hold it."""
        return self.cells["name"].value.replace("\\|", "|")


class Section(NamedTuple):
    """The section of one phase; `fields` are its `**Name:** text` lines, by name in lower case."""

    number: str
    title: Part
    start: int
    end: int
    line: int
    fields: Mapping[str, Part]
    criteria: tuple[tuple[str, str], ...]

    def field(self, name: str) -> str:
        """The text of a field, empty when it is not there."""
        part = self.fields.get(name)
        return part.value if part else ""


class Roadmap(NamedTuple):
    """A roadmap taken apart. `head_end` is behind the table; `columns` are its names in order.

    `removed` are the numbers of phases that are gone and must not be used again.
    """

    rows: tuple[Row, ...]
    sections: tuple[Section, ...]
    columns: tuple[str, ...]
    head_end: int
    removed: tuple[str, ...]

    def row(self, number: str) -> Row | None:
        """The row of a phase."""
        return next((row for row in self.rows if row.number == number), None)

    def section(self, number: str) -> Section | None:
        """The section of a phase."""
        return next((section for section in self.sections if section.number == number), None)


def number_of(text: str) -> str:
    """The number of a phase as the roadmap writes it: `3` of `03`, `3.1` of `03.1`.

    Raises GsdError `bad_number`.
    """
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        hint = "write it as 3, or as 3.1 for a phase that was inserted"
        raise GsdError(f"{text!r} is not the number of a phase", reason="bad_number", hint=hint)
    return f"{match[1]}.{match[2]}" if match[2] else match[1]


def key_of(number: str) -> str:
    """The number as folders and files write it: `03`, `03.1`."""
    whole, dot, part = number.partition(".")
    return f"{whole:0>2}{dot}{part}"


def order_of(number: str) -> tuple[int, int]:
    """What sorts numbers of phases: 2 before 2.1 before 2.10 before 3."""
    whole, _, part = number.partition(".")
    return int(whole), int(part or 0)


def numbers_in(text: str) -> tuple[str, ...]:
    """The numbers of phases that a field such as `phases 2, 3.1` names."""
    bare = re.sub(r"\([^)]*\)", "", text)
    return tuple(number_of(found) for found in re.findall(r"(?<![\w.])[0-9]+(?:\.[0-9]+)?(?![\w])", bare))


def listed(text: str) -> tuple[str, ...]:
    """The ids in a cell or field such as `AUTH-01, AUTH-02`."""
    return tuple(re.findall(r"[A-Z][A-Z0-9]*(?:-?[0-9]+)", text))


def read(project: Project) -> Roadmap:
    """The roadmap of `project`. Raises GsdError `missing`, `bad_roadmap` or as `planning_text.read`."""
    path = project.path(FILE)
    return parse(planning_text.read(project, path), project.shown(path))


def parse(text: str, file: str = FILE) -> Roadmap:
    """Take a roadmap apart. Raises GsdError `bad_roadmap` when it has no table, or a row is not whole."""
    table = _table(text)
    if not table:
        hint = f"it starts with: | {' | '.join(COLUMNS)} |"
        raise GsdError("there is no table of phases", reason="bad_roadmap", file=file, line=1, hint=hint)
    columns = tuple(part.value.lower() for part in _cells(text, table[0]))
    rows = tuple(_row(text, span, columns, file) for span in table[2:])
    sections = tuple(
        _section(text, heading, match)
        for heading in markdown.headings(text, frontmatter=False)
        if heading.level == 2 and (match := _TITLE.fullmatch(heading.title))
    )
    removed = REMOVED.search(text)
    return Roadmap(rows, sections, columns, table[-1][1], numbers_in(removed[1]) if removed else ())


def set_cell(text: str, number: str, column: str, value: str, file: str = FILE) -> str:
    """`text` with another value in one cell. Raises GsdError `unknown_phase`, `bad_value`, `bad_roadmap`."""
    row = parse(text, file).row(number)
    if row is None:
        raise GsdError(f"there is no row of phase {number}", reason="unknown_phase", file=file)
    part = row.cells[column]
    left = " " if text[part.start - 1] == "|" else ""
    right = " " if text[part.end] == "|" else ""
    return replaced(text, part, f"{left}{cell(value)}{right}" if not part.value else cell(value))


def cell(value: str) -> str:
    """`value` as it stands in a table."""
    return re.sub(r"(?<!\\)\|", r"\\|", planning_text.one_line(value, "a cell"))


def replaced(text: str, part: Part, value: str) -> str:
    """`text` with `value` in the place of `part`."""
    return text[: part.start] + value + text[part.end :]


def _table(text: str) -> list[tuple[int, int]]:
    """The lines of the table of phases: header, delimiter, rows."""
    found: list[tuple[int, int]] = []
    for line in markdown.scan(text, frontmatter=False):
        if line.kind == "table" and (found or not line.joined):
            if not line.joined and found:
                break
            found.append((line.start, line.end))
            names = {part.value.lower() for part in _cells(text, found[0])}
            if not names.issuperset(COLUMNS):
                found.clear()
        elif found:
            break
    return found


def _cells(text: str, span: tuple[int, int]) -> list[Part]:
    row = text[span[0] : span[1]].rstrip("\r\n")
    bars = [match.start() for match in _PIPE.finditer(row)]
    if not row.lstrip().startswith("|"):
        bars.insert(0, -1)
    if not row.rstrip().endswith("|"):
        bars.append(len(row))
    line = planning_text.line_at(text, span[0])
    pairs = itertools.pairwise(bars)
    return [_part(text, span[0] + left + 1, span[0] + right, line) for left, right in pairs]


def _part(text: str, start: int, end: int, line: int) -> Part:
    """The span without blanks; of a blank one, the place behind its first blank."""
    raw = text[start:end]
    if not raw.strip():
        at = start + bool(raw)
        return Part(at, at, line, "")
    return Part(start + len(raw) - len(raw.lstrip()), end - len(raw) + len(raw.rstrip()), line, raw.strip())


def _row(text: str, span: tuple[int, int], columns: tuple[str, ...], file: str) -> Row:
    cells = _cells(text, span)
    line = planning_text.line_at(text, span[0])
    if len(cells) != len(columns):
        message = f"this row has {len(cells)} cells, the table has {len(columns)} columns"
        raise GsdError(message, reason="bad_roadmap", file=file, line=line, hint="complete the row")
    named = dict(zip(columns, cells, strict=True))
    try:
        number = number_of(named["phase"].value)
    except GsdError as error:
        error.file, error.line = file, line
        raise
    return Row(number, *span, line, named)


def _section(text: str, heading: markdown.Heading, match: re.Match[str]) -> Section:
    start = text.index(match[2], text.index(":", heading.start) + 1)
    line = planning_text.line_at(text, heading.start)
    title = Part(start, start + len(match[2]), line, match[2])
    fields: dict[str, Part] = {}
    for found in _FIELD.finditer(text, heading.start, heading.end):
        value = " ".join(found[2].split())
        at = planning_text.line_at(text, found.start())
        fields.setdefault(
            found[1].lower(), Part(found.start(2), found.start(2) + len(found[2].rstrip()), at, value)
        )
    criteria = tuple(
        (each[1], each[2].strip()) for each in _CRITERION.finditer(text, heading.start, heading.end)
    )
    return Section(number_of(match[1]), title, heading.start, heading.end, line, fields, criteria)
