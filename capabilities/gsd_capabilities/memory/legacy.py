"""What an old MEMORY.md holds: which of its lines are knowledge, and which are how things stood.

A heading decides for what it governs, and only in two cases against knowledge: it begins or ends with a
date, or it is one of a closed list of names for the present state. Below other headings what has a date of
its own, an item of a list that begins with one or a deeper heading with one, is taken out alone. A date or
a word such as "current" anywhere else decides nothing.
"""

from __future__ import annotations

import itertools
import re

from gsd_capabilities.memory import layout, sections
from gsd_install.kernel import markdown
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gsd_install.kernel.markdown import Line

DATED_HEADING, CURRENT_HEADING, ALL_DATED = "dated-heading", "current-heading", "all-dated"
DATED_SUBHEADING, DATED_ITEM, REST = "dated-subheading", "dated-item", "rest"

_DATE = r"(\d{4})-(\d{2})-(\d{2})"
_FIRST = re.compile(rf"[\[(*_`]*{_DATE}(?![\d-])")
_LAST = re.compile(rf"(?:.*[^\d-])?{_DATE}[\])*_`.:]*")
_ITEM = re.compile(rf"[-*+][ \t]+(?:\[[ xX]\][ \t]+)?[\[(*_`]*{_DATE}(?![\d-])")
_TOP_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_THINGS = (
    "state|status|focus|task|tasks|work|sprint|phase|goal|goals|situation|progress|context|milestone|step"
)
_CURRENT = re.compile(
    rf"(?:current(?:ly)?(?: (?:{_THINGS}|blockers|priorities))?|(?:project )?status|now|today|in progress"
    r"|progress(?: (?:report|update|updates|log|notes|so far))?|status (?:report|update|updates|notes)"
    r"|silent(?: (?:mode|period|state))?|silence|day \d{1,4}"
    r"|当前(?:状态|任务|进度|工作|重点|阶段)?|进度(?:更新|报告)?|静默(?:期|模式|状态)?)"
    r"(?:\s*[:：(（].*|\s+[-–—]\s.*)?",
    re.IGNORECASE,
)


class Part(NamedTuple):
    """Characters `start` to `end` of the old text, lines `first` to `last`, go to `store` because of `rule`.

    `title` is that of the section, `date` what the snapshot is dated.
    """

    start: int
    end: int
    first: int
    last: int
    store: str
    rule: str
    title: str
    date: str = ""


class _Span(NamedTuple):
    start: int
    end: int
    store: str
    rule: str
    title: str
    date: str = ""


def parts(text: str) -> tuple[Part, ...]:
    """Where every line of a text goes; together the parts are the text. A byte-order mark is passed over."""
    text = text.removeprefix(sections.BOM)
    lines = markdown.scan(text)
    numbers = {line.start: number for number, line in enumerate(lines)}
    numbers[len(text)] = len(lines)
    spans = [span for span in _spans(text, lines) if span.start < span.end]
    return tuple(Part(a, b, numbers[a] + 1, numbers[b], *rest) for a, b, *rest in spans)


def stores(text: str, cut: Sequence[Part]) -> tuple[str, str]:
    """The texts of knowledge.md and state.md that the parts of a text make.

    Knowledge is its parts and nothing else; state has headings and lines `updated:` besides.
    """
    mark = sections.BOM if text.startswith(sections.BOM) else ""
    text = text.removeprefix(sections.BOM)
    known = [text[part.start : part.end] for part in cut if part.store == layout.KNOWLEDGE]
    end = _line_end(text)
    entries = list(_entries(text, cut, end))
    closed = [entry if entry.endswith(("\n", "\r")) else entry + end for entry in entries]
    return mark + "".join(known), f"# {layout.TITLES[layout.STATE]}{end}{end}" + "".join(closed)


def _line_end(text: str) -> str:
    from gsd_capabilities.companion.planning_text import newline

    return newline(text)


