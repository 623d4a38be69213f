"""Values as data: identity by hash, and what a file must hold after an edit."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator

from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

APPEND = "-"

# A step is a key, or `-` at the end for a new item; a number leads into an item that is there.
Pointer = tuple[str | int, ...]


def digest(value: Any) -> str:
    """Identity of a value: independent of key order and of how it is written, strict about types."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=_tagged)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _tagged(value: object) -> list[str]:
    return [type(value).__name__, str(value)]


def trace(value: Any) -> str | None:
    """Hash of the longest string inside a compound value, by which an edited copy is recognised."""
    texts = sorted(strings(value), key=lambda text: (-len(text), text))
    return digest(texts[0]) if texts and not isinstance(value, str) else None


def bears(value: Any, mark: str) -> bool:
    """Whether a compound value still holds the string with this trace."""
    return not isinstance(value, str) and any(digest(text) == mark for text in strings(value))


def strings(value: Any) -> Iterator[str]:
    """Every string in a value, in order; the keys of mappings are none."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for child in value.values() if isinstance(value, dict) else value:
            yield from strings(child)


def depth(value: Any) -> int:
    """How many containers lie inside each other, at most."""
    levels, layer = 0, [value]
    while layer := [held for held in layer if isinstance(held, dict | list)]:
        levels += 1
        layer = [child for held in layer for child in (held.values() if isinstance(held, dict) else held)]
    return levels


def nested(steps: Pointer, value: Any) -> Any:
    """The value inside new containers, one for each step that leads to it."""
    for step in reversed(steps):
        value = [value] if step == APPEND else {step: value}
    return value


def with_entry(data: Any, pointer: Pointer, value: Any) -> Any:
    """A copy of `data` in which `value` is set, or appended where the pointer ends in `-`."""
    if not pointer:
        return value
    step, rest = pointer[0], pointer[1:]
    if step == APPEND and not rest:
        return [*(data or []), value]
    if isinstance(step, int):
        return _with_child(data, step, with_entry(data[step], rest, value))
    return {**(data or {}), step: with_entry((data or {}).get(step), rest, value)}


def with_other(data: Any, pointer: Pointer, index: int | None, value: Any) -> Any:
    """A copy of `data` in which the entry at a pointer (and index, for `-`) has another value."""
    step, rest = pointer[0], pointer[1:]
    if rest:
        return _with_child(data, step, with_other(data[step], rest, index, value))
    return _with_child(data, step if index is None else index, value)


def without(data: Any, pointer: Pointer, index: int) -> Any:
    """A copy of `data` without one item of the array that a pointer with a last `-` leads to."""
    step, rest = pointer[0], pointer[1:]
    if not rest:
        return data[:index] + data[index + 1 :]
    return _with_child(data, step, without(data[step], rest, index))


def _with_child(data: Any, step: str | int, child: Any) -> Any:
    if isinstance(step, int):
        return [*data[:step], child, *data[step + 1 :]]
    return {**data, step: child}


def outcomes(data: Any, pointer: tuple[str, ...], index: int | None) -> Iterator[Any]:
    """What `data` may become when one entry goes: alone, or with containers that it leaves empty.

    `index` is the entry's place in the array for a pointer that ends in `-`.
    """
    step, rest = pointer[0], pointer[1:]
    if not rest:
        left = _without(data, step, index)
        yield left
        if not left:
            yield None
        return
    for child in outcomes(data[step], rest, index):
        yield {**data, step: child}
        if not child:
            pruned = {key: held for key, held in data.items() if key != step}
            yield pruned
            if not pruned:
                yield None


def _without(data: Any, step: str, index: int | None) -> Any:
    if index is None:
        return {key: held for key, held in data.items() if key != step}
    return data[:index] + data[index + 1 :]
