"""What the composer answers: the text, and for every character of it and every fragment the reason."""

from __future__ import annotations

from operator import attrgetter

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Literal

    from gsd_install.kernel.fragment import Fragment, Name, Rendition

    Part = Literal["text", "added", "wrapper", "separator", "note"]
    Reason = Literal["isolate", "load-bearing", "kept", "restored", "floor", "budget", "ceiling", "empty"]


class Span(NamedTuple):
    """Characters `start` to `end` of the output and where they come from.

    `text` is copied from characters `source_start` to `source_end` of the fragment `id`; `added` was
    written for its rendition. `wrapper` belongs to a fragment too; `separator` and `note` to none.
    """

    start: int
    end: int
    part: Part
    id: str = ""
    source_start: int = 0
    source_end: int = 0


class Decision(NamedTuple):
    """What became of one fragment: its rendition, its price at best and now, and why.

    Prices include the wrapper and one separator. Reasons: `isolate` and `load-bearing` are never touched;
    `kept` was never asked; `restored` gave way and came back; `floor` gave way no further; `budget` gave
    way; `ceiling` was cut by its own limit; `empty` had nothing to show.
    """

    id: str
    rendition: Name
    best: int
    cost: int
    reason: Reason


class Composition(NamedTuple):
    """A text that costs `used`, at most `available`, units of the measure `measure_id`.

    `available` is the budget less the margin. `omitted`, `shrunk`, `moved` and `floored` name fragments
    in declaration order. `renditions` and their prices at `best` go with `fragments`; `prices` has those
    that are neither the best nor nothing, by number. `note` stands before the fragment number `note_at`.
    Under `pressure` the fragments at their best did not fit.
    """

    text: str
    used: int
    available: int
    measure_id: str
    mode: str
    pressure: bool
    fragments: Sequence[Fragment]
    renditions: Sequence[Rendition]
    best: Sequence[int]
    prices: Mapping[int, int]
    omitted: tuple[str, ...]
    shrunk: tuple[str, ...]
    moved: tuple[str, ...]
    floored: tuple[str, ...]
    restored: tuple[str, ...]
    note: str
    note_at: int
    separator: str

    @property
    def prefix(self) -> str:
        """The text of the leading isolate fragments: the same under every budget."""
        fixed = [
            fragment.wrapper + rendition.text
            for fragment, rendition in zip(self.fragments, self.renditions, strict=True)
            if fragment.isolate and rendition.text
        ]
        return self.separator.join(fixed)

    @property
    def prefix_digest(self) -> str:
        """SHA-256 of the prefix in UTF-8, in hexadecimal."""
        import hashlib

        return hashlib.sha256(self.prefix.encode()).hexdigest()

    def decisions(self) -> tuple[Decision, ...]:
        """The decision on every fragment, in declaration order."""
        costs = [
            best if rendition.text else 0 for best, rendition in zip(self.best, self.renditions, strict=True)
        ]
        for number, price in self.prices.items():
            costs[number] = price
        held: dict[str, Reason] = {
            **dict.fromkeys(self.restored, "restored"),
            **dict.fromkeys(self.floored, "floor"),
        }
        reasons = [
            _reason(fragment, rendition, best - cost, held)
            for fragment, rendition, best, cost in zip(
                self.fragments, self.renditions, self.best, costs, strict=True
            )
        ]
        ids, names = map(attrgetter("id"), self.fragments), map(attrgetter("name"), self.renditions)
        return tuple(map(Decision._make, zip(ids, names, self.best, costs, reasons, strict=True)))

    def explain(self, id: str) -> Decision:  # noqa: A002
        """The decision on one fragment. Raises GsdError (reason `unknown_fragment`)."""
        for decision in self.decisions():
            if decision.id == id:
                return decision
        raise GsdError(f"no fragment is called {id!r}", reason="unknown_fragment")

    def source_map(self) -> tuple[Span, ...]:
        """Spans in order that cover the text exactly once."""
        spans: list[Span] = []
        at = 0
        for piece in self._pieces():
            for part, text, id, kept in [*_separator(self.separator if at else ""), *piece]:  # noqa: A001
                if text:
                    spans.append(Span(at, at + len(text), part, id, 0, kept))
                    at += len(text)
        return tuple(spans)

    def rest(self) -> Mapping[str, str]:
        """What of each source is not in the text, by id: all of it from the end of what was kept."""
        return {
            fragment.id: fragment.source[rendition.kept :]
            for fragment, rendition in zip(self.fragments, self.renditions, strict=True)
            if rendition.kept < len(fragment.source)
        }

    def _pieces(self) -> Iterator[list[_Part]]:
        for number, (fragment, rendition) in enumerate(zip(self.fragments, self.renditions, strict=True)):
            if number == self.note_at and self.note:
                yield [("note", self.note, "", 0)]
            if rendition.text:
                kept = rendition.kept
                yield [
                    ("wrapper", fragment.wrapper, fragment.id, 0),
                    ("text", rendition.text[:kept], fragment.id, kept),
                    ("added", rendition.text[kept:], fragment.id, 0),
                ]
        if self.note_at >= len(self.fragments) and self.note:
            yield [("note", self.note, "", 0)]


if TYPE_CHECKING:
    _Part = tuple[Part, str, str, int]


def _separator(separator: str) -> list[_Part]:
    return [("separator", separator, "", 0)]


def _reason(fragment: Fragment, rendition: Rendition, saved: int, held: Mapping[str, Reason]) -> Reason:
    if fragment.isolate:
        return "isolate"
    if fragment.load_bearing:
        return "load-bearing"
    why = held.get(fragment.id)
    if saved and why != "floor":
        return "budget"
    if rendition.name != "full":
        return why or "ceiling"
    return why or ("kept" if rendition.text else "empty")
