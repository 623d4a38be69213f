from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from gsd_install.content.model import Document
from gsd_install.emit.draft import description_of, draft
from gsd_install.runtime import Draft, Field, Home, Place, Runtime, inline, markdown
from gsd_install.runtime.words import FieldValue

ACME = Runtime(
    "acme",
    "Acme",
    Home("~/.acme"),
    ".acme",
    (Place("command", "{name}.md", (inline,)),),
    tools={"read": "Read", "search": "Grep", "find": "Grep", "run": "Bash"},
)


def made(*fields: str | Field, meta: Mapping[str, Any] | None = None, id: str = "plan-phase") -> Draft:  # noqa: A002
    document = Document("agent", id, f"agents/{id}.md", meta or {}, (), False)
    return draft(
        document,
        markdown(*fields),
        ACME,
        name="ac-x",
        body="BODY",
        payload="~/.gsd",
        description=description_of(document),
    )


def fields(*wanted: str | Field, **meta: Any) -> dict[str, FieldValue]:
    return dict(made(*wanted, meta={key.replace("_", "-"): value for key, value in meta.items()}).fields)


def test_a_draft_holds_what_a_converter_needs() -> None:
    found = made("name", meta={"description": "Plans", "title": "Planner"})
    assert found == Draft("agent", "ac-x", "Planner", "Plans", {"name": "ac-x"}, "BODY")


@pytest.mark.parametrize(
    ("id", "title"), [("plan-phase", "Plan phase"), ("git/commit-rules", "Commit rules"), ("x", "X")]
)
def test_a_title_is_the_id_in_words_where_none_is_given(id: str, title: str) -> None:  # noqa: A002
    assert made(id=id).title == title
    assert made(id=id, meta={"title": "  "}).title == title


@pytest.mark.case("FM-02")
def test_title_and_description_are_one_line() -> None:
    found = made("title", "description", meta={"title": "A\n  title ", "description": " One\n\n two\tthree "})
    assert (found.title, found.description) == ("A title", "One two three")
    assert found.fields == {"title": "A title", "description": "One two three"}


def test_fields_come_in_the_order_of_the_form_under_its_keys() -> None:
    found = made(
        Field("z", "description"), Field("a", "name"), "effort", meta={"description": "d", "effort": "heavy"}
    )
    assert list(found.fields.items()) == [("z", "d"), ("a", "ac-x"), ("effort", "heavy")]


def test_a_field_the_document_does_not_have_leaves_its_key_out() -> None:
    assert fields("argument-hint", "license", "name") == {"name": "ac-x"}
    assert fields("argument-hint", argument_hint="<phase>") == {"argument-hint": "<phase>"}


def test_what_is_not_said_has_its_default() -> None:
    assert fields("access", "effort") == {"access": "write", "effort": "standard"}


def test_the_body_may_stand_in_a_field() -> None:
    assert fields(Field("developer_instructions", "body")) == {"developer_instructions": "BODY"}


def test_the_name_is_the_installed_one_even_where_the_source_has_its_own() -> None:
    assert fields("name", name="other") == {"name": "ac-x"}


@pytest.mark.parametrize(
    ("constant", "value"),
    [
        ("subagent", "subagent"),
        (True, True),
        (False, False),
        (0, 0),
        ("Read({payload}/**)", "Read(~/.gsd/**)"),
        (["Read({payload}/**)", "x"], ["Read(~/.gsd/**)", "x"]),
        ({"read": {"path": "{payload}"}, "n": 1}, {"read": {"path": "~/.gsd"}, "n": 1}),
    ],
)
def test_a_constant_is_written_as_it_is_with_the_payload_filled_in(
    constant: FieldValue, value: FieldValue
) -> None:
    assert fields(Field("k", constant=constant)) == {"k": value}


@pytest.mark.parametrize(("access", "value"), [("read", "read-only"), ("write", "workspace-write")])
def test_a_value_is_looked_up_in_the_hosts_words(access: str, value: str) -> None:
    words = (("read", "read-only"), ("write", "workspace-write"))
    assert fields(Field("sandbox_mode", "access", values=words), access=access) == {"sandbox_mode": value}


def test_a_value_the_host_has_no_word_for_leaves_its_key_out() -> None:
    assert fields(Field("model", "effort", values=(("heavy", "big"),)), effort="light") == {}
    assert fields(Field("model", "license", values=(("None", "x"),))) == {}


def test_a_list_is_looked_up_item_by_item() -> None:
    words = (("plan", "p"), ("ship", "s"))
    assert fields(Field("needs", "requires", values=words), requires=["ship", "x", "plan"]) == {
        "needs": ["s", "p"]
    }
    assert fields(Field("needs", "requires", values=words, join=","), requires=["ship", "plan"]) == {
        "needs": "s,p"
    }
    assert fields(Field("needs", "requires", values=words), requires=["x"]) == {}


@pytest.mark.case("FM-05")
def test_actions_become_the_hosts_tools_once_each_and_unknown_ones_are_left_out() -> None:
    assert fields("tools", tools=["run", "todo", "search", "read", "find"]) == {
        "tools": ["Bash", "Grep", "Read"]
    }
    assert fields(Field("tools", join=", "), tools=["read", "run"]) == {"tools": "Read, Bash"}
    assert fields("tools", tools=["todo"]) == {}
    assert fields(Field("tools", join=", "), tools=["todo"]) == {}
    assert fields("tools") == {}


def test_a_description_that_was_shortened_replaces_the_one_of_the_source() -> None:
    document = Document("agent", "x", "agents/x.md", {"description": "long words"}, (), False)
    found = draft(
        document, markdown("description"), ACME, name="n", body="b", payload="p", description="long\u2026"
    )
    assert (found.description, found.fields) == ("long\u2026", {"description": "long\u2026"})
