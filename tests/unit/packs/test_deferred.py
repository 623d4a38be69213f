"""The list of tools that wait: its limit, its words, and where it does not stand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.learning import limits
from gsd_capabilities.packs.deferred import listing
from gsd_capabilities.packs.tool import Tool
from gsd_capabilities.packs.tools import CORE
from support.packs import ask, project, tool

TOOLS = st.lists(
    st.builds(
        Tool,
        st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=60),
        st.text(max_size=120),
        st.just({}),
    ),
    unique_by=lambda one: one.name,
    max_size=60,
)


@pytest.mark.req("ECO-const-deferred-catalog", "S-catalog-not-in-tooldef")
@settings(max_examples=80, deadline=None)
@given(TOOLS)
def test_a_list_has_a_line_a_tool_within_its_limit(tools: list[Tool]) -> None:
    text = listing(tools)
    assert len(text) <= 1_500 == limits.DEFERRED_CATALOG_MAX_CHARS
    rows = text.split("\n") if text else []
    told = rows.pop() if rows and rows[-1].startswith("and ") and "more:" in rows[-1] else ""
    names = {one.name for one in tools}
    assert {row.partition(": ")[0] for row in rows} <= names
    assert all(len(row.partition(": ")[2]) <= 40 for row in rows)
    missing = len(tools) - len(rows)
    assert told == (f"and {missing} more: ask with a query" if missing else "")


def test_words_give_way_before_names() -> None:
    few = listing([tool("web__a", 3), tool("web__b", 100)])
    assert few.splitlines()[0] == "web__a: word word word"
    assert few.splitlines()[1].startswith("web__b: word word")
    many = listing([tool(f"web__tool{at:02}", 100) for at in range(100)]).splitlines()
    assert len(many) == 100
    assert many[0].startswith("web__tool00: word")
    assert many[-1] == "web__tool99"
    more = listing([tool(f"web__tool{at:03}", 100) for at in range(200)]).splitlines()
    assert more[0] == "web__tool000"
    assert more[-1] == f"and {200 - len(more) + 1} more: ask with a query"


@pytest.mark.req("S-catalog-not-in-tooldef")
def test_what_waits_is_in_no_definition(tmp_path: Path) -> None:
    folder = project(tmp_path)
    none = ask(folder, "fit", "chat", "--core")
    many = [tool(f"web__tool{at}", 50) for at in range(200)]
    fit = ask(folder, "fit", "chat", "--core", tools=many)
    assert fit["tools"] == none["tools"]  # not even the description of discovery
    assert "web__" not in json.dumps(fit["tools"])
    assert 0 < len(fit["catalog"]) <= 1_500
    asked = ask(folder, "discover", "s", "chat", "--core", tools=many)
    assert asked["catalog"] == fit["catalog"]
    some = ask(folder, "discover", "s", "chat", "--core", "--query", "TOOL199 word", tools=many)
    assert some["catalog"].splitlines()[0].startswith("web__tool199: ")
    assert len(some["catalog"].splitlines()) == 1
    assert CORE["discover_tools"].description in json.dumps(fit["tools"])
