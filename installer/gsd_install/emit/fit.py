"""Make one output fit the limits its runtime declares: lossless steps first, never a silent cut.

The order is the design's: as it is; the next declared form; parts moved to files beside it; declared
shrinks and drops; then what the cap says. Sizes are those of the text as it will be written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from gsd_install.emit import fields
from gsd_install.emit.output import Fit, Origin
from gsd_install.emit.text import Stretch
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.measure import measure, named
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple
from gsd_install.runtime.model import Cap, Form

if TYPE_CHECKING:
    from gsd_install.emit.extract import Extracted, Moved
    from gsd_install.kernel.compose import BudgetError, Trimmed
    from gsd_install.runtime.words import FieldValue

# Writing the text again tells what its dialect adds; each try leaves less of it.
_TRIES = 12


class CapError(GsdError):
    """A document cannot be made to fit. `required` and `available` are in the cap's unit.

    `required` is the size of the smallest file that could be made of it. `contributors` are the largest
    parts of that with their sizes, `fits` the parts that would fit.
    """

    def __init__(self, name: str, file: str, cap: Cap, required: int, refusal: BudgetError | None) -> None:
        self.cap = cap
        self.required = required
        self.available = cap.limit
        self.contributors = refusal.contributors if refusal else ()
        self.fits = refusal.fits if refusal else ()
        largest = ", ".join(f"{part} ({size:,})" for part, size in self.contributors[:5])
        super().__init__(
            f"{name} cannot be made to fit {cap.limit:,} {cap.unit}: what must stay in it makes {required:,}",
            reason="over_cap",
            file=file,
            hint=f"shorten what is largest in it: {largest}"
            if largest
            else "shorten its description and its other frontmatter",
        )


class Subject(NamedTuple):
    """One document about to be written.

    `convert(form, body, description)` gives the text of the file and `values(form, description)` the
    fields it holds; `stretches` are its body and `pointer` what stands in its place in a form that holds
    only a pointer. `spell` gives the path of a part that moves beside it, by file name, as an agent reads
    it. `file` names the source.
    """

    kind: str
    name: str
    file: str
    forms: tuple[Form, ...]
    stretches: tuple[Stretch, ...]
    pointer: str
    description: str
    convert: Callable[[Form, str, str], str]
    values: Callable[[Form, str], Mapping[str, FieldValue]]
    spell: Callable[[str], str]

    @property
    def body(self) -> str:
        """All of its text."""
        return "".join(stretch.text for stretch in self.stretches)


class Fitted(NamedTuple):
    """`text` is what to write; `whole` tells whether it holds the body or points at it.

    `moved` are the parts that stand beside it. `description` is the one it was written with. `reason` says
    which cap kept it from being as its author wrote it; `origins` go with the body that is in `text`.
    """

    text: str
    whole: bool
    moved: tuple[Moved, ...]
    warnings: tuple[str, ...]
    description: str
    reason: Fit | None = None
    origins: tuple[Origin, ...] = ()


def fit(subject: Subject, caps: Iterable[Cap]) -> Fitted:
    """The fullest text that keeps every cap. Raises CapError, or GsdError for a field (both `over_cap`)."""
    caps = [cap for cap in caps if cap.kind == subject.kind]
    limits = [cap for cap in caps if cap.field is None]
    described, said = fields.fitted(
        subject.name,
        subject.file,
        subject.description,
        [cap for cap in caps if cap.field not in (None, "listing", "chain")],
        lambda: subject.values(subject.forms[0], subject.description),
    )
    subject = subject._replace(description=described)
    try:
        found = _fitted(subject, limits)
    except CapError as error:
        found = _strained(subject, limits, error)
    return found._replace(warnings=said + found.warnings)


def _strained(subject: Subject, limits: list[Cap], refusal: CapError) -> Fitted:
    """What is left to do when nothing lossless or declared is enough: a shorter description, a warning."""
    strict = [cap for cap in limits if cap.on_excess != "warn"]
    if len(strict) < len(limits):
        return _warned(subject, limits, strict)
    if len(subject.description) <= fields.DESCRIPTION:
        raise refusal
    shorter = fields.shrink(subject.description, fields.DESCRIPTION, "characters")
    found = _fitted(subject._replace(description=shorter), limits)
    why = f"so that its file keeps {refusal.cap.limit:,} {refusal.cap.unit}"
    said = fields.shortened(subject.name, subject.description, shorter, "characters", why)
    return found._replace(warnings=(said, *found.warnings))


def _warned(subject: Subject, limits: list[Cap], strict: list[Cap]) -> Fitted:
    """The text that keeps the strict caps only, and a sentence for each of the others that it is over."""
    try:
        found = _fitted(subject, strict)
    except CapError as error:
        found = _strained(subject, strict, error)
    said = [
        f"{subject.name} has {excess + cap.limit:,} {cap.unit}, the limit is {cap.limit:,}"
        for excess, cap in _over(found.text, limits)
    ]
    return found._replace(warnings=(*found.warnings, *said))


def _fitted(subject: Subject, limits: list[Cap]) -> Fitted:
    """The first form that keeps every cap, else the whole form with parts of it moved. Raises CapError."""
    reason: Fit | None = None
    for form in subject.forms:
        body = subject.body if form.whole else subject.pointer
        text = subject.convert(form, body, subject.description)
        over = _over(text, limits)
        if not over:
            return Fitted(text, form.whole, (), (), subject.description, reason)
        excess, cap = over[0]
        reason = reason or Fit(cap, cap.limit + excess, subject.body)
    whole = next((form for form in reversed(subject.forms) if form.whole), None)
    if whole is None:
        raise CapError(subject.name, subject.file, cap, cap.limit + excess, None)
    return _extracted(subject, whole, limits)


def _extracted(subject: Subject, form: Form, limits: list[Cap]) -> Fitted:
    """The whole form with parts of its body moved away, by the cap it is most over. Raises CapError."""
    over = _over(subject.convert(form, subject.body, subject.description), limits)
    over.sort(key=lambda item: item[0] / item[1].limit, reverse=True)
    refusal: CapError | None = None
    for declared in (False, True):
        if declared and not any(stretch.hold for stretch in subject.stretches):
            break
        for excess, cap in over:
            try:
                found, text = _Ruling(subject, form, cap, declared=declared).keep(limits)
            except CapError as error:
                refusal = error if refusal is None or error.cap is refusal.cap else refusal
                continue
            reason = Fit(cap, cap.limit + excess, subject.body, found.changes)
            said = tuple(
                f"{subject.name}: {part!r} was left out or shortened, as its author allows"
                for part in found.lost
            )
            return Fitted(text, form.whole, found.moved, said, subject.description, reason, found.origins)
    if refusal is None:
        raise ValueError("the text keeps every cap")
    raise refusal


class _Ruling:
    """Move parts away until the size that one cap counts is small enough for all of them."""

    def __init__(self, subject: Subject, form: Form, cap: Cap, *, declared: bool) -> None:
        self._subject, self._form, self._cap, self._declared = subject, form, cap, declared
        self._measure = named(cap.unit)

    def keep(self, limits: list[Cap]) -> tuple[Extracted, str]:
        """What stays and what moves, and the text of the file. Raises CapError."""
        floor, refusal = self._floor()
        least = self._written(floor)
        if _over(least[1], limits):
            size = self._measure.cost(least[1])
            raise CapError(self._subject.name, self._subject.file, self._cap, size, refusal)
        room = self._cap.limit - self._measure.cost(self._convert(""))
        for _ in range(_TRIES):
            if room <= floor:
                break
            found, text = self._written(room)
            over = _over(text, limits)
            if not over:
                return found, text
            cost = self._measure.cost(found.text)
            room = min(room, cost) - max(self._share(cost, excess, cap) for excess, cap in over)
        return least

    def _floor(self) -> tuple[int, BudgetError | None]:
        """The least room that the body can do with, and what it consists of then."""
        from gsd_install.kernel.compose import BudgetError

        try:
            self._extract(0)
        except BudgetError as refusal:
            return refusal.required, refusal
        return 0, None

    def _written(self, room: int) -> tuple[Extracted, str]:
        found = self._extract(room)
        return found, self._convert(found.text)

    def _extract(self, room: int) -> Extracted:
        # Most outputs fit: the composer is imported for those that do not.
        from gsd_install.emit.extract import extract

        subject = self._subject
        return extract(
            subject.stretches, room, self._measure, subject.spell, self._note, declared=self._declared
        )

    def _convert(self, body: str) -> str:
        return self._subject.convert(self._form, body, self._subject.description)

    def _note(self, trimmed: Trimmed) -> str:
        from gsd_install.kernel.compose import omission_note

        return f"\n{omission_note(trimmed._replace(budget=self._cap.limit))}"

    def _share(self, cost: int, excess: int, cap: Cap) -> int:
        """By how much the ruling size must fall for another cap to be kept, if all shrinks alike."""
        if cap.unit == self._cap.unit:
            return excess
        return max(1, -(-cost * excess // (cap.limit + excess)))


def _over(text: str, limits: list[Cap]) -> list[tuple[int, Cap]]:
    """The caps that the text is over, and by how much."""
    sizes = [(measure(text, cap.unit) - cap.limit, cap) for cap in limits]
    return [(excess, cap) for excess, cap in sizes if excess > 0]
