"""Something of the user's inside an entry of ours: theirs and the shape stay, exactly ours comes and goes."""

from __future__ import annotations

from typing import Any

import pytest

from gsd_install.configedit.edit import Receipt, load, put, state, take, update
from gsd_install.kernel.errors import GsdError

START = ("hooks", "Start", "-")
OURS = {"type": "command", "command": "gsd hook"}
GROUP = {"matcher": "Edit", "hooks": [OURS]}
THEIRS = {"command": "mine"}
BEFORE = {"jsonc": b'{\n  "a": 1 // c\n}\n', "toml": b"a = 1 # c\n", "yaml": b"a: 1 # c\n"}
# An element of theirs behind ours, and a key of theirs in the group.
ADDED = {
    "jsonc": ('            "command": "gsd hook"\n          }', ' /* 1 */, {"command": "mine"}'),
    "toml": ('{ type = "command", command = "gsd hook" }', ', { command = "mine" }'),
    "yaml": ("command: gsd hook", "\n        - command: mine # 1"),
}
BESIDE = {
    "jsonc": ('"matcher": "Edit",', '\n        "note": "mine",'),
    "toml": ('matcher = "Edit"', '\nnote = "mine"'),
    "yaml": ("matcher: Edit", "\n      note: mine"),
}


def installed(kind: str, *changes: tuple[str, str], value: Any = GROUP) -> tuple[bytes, Receipt]:
    data, receipt = put(BEFORE[kind], kind, START, value, file="f")
    text = data.decode()
    for after, added in changes:
        assert text.count(after) == 1, text
        text = text.replace(after, after + added)
    return text.encode(), receipt


def groups(kind: str, data: bytes | None) -> Any:
    assert data is not None
    return load(data, kind, "f").data()["hooks"]["Start"]


@pytest.mark.case("UN-01")
@pytest.mark.parametrize("kind", BEFORE)
def test_an_element_of_theirs_stays_in_the_group(kind: str) -> None:
    data, receipt = installed(kind, ADDED[kind])
    assert state(data, kind, receipt, file="f") == "extended"
    left = take(data, kind, receipt, file="f")
    assert groups(kind, left) == [{"matcher": "Edit", "hooks": [THEIRS]}]
    assert left is not None
    assert b"gsd hook" not in left
    assert kind == "toml" or b"1 */" in left or b"# 1" in left
    assert state(left, kind, receipt, file="f") == "missing"


@pytest.mark.parametrize("kind", BEFORE)
def test_a_key_of_theirs_stays_with_the_shape(kind: str) -> None:
    data, receipt = installed(kind, BESIDE[kind])
    assert state(data, kind, receipt, file="f") == "extended"
    left = take(data, kind, receipt, file="f")
    assert groups(kind, left) == [{"matcher": "Edit", "note": "mine", "hooks": []}]


@pytest.mark.parametrize("kind", BEFORE)
def test_a_list_that_is_emptied_may_be_the_first_key(kind: str) -> None:
    data, receipt = put(BEFORE[kind], kind, START, {"hooks": [OURS]}, file="f")
    key = {
        "jsonc": (b'"hooks": [\n          {', b'"note": 1,\n        "hooks": [\n          {'),
        "toml": (b"hooks = [", b"note = 1\nhooks = ["),
        "yaml": (b"gsd hook\n", b"gsd hook\n      note: 1\n"),
    }
    edited = data.replace(*key[kind])
    assert edited != data
    left = take(edited, kind, receipt, file="f")
    assert groups(kind, left) == [{"note": 1, "hooks": []}]


@pytest.mark.parametrize("kind", BEFORE)
def test_what_they_added_and_took_away_again_leaves_no_trace(kind: str) -> None:
    data, receipt = installed(kind, ADDED[kind])
    again = data.replace(ADDED[kind][1].encode(), b"")
    assert take(again, kind, receipt, file="f") == BEFORE[kind]


NEW = {"type": "command", "command": "gsd hook --v2"}
MORE = {"type": "command", "command": "gsd more"}


@pytest.mark.parametrize("kind", BEFORE)
@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ([OURS], [NEW], [NEW, THEIRS]),
        ([OURS], [NEW, MORE], [NEW, THEIRS, MORE]),
        ([OURS], [OURS, MORE], [OURS, THEIRS, MORE]),
        ([MORE, OURS], [NEW], [NEW, THEIRS]),
    ],
)
def test_an_upgrade_changes_ours_in_place(kind: str, old: list[Any], new: list[Any], expected: Any) -> None:
    data, receipt = installed(kind, ADDED[kind], value={**GROUP, "hooks": old})
    data, receipt = update(data, kind, receipt, {**GROUP, "hooks": new}, file="f")
    [group] = groups(kind, data)
    assert group["matcher"] == "Edit"
    assert sorted(map(str, group["hooks"])) == sorted(map(str, expected))
    assert group["hooks"].index(THEIRS) == 1 or len(old) == 2
    assert state(data, kind, receipt, file="f") == "extended"
    assert groups(kind, take(data, kind, receipt, file="f")) == [{"matcher": "Edit", "hooks": [THEIRS]}]


