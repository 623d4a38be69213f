"""What plugins answered, as JSON: written when the package is built, read instead of asking again.

Plugins say the same things of many hosts. So a pack is a list of rows, each a tuple of values in which `[n]`
stands for row n, and every row is written and made once.
"""

from __future__ import annotations

from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.runtime import model

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

# What the first item of a row says it is: a plain tuple, a list, or a named tuple by position.
_TUPLE, _LIST = "", "[]"
_CLASSES = (
    "Ask",
    "Cap",
    "Entry",
    "Field",
    "Form",
    "Home",
    "Place",
    "Rewrite",
    "Runtime",
    "Source",
    "Surface",
)


class Packer:
    """Takes values of the runtime model; `rows` hold them in JSON's types."""

    def __init__(self) -> None:
        self.rows: list[list[Any]] = []
        self._known: dict[str, int] = {}

    def put(self, value: Any) -> Any:
        """How a value stands in a row: a scalar as it is, a tuple or list as `[row]`, a mapping by key."""
        if isinstance(value, (tuple, list)):
            return [self._row([_name(value), *(self.put(item) for item in value)])]
        if hasattr(value, "items"):
            return {key: self.put(item) for key, item in value.items()}
        return value

    def _row(self, row: list[Any]) -> int:
        number = self._known.setdefault(repr(row), len(self.rows))
        if number == len(self.rows):
            self.rows.append(row)
        return number


class Unpacker:
    """Makes the values that a `Packer` was given, each row when it is first needed."""

    __slots__ = ("_made", "_rows")

    def __init__(self, rows: Sequence[list[Any]]) -> None:
        self._rows = rows
        self._made: dict[int, Any] = {}

    def get(self, stored: Any) -> Any:
        """The value that stands in a row as `stored`."""
        if stored.__class__ is list:
            (number,) = stored
            made = self._made.get(number)
            return self._make(number) if made is None else made
        if stored.__class__ is dict:
            return {key: self.get(item) for key, item in stored.items()}
        return stored

    def _make(self, number: int) -> Any:
        name, *items = self._rows[number]
        values = [self.get(item) if item.__class__ in _NESTED else item for item in items]
        if name == _LIST:
            made: Any = values
        else:
            made = getattr(model, name)._make(values) if name else tuple(values)
        self._made[number] = made
        return made


_NESTED = (list, dict)


def _name(value: Any) -> str:
    if isinstance(value, list):
        return _LIST
    name = type(value).__name__
    return name if name in _CLASSES else _TUPLE