def _entries(text: str, cut: Sequence[Part], end: str) -> Iterator[str]:
    """The entries of state, those of one section and date as one."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for part in cut:
        if part.store != layout.STATE:
            continue
        source = text[part.start : part.end]
        if part.rule in (DATED_SUBHEADING, DATED_ITEM):
            grouped.setdefault((part.title, part.date), []).append(source)
        else:
            yield _stamped(source, part.date, end)
    for (title, date), sources in grouped.items():
        whole = "".join(source if source.endswith(("\n", "\r")) else source + end for source in sources)
        yield f"## {title}, {date}{end}{_stamp(date)}{end}{end}{whole}{end}"


def _stamped(source: str, date: str, end: str) -> str:
    """A section with its line `updated:` below the heading."""
    first = next(markdown.lines(source))
    head, body = source[: first[1]], source[first[1] :]
    if not date:
        return source
    gap = "" if not next(markdown.lines(body))[2].strip() else end
    return f"{head}{_stamp(date)}{end}{gap}{body}"


def _stamp(date: str) -> str:
    return f"updated: {date}T00:00:00Z"


def _spans(text: str, lines: Sequence[Line]) -> Iterator[_Span]:
    heads = [number for number, line in enumerate(lines) if 0 < line.level <= 2]
    bounds = [*([] if heads[:1] == [0] else [0]), *heads, len(lines)]
    for first, last in itertools.pairwise(bounds):
        if first < last:
            yield from _of_piece(text, lines[first:last])


def _of_piece(text: str, lines: Sequence[Line]) -> Iterator[_Span]:
    """What becomes of one piece: all of it to one store, or what is dated in it apart."""
    title, start, end = lines[0].title, lines[0].start, lines[-1].end
    whole = _decided(title) if any(line.kind != "blank" for line in lines[1:]) else None
    islands = list(_islands(text, lines))
    if whole:
        yield _Span(start, end, layout.STATE, whole[0], title, whole[1])
        return
    if lines[0].level == 2 and _nothing_else(text, lines, islands):
        newest = max(date for _, _, _, date in islands)
        yield _Span(start, end, layout.STATE, ALL_DATED, title, newest)
        return
    for a, b, rule, date in islands:
        yield _Span(start, a, layout.KNOWLEDGE, REST, title)
        yield _Span(a, b, layout.STATE, rule, title or "Notes", date)
        start = b
    yield _Span(start, end, layout.KNOWLEDGE, REST, title)


def _decided(title: str) -> tuple[str, str] | None:
    """The rule by which a heading sends its section to state, and the date it gives."""
    date = _date(_FIRST.match(title)) or _date(_LAST.fullmatch(title))
    if date:
        return DATED_HEADING, date
    return (CURRENT_HEADING, "") if _CURRENT.fullmatch(title.strip(" *_`.:")) else None


def _date(match: re.Match[str] | None) -> str:
    """The date of a match, if there is such a day."""
    from datetime import date

    if match is None:
        return ""
    try:
        return date(int(match[1]), int(match[2]), int(match[3])).isoformat()
    except ValueError:
        return ""


def _nothing_else(text: str, lines: Sequence[Line], islands: Sequence[tuple[int, int, str, str]]) -> bool:
    """Whether all below the heading is dated."""
    left = [text[a:b] for a, b in _between(lines[0].end, lines[-1].end, islands)]
    return bool(islands) and not any(piece.strip() for piece in left)


def _between(start: int, end: int, islands: Sequence[tuple[int, int, str, str]]) -> Iterator[tuple[int, int]]:
    for a, b, _, _ in islands:
        yield start, a
        start = b
    yield start, end


def _islands(text: str, lines: Sequence[Line]) -> Iterator[tuple[int, int, str, str]]:
    """What has a date of its own within a piece: its start and end, its rule and its date."""
    at = 1 if lines[0].level else 0
    while at < len(lines):
        line = lines[at]
        row = text[line.start : line.end]
        after, rule, date = at + 1, "", ""
        if line.level and (date := _date(_FIRST.match(line.title)) or _date(_LAST.fullmatch(line.title))):
            after, rule = _section_end(lines, at), DATED_SUBHEADING
        elif line.kind == "list" and not line.inner and (date := _date(_ITEM.match(row))):
            after, rule = _item_end(text, lines, at), DATED_ITEM
        if rule:
            yield line.start, lines[after - 1].end, rule, date
        at = after


def _section_end(lines: Sequence[Line], at: int) -> int:
    level = lines[at].level
    ends = (number for number in range(at + 1, len(lines)) if 0 < lines[number].level <= level)
    return next(ends, len(lines))


def _item_end(text: str, lines: Sequence[Line], at: int) -> int:
    """The line behind an item of a list and what belongs to it, without blank lines after it."""
    last = at
    for number in range(at + 1, len(lines)):
        line, row = lines[number], text[lines[number].start : lines[number].end]
        if line.kind == "blank":
            continue
        deeper = line.inner or row[:1] in (" ", "\t")
        lazy = line.kind == "list" and not _TOP_ITEM.match(row)
        if line.level or not (deeper or lazy):
            break
        last = number
    return last + 1
