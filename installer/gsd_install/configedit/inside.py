"""Take and update the elements of an entry that the user put something of theirs into.

Only our elements are touched, one after the other, and each step is read again before the next.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gsd_install.configedit.document import Document, Slot
from gsd_install.configedit.parts import At, Mark, elements, marks_of, parts, shape
from gsd_install.configedit.values import Pointer, digest, with_entry, with_other, without

# Reads a new body, which must hold the given data.
Reread = Callable[[str, Any], Document]


def base(pointer: tuple[str, ...], index: int | None) -> Pointer:
    """The pointer to an entry itself; `index` is its place for one that was appended to an array."""
    return pointer if index is None else (*pointer[:-1], index)


def take(document: Document, entry: Pointer, marks: list[Mark], reread: Reread) -> Document:
    """The file without our elements in an entry; a list that they leave empty stays, as `[]`."""
    for mark in elements(marks):
        document = _erase(document, (*entry, *mark.at), mark.hash, reread)
    return document


def update(
    document: Document, entry: Pointer, marks: list[Mark], value: Any, reread: Reread
) -> Document | None:
    """The file with the elements of `value` in the place of ours; None when more than elements differs."""
    if shape(marks) != shape(marks_of(value)):
        return None
    for at in dict.fromkeys(mark.at for mark in elements(marks)):
        document = _exchange(document, entry, at, marks, value, reread)
    return document


def _exchange(
    document: Document, entry: Pointer, at: At, marks: list[Mark], value: Any, reread: Reread
) -> Document:
    """Make one list hold our new elements: replace as far as there are old ones, then add or remove."""
    pointer = (*entry, *at)
    old = [mark.hash for mark in marks if mark.at == at]
    new: list[Any] = []
    for part in parts(value):
        if part.at != at:
            continue
        if digest(part.value) in old:
            old.remove(digest(part.value))
        else:
            new.append(part.value)
    for mark, element in zip(old, new, strict=False):
        document = _replace(document, pointer, mark, element, reread)
    for element in new[len(old) :]:
        body = document.insert(pointer, element).body
        document = reread(body, with_entry(document.data(), pointer, element))
    for mark in old[len(new) :]:
        document = _erase(document, pointer, mark, reread)
    return document


def _replace(document: Document, pointer: Pointer, mark: str, element: Any, reread: Reread) -> Document:
    slots = document.slots(pointer)
    at = _last(slots, mark)
    body = document.replace(pointer, slots[at], element)
    return reread(body, with_other(document.data(), pointer, at, element))


def _erase(document: Document, pointer: Pointer, mark: str, reread: Reread) -> Document:
    slots = document.slots(pointer)
    at = _last(slots, mark)
    if len(slots) == 1:
        holder = pointer[:-1]
        body = document.replace(holder, document.slots(holder)[-1], [])
        return reread(body, with_other(document.data(), holder, None, []))
    depth = len(pointer)
    left = document.delete(pointer, slots[at], made=depth, theirs=depth)
    return reread(left or "", without(document.data(), pointer, at))


def _last(slots: list[Slot], mark: str) -> int:
    """The place of our element in its list: of equal ones the last."""
    hashes = [digest(slot.value) for slot in slots]
    return len(hashes) - 1 - hashes[::-1].index(mark)
