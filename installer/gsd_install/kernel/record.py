"""`NamedTuple` and `TYPE_CHECKING` as in `typing`, without what makes it dear when a program starts.

Importing `typing` takes as long as thirty small classes, and `collections.namedtuple` compiles code for
each class. Here a class takes a fifth of that time: what all of them do alike stands once, and how one is
made from arguments is compiled when enough of its kind are made. Type checkers see the real ones.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any
    from typing import NamedTuple as NamedTuple
else:
    try:
        from _collections import _tuplegetter  # what `collections` reads a field with
    except ImportError:
        from operator import itemgetter

        def _tuplegetter(index: int, doc: str) -> property:
            return property(itemgetter(index), doc=doc)

    class _Record(tuple):
        """What named tuples have in common, with the names that `collections.namedtuple` gives it."""

        __slots__ = ()
        _fields = ()
        _field_defaults = {}  # noqa: RUF012 - each class has its own

        @classmethod
        def _make(cls, values: Any) -> Any:
            made = tuple.__new__(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"{cls.__name__} has {len(cls._fields)} fields, not {len(made)}")
            return made

        def _replace(self, **changes: Any) -> Any:
            made = tuple.__new__(type(self), map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"{type(self).__name__} has no field {', '.join(changes)}")
            return made

        def _asdict(self) -> dict[str, Any]:
            return dict(zip(self._fields, self, strict=True))

        def __getnewargs__(self) -> tuple[Any, ...]:
            return tuple(self)

        def __repr__(self) -> str:
            fields = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({fields})"

    _FEW = 24  # making that many one by one takes as long as compiling what makes them

    def _first(cls: type, *values: Any, **named: Any) -> Any:
        """The `__new__` of a class until it has made a few; then, or where it cannot, a compiled one."""
        owner = cls if "_made" in vars(cls) else next(one for one in cls.__mro__ if "_made" in vars(one))
        owner._made += 1
        if owner._made < _FEW:
            if len(values) == len(owner._fields) and not named:
                return tuple.__new__(cls, values)
            left = owner._fields[len(values) :]
            given = owner._field_defaults | named
            if left and not named.keys() - left and all(name in given for name in left):
                return tuple.__new__(cls, values + tuple(given[name] for name in left))
        owner.__new__ = _compiled(owner)
        return owner.__new__(cls, *values, **named)

    def _compiled(owner: type) -> Any:
        names = "".join(f"{field}, " for field in owner._fields)
        space = {"_new": tuple.__new__}
        made = eval(f"lambda _cls, {names}: _new(_cls, ({names}))", space)  # noqa: S307 - names of fields
        made.__defaults__ = tuple(owner._field_defaults.values())
        made.__name__ = "__new__"
        return made

    class _Fields(type):
        """Makes a named tuple of a class body: annotated names are fields, their values defaults."""

        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = tuple(body.get("__annotations__", ()))
            defaults = {field: body[field] for field in fields if field in body}
            if tuple(defaults) != fields[len(fields) - len(defaults) :]:
                raise TypeError(f"{name}: fields with a default come after those without")
            space = {key: value for key, value in body.items() if key not in defaults}
            for index, field in enumerate(fields):
                space[field] = _tuplegetter(index, "")
            space |= {
                "__slots__": (),
                "__match_args__": fields,
                "__new__": _first,
                "_made": 0,
                "_fields": fields,
                "_field_defaults": defaults,
            }
            return type(name, (_Record,), space)

    class NamedTuple(metaclass=_Fields):
        """What `class X(NamedTuple)` names as its base; `X` itself is a plain named tuple."""
