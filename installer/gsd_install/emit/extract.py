"""Make a text fit without losing a sentence: parts of it move to files beside it, in the order they stood.

Whole headed parts move first, the later ones first. A part that has headings of its own keeps as many of
them as there is room for, and so does, block by block, the text that no heading leads. Where pointers to
that many parts are too much, each stretch keeps its first blocks and the rest of it goes on in one file.
No block (fence, table, list, comment, paragraph) is ever cut, and what is declared load-bearing stays.
Only when nothing lossless is enough do declared shrinks and drops apply, and a note says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from gsd_install.emit.output import Change, Origin
from gsd_install.emit.text import Stretch
from gsd_install.kernel import cut, markdown
from gsd_install.kernel.compose import BudgetError, Trimmed, compose, omission_note
from gsd_install.kernel.composition import Composition
from gsd_install.kernel.fragment import OMITTED, Fragment, Rendition, verbatim
from gsd_install.kernel.measure import Measure
from gsd_install.kernel.record import NamedTuple

# Where a part may go on in its file: enough places to waste little, few enough to stay quick.
_PLACES = 24
_FIXED = ("keep", "isolate")
_BLANK_END = re.compile(r"(?:\A|\n|\r)[ \t]*(?:\r\n?|\n)\Z")

Spell = Callable[[str], str]
Note = Callable[[Trimmed], str]


class Moved(NamedTuple):
    """A part that moved to the file `name`: the body's characters from `at` on."""

    name: str
    text: str
    at: int


class Extracted(NamedTuple):
    """What stays, what moved, and what became of every part of the body.

    `lost` names declared parts that were left out or shortened; `origins` cover `text`.
    """

    text: str
    moved: tuple[Moved, ...]
    lost: tuple[str, ...]
    origins: tuple[Origin, ...]
    changes: tuple[Change, ...]


class _Part(NamedTuple):
    """A part of the body from `at` on, and the offsets in it where it may go on in its file, last first.

    `title` is that of the heading it begins with, which stays when the part moves if it is `headed`.
    """

    at: int
    text: str
    hold: str
    title: str
    headed: bool = False
    places: tuple[int, ...] = ()


def extract(
    stretches: Sequence[Stretch],
    room: int,
    measure: Measure,
    spell: Spell,
    note: Note = omission_note,
    *,
    declared: bool = False,
) -> Extracted:
    """Fit the stretches into `room` units; `spell` gives the path of a moved part by its file name.

    `declared` allows the losses that the author allowed, which `note` words. Raises BudgetError where
    that is not enough; its `required` is a room that would do.
    """
    runs = list(_runs(stretches))
    refusals = []
    for parts in (_headed(runs), _whole(runs)):
        pieces = _Pieces(parts, spell, measure, note, declared=declared)
        try:
            return pieces.result(compose(pieces.fragments, room, measure, mode="optimise", note=note))
        except BudgetError as error:
            refusals.append(error)
    raise min(refusals, key=lambda error: error.required)


def _runs(stretches: Sequence[Stretch]) -> Iterator[_Part]:
    """The stretches as parts; neighbours without a rule of their own are one."""
    at = 0
    free = ""
    for stretch in (*stretches, Stretch("", "end")):
        if not stretch.hold:
            free += stretch.text
            continue
        if free:
            yield _Part(at, free, "", _title(free))
        at += len(free)
        free = ""
        if stretch.text:
            title = _title(stretch.text)
            yield _Part(at, stretch.text, stretch.hold, title, bool(title))
        at += len(stretch.text)


def _title(text: str) -> str:
    """The title of the heading a text begins with, or nothing."""
    found = markdown.headings(text, frontmatter=False)
    return found[0].title if found and not text[: found[0].start].strip() else ""


def _headed(runs: list[_Part]) -> list[_Part]:
    """A part for each heading of the top level, and for what stands before the first."""
    level = _level(runs)
    found: list[_Part] = []
    for run in runs:
        if run.hold:
            found.append(run)
            continue
        starts = _starts(run.text, level)
        for start, end in zip(starts, [*starts[1:], len(run.text)], strict=True):
            text = run.text[start:end]
            title = _title(text)
            first = all(part.hold in _FIXED for part in found)
            places = _subheadings(text) if title and not first else _blocks(text)
            found.append(_Part(run.at + start, text, "", title, bool(title), places))
    return found


def _whole(runs: list[_Part]) -> list[_Part]:
    """A part for each run, which may keep any number of its first blocks."""
    return [run if run.hold else run._replace(places=_blocks(run.text)) for run in runs]


def _level(runs: list[_Part]) -> int:
    """The highest level of headings below the title of the document."""
    free = [markdown.headings(run.text, frontmatter=False) for run in runs if not run.hold]
    levels = [heading.level for headings in free for heading in headings]
    if levels[1:] and levels[0] < min(levels[1:]):
        del levels[0]
    return min(levels, default=1)


def _starts(text: str, level: int) -> list[int]:
    """Where the parts of a run begin; blank lines at its top belong to the first."""
    headings = markdown.headings(text, frontmatter=False)
    found = [heading.start for heading in headings if heading.level <= level]
    return [0, *(start for start in found if text[:start].strip())]


def _subheadings(text: str) -> tuple[int, ...]:
    headings = markdown.headings(text, frontmatter=False)
    return _thinned([heading.start for heading in headings if text[: heading.start].strip()])


