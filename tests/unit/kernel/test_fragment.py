"""The five strategies and the rules a fragment may carry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.fragment import (
    OMITTED,
    STRATEGIES,
    Fragment,
    Rendition,
    drop,
    extract,
    head_shrink,
    proportional_truncate,
    verbatim,
)

TEXT = "one\ntwo\nthree\n"
FULL = Rendition("full", TEXT, len(TEXT))


@pytest.mark.req("ADR1671-strategies-closed")
def test_each_strategy_has_its_renditions() -> None:
    made = (
        verbatim("v", TEXT),
        head_shrink("h", TEXT, 2),
        proportional_truncate("p", TEXT),
        drop("d", TEXT),
        extract("e", TEXT, "see two.md\n"),
    )
    assert tuple(fragment.strategy for fragment in made) == STRATEGIES
    assert [fragment.renditions for fragment in made] == [
        (FULL,),
        (FULL, Rendition("shrunk", "one\ntwo\n", 8)),
        (FULL,),
        (FULL, OMITTED),
        (FULL, Rendition("pointer", "see two.md\n")),
    ]
    assert [fragment.load_bearing for fragment in made] == [True, False, False, False, False]
    assert {fragment.source for fragment in made} == {TEXT}


def test_a_text_may_have_shorter_renditions_before_it_is_dropped() -> None:
    outline, pointer = Rendition("outline", "one, two"), Rendition("pointer", "two.md")
    assert drop("d", TEXT, (outline, pointer)).renditions == (FULL, outline, pointer, OMITTED)


def test_a_head_of_no_lines_is_nothing() -> None:
    assert head_shrink("h", TEXT, 0).renditions == (FULL, OMITTED)


@pytest.mark.parametrize(
    ("rules", "plain"),
    [
        ({}, True),
        ({"tier": 3, "priority": 9}, True),
        ({"wrapper": "# h\n"}, False),
        ({"group": "g"}, False),
        ({"floor": 1}, False),
        ({"ceiling": 0}, False),
        ({"requires": ("x",)}, False),
        ({"isolate": True}, False),
    ],
)
def test_a_fragment_without_rules_is_plain(rules: dict[str, Any], plain: bool) -> None:
    assert drop("d", TEXT, **rules).plain is plain


@pytest.mark.parametrize(
    "made",
    [
        verbatim("v", TEXT),
        head_shrink("h", TEXT, 1),
        proportional_truncate("p", TEXT),
        extract("e", TEXT, "p"),
    ],
)
def test_only_a_droppable_text_is_plain(made: Fragment) -> None:
    assert not made.plain


@pytest.mark.req("ADR1671-strategies-closed")
def test_an_unknown_strategy_is_refused() -> None:
    strategy: Any = "summarise"
    with pytest.raises(GsdError, match="unknown strategy 'summarise'") as caught:
        Fragment("x", (FULL,), strategy)
    assert caught.value.reason == "bad_fragment"


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: verbatim("", TEXT), "has no id"),
        (lambda: Fragment("x", (), "drop"), "whole text"),
        (lambda: Fragment("x", (OMITTED,), "drop"), "whole text"),
        (lambda: Fragment("x", (Rendition("full", TEXT, 2),), "drop"), "whole text"),
        (lambda: Fragment("x", (FULL, OMITTED), "verbatim"), "second rendition"),
        (lambda: Fragment("x", (FULL, Rendition("pointer", "p")), "drop"), "being left out"),
        (lambda: Fragment("x", (FULL,), "drop"), "being left out"),
        (lambda: Fragment("x", (FULL, OMITTED), "proportional-truncate"), "second rendition"),
        (lambda: proportional_truncate("x", TEXT, boundary="page"), "unknown boundary"),  # type: ignore[arg-type]
        (lambda: extract("x", TEXT, ""), "is empty"),
        (lambda: drop("x", TEXT, (Rendition("omitted", "not"),)), "is not empty"),
        (lambda: drop("x", TEXT, (Rendition("shrunk", "two", 3),)), "does not begin like"),
        (lambda: drop("x", TEXT, (Rendition("shrunk", TEXT, 99),)), "does not begin like"),
        (lambda: drop("x", TEXT, floor=-1), "has the floor -1"),
        (lambda: drop("x", TEXT, floor=5, ceiling=4), "floor 5 above its ceiling 4"),
        (lambda: drop("x", TEXT, isolate=True, group="g"), "fixed prefix and of a group"),
        (lambda: drop("x", TEXT, requires=("y", "x")), "requires itself"),
    ],
)
def test_rules_that_contradict_each_other_are_refused(make: Callable[[], Fragment], problem: str) -> None:
    with pytest.raises(GsdError, match=problem) as caught:
        make()
    assert caught.value.reason == "bad_fragment"


def test_a_fragment_is_a_value() -> None:
    assert drop("d", TEXT) == drop("d", TEXT)
    assert len({drop("d", TEXT), drop("d", TEXT), drop("e", TEXT)}) == 2
    with pytest.raises(AttributeError):
        drop("d", TEXT).tier = 1  # type: ignore[misc]
