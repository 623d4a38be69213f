"""Our named tuples do what those of `typing` do."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any, Self
from typing import NamedTuple as Theirs

import pytest

from gsd_install.kernel.record import NamedTuple


class Ours(NamedTuple):
    """A point with a name."""

    x: int
    y: int = 2
    name: str = ""

    @property
    def both(self) -> int:
        return self.x + self.y

    def moved(self, by: int) -> Ours:
        return self._replace(x=self.x + by)

    @classmethod
    def origin(cls) -> Ours:
        return cls(0, 0)


class Model(Theirs):
    """A point with a name."""

    x: int
    y: int = 2
    name: str = ""


class _Plain(NamedTuple):
    x: int
    y: int


class Positive(_Plain):
    """Made by a function of its own."""

    __slots__ = ()

    def __new__(cls, x: int) -> Self:
        return super().__new__(cls, abs(x), 0)


class Nothing(NamedTuple):
    """Without a field."""


@pytest.mark.parametrize(
    "ask",
    [
        lambda cls: tuple(cls(1)),
        lambda cls: tuple(cls(1, name="a")),
        lambda cls: tuple(cls._make([1, 2, "b"])),
        lambda cls: cls(1)._asdict(),
        lambda cls: cls(1, 5)._replace(y=7).y,
        lambda cls: cls._fields,
        lambda cls: cls._field_defaults,
        lambda cls: cls.__match_args__,
        lambda cls: cls.__doc__,
        lambda cls: cls(1) == (1, 2, ""),
        lambda cls: hash(cls(1)) == hash((1, 2, "")),
        lambda cls: json.dumps(cls(1)),
        lambda cls: repr(cls(1, name="é")).partition("(")[2],
        lambda cls: cls.__slots__,
        lambda cls: hasattr(cls(1), "__dict__"),
    ],
)
def test_they_answer_alike(ask: Callable[[Any], Any]) -> None:
    assert ask(Ours) == ask(Model)


@pytest.mark.parametrize(
    "make",
    [
        lambda cls: cls(),
        lambda cls: cls(1, 2, "", 4),
        lambda cls: cls(1, x=1),
        lambda cls: cls(1, z=1),
        lambda cls: cls._make([1]),
        lambda cls: cls(1)._replace(z=1),
        lambda cls: setattr(cls(1), "x", 2),
    ],
)
def test_they_refuse_alike(make: Callable[[Any], Any]) -> None:
    with pytest.raises((TypeError, ValueError, AttributeError)) as theirs:
        make(Model)
    for _ in range(60):  # the first calls of a class go another way
        with pytest.raises(theirs.type):
            make(Ours)


def test_the_first_and_the_many_are_alike() -> None:
    class Fresh(NamedTuple):
        x: int
        y: int = 2

    ways = [lambda: Fresh(1), lambda: Fresh(1, 2), lambda: Fresh(y=2, x=1), lambda: Fresh(1, y=2)]
    made = [way() for _ in range(20) for way in ways]
    assert set(made) == {(1, 2)}
    assert {type(one) for one in made} == {Fresh}


def test_methods_properties_and_matching_work() -> None:
    assert (Ours(1).both, Ours(1).moved(2), Ours.origin()) == (3, Ours(3), Ours(0, 0))
    match Ours(1, 2, "a"):
        case Ours(x, _, name):
            assert (x, name) == (1, "a")


def test_they_travel() -> None:
    assert pickle.loads(pickle.dumps(Ours(1))) == Ours(1)
    assert type(copy.deepcopy(Ours(1))) is Ours


def test_a_class_may_say_how_one_of_its_own_is_made() -> None:
    assert [Positive(-1), Positive(2)] == [(1, 0), (2, 0)]
    assert type(Positive(1)._replace(y=3)) is Positive
    assert _Plain(3, 4) == (3, 4)


def test_one_without_a_field() -> None:
    assert (Nothing(), repr(Nothing())) == ((), "Nothing()")


def test_a_field_without_a_default_behind_one_that_has_it_is_refused() -> None:
    with pytest.raises(TypeError, match="Bad"):
        type(NamedTuple)("Bad", (NamedTuple,), {"__annotations__": {"x": "int", "y": "int"}, "x": 1})