def _blocks(text: str) -> tuple[int, ...]:
    """Where a blank line and then a block stands, not behind a heading, which would be left alone."""
    found = []
    last = before = ""
    for block in markdown.blocks(text, frontmatter=False):
        if block.kind != "blank":
            if before == "blank" and last not in ("", "heading"):
                found.append(block.start)
            last = block.kind
        before = block.kind
    return _thinned(found)


def _thinned(places: list[int]) -> tuple[int, ...]:
    """At most `_PLACES` of them, evenly chosen, last first."""
    step = max(1, -(-len(places) // _PLACES))
    return tuple(places[::-step]) if places else ()


class _Pieces:
    """Parts as fragments. The id of a fragment is what a person calls the part."""

    def __init__(
        self, parts: list[_Part], spell: Spell, measure: Measure, note: Note, *, declared: bool
    ) -> None:
        self._parts: dict[str, _Part] = {}
        self._names: dict[str, str] = {}
        self._spell, self._measure, self._note, self._declared = spell, measure, note, declared
        self._newline = "\r\n" if any("\r\n" in part.text for part in parts) else "\n"
        for number, part in enumerate(parts, 1):
            label = self._label(part)
            self._parts[label] = part
            self._names[label] = f"{number:02}-{_slug(part.title)}.md"
        end = max((part.at + len(part.text) for part in parts), default=0)
        self.fragments = [self._fragment(label, part, end) for label, part in self._parts.items()]

    def _label(self, part: _Part) -> str:
        words = part.text.lstrip("# \t\r\n").split()
        wanted = part.title or (f"{' '.join(words[:5])[:40]} …" if words else "blank lines")
        label, number = wanted, 1
        while label in self._parts:
            number += 1
            label = f"{wanted} ({number})"
        return label

    def _fragment(self, label: str, part: _Part, end: int) -> Fragment:
        if part.hold in _FIXED:
            return verbatim(label, part.text, isolate=part.hold == "isolate")
        full = Rendition("full", part.text, len(part.text))
        last = part.at + len(part.text) == end
        path = self._spell(self._names[label])
        on = [self._goes_on(part, at, path, last=last) for at in part.places]
        renditions = (full, *on, self._moved(part, path, last=last))
        loss = self._loss(part) if self._declared and part.hold else None
        if loss is None or not self._worth(label, renditions, loss):
            return Fragment(label, renditions, "extract")
        if loss is OMITTED:
            return Fragment(label, (*renditions, loss), "drop", tier=4)
        return Fragment(label, (*renditions, loss), "head-shrink", tier=3)

    def _loss(self, part: _Part) -> Rendition:
        """What its author lets a budget leave of a part."""
        rule, _, lines = part.hold.partition(":")
        if rule == "drop":
            return OMITTED
        kept, text = cut.head(part.text, int(lines))
        return Rendition("shrunk", text, kept) if text else OMITTED

    def _worth(self, label: str, renditions: Iterable[Rendition], loss: Rendition) -> bool:
        """Whether a loss saves more than the note about it costs."""
        cost = self._measure.cost
        gone, short = ((label,), ()) if loss is OMITTED else ((), ((label, 100),))
        note = self._note(Trimmed(0, self._measure.id, gone, short))
        return min(cost(rendition.text) for rendition in renditions) > cost(loss.text) + cost(note)

    def _goes_on(self, part: _Part, at: int, path: str, *, last: bool) -> Rendition:
        """The part up to `at`, and a pointer to the rest of it."""
        kept = part.text[:at]
        apart = "" if _BLANK_END.search(kept) or part.at + at == 0 else self._newline
        return Rendition(
            "pointer", kept + apart + self._pointer(path, "the text goes on there", last=last), at
        )

    def _moved(self, part: _Part, path: str, *, last: bool) -> Rendition:
        """A pointer to all of the part, below its heading where it has one."""
        first = markdown.blocks(part.text, frontmatter=False)[0]
        start = first.end if first.kind == "blank" else 0
        if not part.headed:
            return self._goes_on(part, start, path, last=last)
        [_, _, heading] = next(markdown.lines(part.text, start))
        pointer = self._pointer(path, "it is this part", last=last)
        return Rendition("pointer", f"{part.text[:start]}{heading}{self._newline * 2}{pointer}", start)

    def _pointer(self, path: str, what: str, *, last: bool) -> str:
        return f"Read {path} now: {what}.{self._newline * (1 if last else 2)}"

    def result(self, composition: Composition) -> Extracted:
        """What a composition came to."""
        rest = composition.rest()
        moved = [self._file(label, rest[label]) for label in composition.moved]
        names = {label: self._names[label] for label in composition.moved}
        changes = [
            Change(made.id, made.rendition, made.best, made.cost, made.reason, names.get(made.id, ""))
            for made in composition.decisions()
        ]
        lost = (*composition.omitted, *composition.shrunk)
        origins = tuple(self._origins(composition))
        return Extracted(composition.text, tuple(moved), lost, origins, tuple(changes))

    def _file(self, label: str, text: str) -> Moved:
        part = self._parts[label]
        return Moved(self._names[label], text, part.at + len(part.text) - len(text))

    def _origins(self, composition: Composition) -> Iterator[Origin]:
        for span in composition.source_map():
            at = self._parts[span.id].at + span.source_start if span.part == "text" else -1
            yield Origin(span.start, span.end, at)


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:40].rstrip("-") or "part"
