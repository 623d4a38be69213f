"""Take one value out of an answer: `phase.plans[0].id`."""

from __future__ import annotations

from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def pick(answer: object, path: str) -> object:
    """The value at `path`: names joined by dots, numbers in brackets, negative ones from the end.

    A name that has dots in it is found too: the longest one wins. Raises UsageError `bad_path` and GsdError
    `no_such_value`.
    """
    value = answer
    names = list(_names(path))
    at = 0
    while at < len(names):
        value, at = _step(value, names, at, path)
    return value


def _names(path: str) -> Iterator[str | int]:
    for part in path.split("."):
        name, *numbers = part.split("[")
        if not name and not numbers:
            raise UsageError(f"{path!r} is no path", reason="bad_path", hint="write it like a.b[0]")
        if name:
            yield name
        for number in numbers:
            digits = number.removesuffix("]")
            if digits == number or not digits.removeprefix("-").isdecimal():
                raise UsageError(f"{path!r} is no path", reason="bad_path", hint="write it like a.b[0]")
            yield int(digits)


def _step(value: object, names: list[str | int], at: int, path: str) -> tuple[object, int]:
    """The value one step on, and the number of the next name."""
    name = names[at]
    if isinstance(name, int):
        if isinstance(value, list | tuple) and -len(value) <= name < len(value):
            return value[name], at + 1
    elif isinstance(value, dict):
        for end in range(len(names), at, -1):
            key = ".".join(map(str, names[at:end]))
            if key in value:
                return value[key], end
    raise GsdError(f"there is nothing at {path!r}", reason="no_such_value", hint=_there_is(value))


def _there_is(value: object) -> str:
    if isinstance(value, dict):
        return f"there are {', '.join(map(str, value))}"
    return f"it has {len(value)} entries" if isinstance(value, list | tuple) else "it has no parts"
