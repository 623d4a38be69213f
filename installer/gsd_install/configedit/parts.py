"""The parts of an entry by which it is known again after the user put something of theirs into it.

Maps that stand in a list are elements: each is a thing of its own, as a command among the hooks of one
matcher. Everything else of the entry is the shape that they stand in. A user who adds an element or a
key makes the shape theirs too; then only our elements come and go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from gsd_install.configedit.values import APPEND, digest
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

At = tuple[str, ...]


class Part(NamedTuple):
    """A value at a place inside an entry; the place of an element ends in `-`."""

    at: At
    value: Any


class Mark(NamedTuple):
    """What a receipt keeps of a part: its place, and the hash of its value."""

    at: At
    hash: str


def parts(value: Any) -> list[Part]:
    """The parts of a value in order; none when it has no elements, so that it is one whole."""
    found = _parts(value, ())
    is_clear = all(APPEND not in part.at[:-1] for part in found)
    return found if is_clear and any(part.at[-1:] == (APPEND,) for part in found) else []


def marks_of(value: Any) -> list[Mark]:
    """The marks of a value's parts."""
    return [Mark(part.at, digest(part.value)) for part in parts(value)]


def marks_in(receipt: Mapping[str, Any]) -> list[Mark]:
    """The marks that a receipt holds."""
    return [Mark(tuple(at), mark) for at, mark in receipt.get("parts", ())]


def elements(marks: list[Mark]) -> list[Mark]:
    """Those marks that are of elements."""
    return [mark for mark in marks if mark.at[-1] == APPEND]


def shape(marks: list[Mark]) -> set[tuple[At, str]]:
    """What has to be equal for two values to differ in their elements only."""
    return {(mark.at, "" if mark.at[-1] == APPEND else mark.hash) for mark in marks}


def holds(value: Any, marks: list[Mark]) -> bool:
    """Whether a value has all the marked parts, whatever else is in it."""
    if not marks:
        return False
    wanted: dict[At, list[str]] = {}
    for mark in marks:
        wanted.setdefault(mark.at, []).append(mark.hash)
    return all(Counter(hashes) <= Counter(_hashes(value, at)) for at, hashes in wanted.items())


def _parts(value: Any, at: At) -> list[Part]:
    if isinstance(value, dict) and value:
        # A key `-` would be taken for the step into a list.
        keys = ((*at, APPEND, key) if key == APPEND else (*at, key) for key in value)
        return [part for key, held in zip(keys, value.values(), strict=True) for part in _parts(held, key)]
    if isinstance(value, list) and any(isinstance(held, dict) for held in value):
        return [Part((*at, APPEND), held) for held in value]
    return [Part(at, value)]


def _hashes(value: Any, at: At) -> list[str]:
    """The hashes of what stands at a place: one of a key, any number of elements."""
    for step in at[:-1] if at[-1] == APPEND else at:
        if not isinstance(value, dict) or step not in value:
            return []
        value = value[step]
    if at[-1] != APPEND:
        return [digest(value)]
    return [digest(held) for held in value] if isinstance(value, list) else []