@pytest.mark.parametrize("kind", BEFORE)
def test_an_upgrade_of_the_shape_leaves_their_group_as_it_ran(kind: str) -> None:
    data, receipt = installed(kind, ADDED[kind])
    later = {"matcher": "Edit|Write", "hooks": [NEW]}
    data, receipt = update(data, kind, receipt, later, file="f")
    theirs = {"matcher": "Edit", "hooks": [THEIRS]}
    assert groups(kind, data) == [theirs, later]
    assert state(data, kind, receipt, file="f") == "present"
    assert groups(kind, take(data, kind, receipt, file="f")) == [theirs]


def test_a_key_of_ours_that_cannot_move_stops_with_a_reason() -> None:
    data, receipt = put(b"{}", "jsonc", ("gsd",), GROUP, file="f")
    edited = data.replace(b'"matcher"', b'"note": 1, "matcher"')
    with pytest.raises(GsdError, match="was changed by hand") as caught:
        update(edited, "jsonc", receipt, {"matcher": "x", "hooks": [OURS]}, file="f")
    assert caught.value.reason == "changed"
    left = take(edited, "jsonc", receipt, file="f")
    assert left is not None
    assert load(left, "jsonc", "f").data() == {"gsd": {"note": 1, "matcher": "Edit", "hooks": []}}


@pytest.mark.parametrize(
    "change", [(b'"gsd hook"', b'"gsd hook --mine"'), (b'"Edit"', b'"Write"'), (b'"type"', b'"kind"')]
)
def test_an_edit_of_ours_is_still_a_change(change: tuple[bytes, bytes]) -> None:
    data, receipt = installed("jsonc", ADDED["jsonc"])
    edited = data.replace(*change)
    assert state(edited, "jsonc", receipt, file="f") in ("changed", "missing")
    assert take(edited, "jsonc", receipt, file="f") == edited


def test_a_group_that_was_theirs_from_the_start_stays_whole() -> None:
    data, ours = put(b"{}", "jsonc", START, GROUP, file="f")
    _, receipt = put(data, "jsonc", START, GROUP, file="f")
    assert ours["ours"]
    assert not receipt["ours"]
    edited = data.replace(b'"matcher"', b'"note": 1, "matcher"')
    assert take(edited, "jsonc", receipt, file="f") == edited


def test_of_equal_elements_one_is_ours() -> None:
    data, receipt = installed("toml", (ADDED["toml"][0], ", " + ADDED["toml"][0]))
    assert groups("toml", take(data, "toml", receipt, file="f")) == [GROUP]


def test_tables_that_the_user_spread_out_are_followed() -> None:
    group = '[[hooks.Start]]\nmatcher = "Edit"\n'
    ours = '[[hooks.Start.hooks]]\ntype = "command"\ncommand = "gsd hook"\n'
    theirs = '[[hooks.Start.hooks]]\ncommand = "mine"\n'
    other = '[[hooks.Start]]\n[[hooks.Start.hooks]]\ncommand = "last"\n'
    _, receipt = put(None, "toml", START, GROUP, file="f")
    data = (group + ours + theirs + other).encode()
    assert state(data, "toml", receipt, file="f") == "extended"
    assert take(data, "toml", receipt, file="f") == (group + theirs + other).encode()
    changed, _ = update(data, "toml", receipt, {**GROUP, "hooks": [NEW]}, file="f")
    assert groups("toml", changed)[0] == {"matcher": "Edit", "hooks": [NEW, THEIRS]}
    with pytest.raises(GsdError, match="nothing can be added to the tables"):
        update(data, "toml", receipt, {**GROUP, "hooks": [NEW, MORE]}, file="f")


def test_a_value_without_elements_is_one_whole() -> None:
    _, receipt = put(None, "jsonc", ("servers", "gsd"), {"command": "x", "args": ["y"]}, file="f")
    assert "parts" not in receipt
    _, receipt = put(None, "jsonc", ("a", "-"), {"-": [{"b": 1}]}, file="f")
    assert "parts" not in receipt
