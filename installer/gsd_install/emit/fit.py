"""Make one output fit the limits its runtime declares, losing nothing where that is possible."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.measure import measure
from gsd_install.runtime.model import Cap, Form


class Subject(NamedTuple):
    """One document about to be written.

    `convert(form, body, description)` gives the text of the file; `body` is the final text and
    `pointer` what stands in its place in a form that holds only a pointer. `file` names the source.
    """

    kind: str
    name: str
    file: str
    forms: tuple[Form, ...]
    body: str
    pointer: str
    description: str
    convert: Callable[[Form, str, str], str]


class Fitted(NamedTuple):
    """`text` is what to write; `whole` tells whether it holds the body or the pointer."""

    text: str
    whole: bool
    warnings: tuple[str, ...]


def fit(subject: Subject, caps: Iterable[Cap]) -> Fitted:
    """The first form that keeps every cap. Raises GsdError with reason `over_cap` when none does."""
    file_caps = [cap for cap in caps if cap.kind == subject.kind and cap.field is None]
    description, warnings = _fields(subject, [cap for cap in caps if cap.kind == subject.kind and cap.field])
    smallest: tuple[int, Cap] | None = None
    for form in subject.forms:
        text = subject.convert(form, subject.body if form.whole else subject.pointer, description)
        over = [(cost, cap) for cap in file_caps if (cost := measure(text, cap.unit)) > cap.limit]
        if not over:
            return Fitted(text, form.whole, warnings)
        worst = max(over, key=lambda item: item[0] - item[1].limit)
        if smallest is None or worst[0] < smallest[0]:
            smallest = worst
    if smallest is None:
        raise ValueError(f"{subject.name} has no form")
    raise _over(subject, *smallest)


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
            warnings.append(f"{subject.name}: description cut from {size:,} to {now:,} {cap.unit}, the limit is {cap.limit:,}")
        elif cap.on_excess == "warn":
            warnings.append(f"{subject.name}: {cap.field} has {size:,} {cap.unit}, the limit is {cap.limit:,}")
        else:
            raise GsdError(
                f"the {cap.field} of {subject.name} has {size:,} {cap.unit}, the limit is {cap.limit:,}",
                reason="over_cap", file=subject.file, hint=f"shorten the {cap.field}",
            )
    return description, tuple(warnings)


def shrink(text: str, cap: Cap) -> str:
    """`text` cut at a word so that it ends in an ellipsis and keeps the cap."""
    words = text.split(" ")
    low, high = 0, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        if measure(" ".join(words[:middle]) + "…", cap.unit) <= cap.limit:
            low = middle
        else:
            high = middle - 1
    return " ".join(words[:low]).rstrip(" ,;:") + "…"


def _over(subject: Subject, cost: int, cap: Cap) -> GsdError:
    return GsdError(
        f"{subject.name} needs {cost:,} {cap.unit} in its smallest form, the limit is {cap.limit:,}",
        reason="over_cap", file=subject.file,
        hint="shorten it, or move text to a reference and point at it",
    )
