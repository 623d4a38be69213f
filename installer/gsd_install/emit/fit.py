"""Make one output fit the limits its runtime declares: lossless steps first, never a silent cut.

The order is the design's: as it is; the next declared form; parts moved to files beside it; declared
shrinks and drops; then what the cap says. Sizes are those of the text as it will be written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from gsd_install.emit.text import Stretch
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.measure import measure, named
from gsd_install.runtime.model import Cap, Form

if TYPE_CHECKING:
    from gsd_install.emit.extract import Extracted, Moved
    from gsd_install.kernel.compose import BudgetError

_TRIES = 6


class CapError(GsdError):
    """A document cannot be made to fit. `required` and `available` are in the cap's unit.

    `contributors` are the largest parts with their sizes, `fits` the parts that would fit.
    """

    def __init__(self, name: str, file: str, cap: Cap, refusal: BudgetError) -> None:
        largest = ", ".join(f"{part} ({size:,})" for part, size in refusal.contributors)
        super().__init__(
            f"{name} cannot be made to fit {cap.limit:,} {cap.unit}: "
            f"{refusal.required:,} are needed for the text that must stay, {refusal.available:,} are left for it",
            reason="over_cap",
            file=file,
            hint=f"shorten the largest parts: {largest}" if largest else "shorten its frontmatter",
        )
        self.required = refusal.required
        self.available = refusal.available
        self.contributors = refusal.contributors
        self.fits = refusal.fits


class Subject(NamedTuple):
    """One document about to be written.

    `convert(form, body, description)` gives the text of the file; `stretches` are its body and `pointer`
    what stands in its place in a form that holds only a pointer. `spell` gives the path of a part that
    moves beside it, by file name, as an agent reads it. `file` names the source.
    """

    kind: str
    name: str
    file: str
    forms: tuple[Form, ...]
    stretches: tuple[Stretch, ...]
    pointer: str
    description: str
    convert: Callable[[Form, str, str], str]
    spell: Callable[[str], str]


class Fitted(NamedTuple):
    """`text` is what to write; `whole` tells whether it holds the body or points at it.

    `moved` are the parts that stand beside it; `lost` says that something declared was dropped or cut.
    """

    text: str
    whole: bool
    moved: tuple[Moved, ...]
    warnings: tuple[str, ...]


def fit(subject: Subject, caps: Iterable[Cap]) -> Fitted:
    """The fullest text that keeps every cap. Raises CapError, or GsdError for a field (both `over_cap`)."""
    caps = [cap for cap in caps if cap.kind == subject.kind]
    description, warnings = _fields(subject, [cap for cap in caps if cap.field in _FIELDS])
    limits = [cap for cap in caps if cap.field is None]
    body = "".join(stretch.text for stretch in subject.stretches)
    for form in subject.forms:
        text = subject.convert(form, body if form.whole else subject.pointer, description)
        if not _over(text, limits):
            return Fitted(text, form.whole, (), warnings)
    whole = next((form for form in reversed(subject.forms) if form.whole), None)
    if whole is None:
        raise GsdError(
            f"the pointer to {subject.name} alone is over {_worst(text, limits).limit:,}",
            reason="over_cap", file=subject.file,
        )
    return _extracted(subject, whole, description, limits, warnings)


def _extracted(
    subject: Subject, form: Form, description: str, limits: list[Cap], warnings: tuple[str, ...]
) -> Fitted:
    """The whole form with parts of its body moved away; what the dialect adds is learnt by writing it."""
    # Most outputs fit: the composer is imported for those that do not.
    from gsd_install.emit.extract import extract
    from gsd_install.kernel.compose import BudgetError

    cap = _worst(subject.convert(form, "".join(s.text for s in subject.stretches), description), limits)
    used = named(cap.unit)
    room = cap.limit - used.cost(subject.convert(form, "", description))
    for _ in range(_TRIES):
        try:
            found = extract(subject.stretches, max(room, 0), used, subject.spell)
        except BudgetError as refusal:
            if cap.on_excess == "warn":
                return _warned(subject, form, description, cap, warnings)
            raise CapError(subject.name, subject.file, cap, refusal) from refusal
        text = subject.convert(form, found.text, description)
        over = _over(text, limits)
        if not over:
            return Fitted(text, True, found.moved, (*warnings, *_losses(subject, found)))
        room -= max(excess if other.unit == cap.unit else max(1, room // 8) for excess, other in over)
    raise GsdError(
        f"{subject.name} cannot be made to fit {cap.limit:,} {cap.unit}", reason="over_cap", file=subject.file,
        hint="shorten it, or move text to a reference and point at it",
    )


def _warned(subject: Subject, form: Form, description: str, cap: Cap, warnings: tuple[str, ...]) -> Fitted:
    text = subject.convert(form, "".join(stretch.text for stretch in subject.stretches), description)
    size = measure(text, cap.unit)
    return Fitted(
        text, True, (), (*warnings, f"{subject.name} has {size:,} {cap.unit}, the limit is {cap.limit:,}")
    )


def _losses(subject: Subject, found: Extracted) -> tuple[str, ...]:
    return tuple(f"{subject.name}: {part} was left out or shortened, as its author allows" for part in found.lost)


def _over(text: str, limits: list[Cap]) -> list[tuple[int, Cap]]:
    sizes = [(measure(text, cap.unit) - cap.limit, cap) for cap in limits]
    return [(excess, cap) for excess, cap in sizes if excess > 0]


def _worst(text: str, limits: list[Cap]) -> Cap:
    return max(_over(text, limits), key=lambda item: item[0] / item[1].limit)[1]


# Fields of a document that a cap may limit.
_FIELDS = ("name", "description", "compatibility")


def _fields(subject: Subject, caps: list[Cap]) -> tuple[str, tuple[str, ...]]:
    description, warnings = subject.description, []
    for cap in caps:
        value = {"name": subject.name, "description": description}.get(cap.field or "", "")
        size = measure(value, cap.unit)
        if size <= cap.limit:
            continue
        if cap.field == "description" and cap.on_excess == "shrink":
            description = shrink(value, cap)
            now = measure(description, cap.unit)
            warnings.append(
                f"{subject.name}: description cut from {size:,} to {now:,} {cap.unit}, the limit is {cap.limit:,}"
            )
        elif cap.on_excess == "warn":
            warnings.append(f"{subject.name}: {cap.field} has {size:,} {cap.unit}, the limit is {cap.limit:,}")
        else:
            raise GsdError(
                f"the {cap.field} of {subject.name} has {size:,} {cap.unit}, the limit is {cap.limit:,}",
                reason="over_cap",
                file=subject.file,
                hint=f"shorten the {cap.field}",
            )
    return description, tuple(warnings)


def shrink(text: str, cap: Cap) -> str:
    """`text` cut at a word and ended with an ellipsis so that it keeps the cap; the composer cuts it."""
    from gsd_install.kernel.compose import compose
    from gsd_install.kernel.fragment import proportional_truncate

    whole = proportional_truncate("description", text, boundary="word", ending="…")
    return compose([whole], cap.limit, named(cap.unit), note=None).text
