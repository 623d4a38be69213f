"""`NamedTuple` and `TYPE_CHECKING` as in `typing`, without what makes it dear when a program starts.

Importing `typing` takes as long as thirty small classes, and its `NamedTuple` compiles the annotation of
every field. This one takes the names of the annotations as fields and leaves their text alone. Type checkers
see the real ones.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any
    from typing import NamedTuple as NamedTuple
else:
    from collections import namedtuple

    _OF_THE_CLASS = frozenset({"__annotations__", "__module__", "__qualname__"})

    class _Fields(type):
        """Makes a named tuple of a class body: annotated names are fields, their values defaults."""

        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = body.get("__annotations__", {})
            defaults = [body[field] for field in fields if field in body]
            made = namedtuple(name, fields, defaults=defaults, module=body["__module__"])  # noqa: PYI024
            made.__annotations__ = fields
            for key in body.keys() - fields.keys() - _OF_THE_CLASS:
                setattr(made, key, body[key])
            return made

    class NamedTuple(metaclass=_Fields):
        """What `class X(NamedTuple)` names as its base; `X` itself is a plain named tuple."""
