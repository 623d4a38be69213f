"""What `gsd-tools packs` refuses, and the forms of lists that it reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.packs import answered, ask, tool


@pytest.mark.parametrize("key", ["inputSchema", "input_schema", "schema", "parameters"])
@pytest.mark.parametrize("wrapped", [True, False])
def test_lists_are_read_as_servers_and_providers_write_them(
    tmp_path: Path, key: str, *, wrapped: bool
) -> None:
    schema = {"type": "object", "properties": {"q": {"type": "string"}}}
    items = [{"name": "shell", "description": None, key: schema}]
    (tmp_path / "tools.json").write_text(json.dumps({"tools": items} if wrapped else items), encoding="utf-8")
    fit = ask(tmp_path, "fit", "chat", "--tools", "tools.json")
    assert fit["tools"] == [{"name": "shell", "description": "", "input_schema": schema}]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "3",
        '{"tool": []}',
        "[1]",
        '[{"name": ""}]',
        '[{"name": "a", "inputSchema": 1}]',
        '[{"name": "a", "source": 1}]',
    ],
)
def test_what_is_no_list_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "tools.json").write_text(text, encoding="utf-8")
    code, error = answered(tmp_path, "fit", "chat", "--tools", "tools.json")
    assert (code, error["reason"], error["file"]) == (1, "bad_tools", "tools.json")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    code, error = answered(tmp_path, "fit", "chat", "--tools", "none.json")
    assert (code, error["reason"], error["file"]) == (1, "unreadable", "none.json")


@pytest.mark.parametrize(
    "words",
    ["list chat", "show", "show chat review", "fit", "fit chat", "discover s", "discover s chat", "called s"],
)
def test_words_that_are_missing_or_too_many_are_usage(tmp_path: Path, words: str) -> None:
    code, error = answered(tmp_path, *words.split())
    assert (code, error["reason"]) == (2, "usage")
    assert f"packs {words.split()[0]}" in error["hint"]


def test_the_first_of_two_tools_of_one_name_counts(tmp_path: Path) -> None:
    fit = ask(tmp_path, "fit", "chat", tools=[tool("shell", 3), tool("shell", 300)])
    assert [one["description"] for one in fit["tools"]] == ["word word word"]
