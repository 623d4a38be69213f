"""What holds for every format: receipts, encodings, update, and that damage is never handed out."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from gsd_install.configedit import brackets, lines
from gsd_install.configedit.edit import DamageError, Receipt, check, put, state, take, update
from gsd_install.configedit.text import Edit
from gsd_install.kernel.errors import BUG, GsdError

FORMATS = ("jsonc", "toml", "yaml", "block")
TEXTS = {"jsonc": b'{\n  "a": 1\n}\n', "toml": b"a = 1\n", "yaml": b"a: 1\n", "block": b"a\n"}
POINTERS = {"jsonc": ("k", "gsd"), "toml": ("k", "gsd"), "yaml": ("k", "gsd"), "block": ("gsd",)}


def put_in(kind: str, data: bytes | None = None) -> tuple[bytes, Receipt]:
    return put(data or TEXTS[kind], kind, POINTERS[kind], "ours", file="f")


@pytest.mark.parametrize("kind", FORMATS)
def test_a_receipt_holds_no_text_of_the_file_and_no_path(kind: str) -> None:
    _, receipt = put(TEXTS[kind], kind, POINTERS[kind], "the secret value", file="/home/me/settings")
    stored = json.dumps(receipt)
    assert json.loads(stored) == receipt
    assert "secret" not in stored
    assert "/home" not in stored


@pytest.mark.parametrize("kind", FORMATS)
def test_the_same_entry_gives_the_same_receipt(kind: str) -> None:
    assert put_in(kind) == put_in(kind)


@pytest.mark.parametrize("kind", FORMATS)
def test_a_byte_order_mark_and_crlf_stay(kind: str) -> None:
    before = b"\xef\xbb\xbf" + TEXTS[kind].replace(b"\n", b"\r\n")
    data, receipt = put_in(kind, before)
    assert data.startswith(b"\xef\xbb\xbf")
    assert data.count(b"\n") == data.count(b"\r\n") > before.count(b"\n")
    assert take(data, kind, receipt, file="f") == before


@pytest.mark.case("EN-07")
@pytest.mark.parametrize("kind", FORMATS)
def test_other_line_ends_are_no_edit(kind: str) -> None:
    data, receipt = put_in(kind)
    converted = data.replace(b"\n", b"\r\n")
    assert state(converted, kind, receipt, file="f") == "present"
    assert take(converted, kind, receipt, file="f") == TEXTS[kind].replace(b"\n", b"\r\n")
    really_changed = converted.replace(b"ours", b"mine")
    assert state(really_changed, kind, receipt, file="f") == "changed"


@pytest.mark.parametrize("kind", FORMATS)
def test_a_file_that_is_gone_has_no_entry(kind: str) -> None:
    assert state(None, kind, put_in(kind)[1], file="f") == "missing"


@pytest.mark.parametrize("kind", ["jsonc", "toml", "yaml"])
def test_bytes_that_are_no_utf8_are_named(kind: str) -> None:
    with pytest.raises(GsdError) as caught:
        check("a\nb é".encode("latin-1"), kind, file="f")
    error = caught.value
    assert (error.reason, error.line, error.message) == ("encoding", 2, "column 3: is not UTF-8")
    assert error.hint


@pytest.mark.parametrize("kind", FORMATS)
def test_utf16_is_refused(kind: str) -> None:
    with pytest.raises(GsdError, match="is UTF-16") as caught:
        put("{}".encode("utf-16"), kind, POINTERS[kind], "ours", file="f")
    assert caught.value.reason == "encoding"


@pytest.mark.parametrize("kind", FORMATS)
def test_update_of_an_entry_that_is_not_there_as_written_says_so(kind: str) -> None:
    data, receipt = put_in(kind)
    with pytest.raises(GsdError) as caught:
        update(data.replace(b"ours", b"mine"), kind, receipt, "new", file="f")
    assert caught.value.reason == "changed"
    with pytest.raises(GsdError) as caught:
        update(TEXTS[kind], kind, receipt, "new", file="f")
    assert caught.value.reason == "missing"
    assert caught.value.file == "f"
    assert caught.value.hint


@pytest.mark.parametrize("kind", FORMATS)
def test_update_to_the_same_value_changes_nothing(kind: str) -> None:
    data, receipt = put_in(kind)
    assert update(data, kind, receipt, "ours", file="f") == (data, receipt)


def test_update_of_what_is_the_users_adds_ours_or_is_refused() -> None:
    data = b'{"l": ["a"], "k": 1}'
    _, receipt = put(data, "jsonc", ("l", "-"), "a", file="f")
    changed, receipt = update(data, "jsonc", receipt, "b", file="f")
    assert changed == b'{"l": ["a", "b"], "k": 1}'
    assert receipt["ours"]
    _, receipt = put(data, "jsonc", ("k",), 1, file="f")
    with pytest.raises(GsdError) as caught:
        update(data, "jsonc", receipt, 2, file="f")
    assert caught.value.reason == "occupied"


def test_update_to_what_the_user_has_too_leaves_one_which_is_theirs() -> None:
    data, receipt = put(b'{"l": ["a"]}', "jsonc", ("l", "-"), "b", file="f")
    data, receipt = update(data, "jsonc", receipt, "a", file="f")
    assert data == b'{"l": ["a"]}'
    assert receipt["ours"] is False


@pytest.mark.parametrize(
    "damage",
    [
        lambda *_: [Edit(0, 1, "")],
        lambda *_: [Edit(2, 2, '"other": 1,')],
        lambda *_: [Edit(7, 8, "2")],
        lambda *_: [],
    ],
)
def test_a_damaging_edit_is_never_handed_out(damage: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    data, receipt = put(b'{ "a": 1}', "jsonc", ("k",), 1, file="f")
    for name in ("insert", "delete", "replace"):
        monkeypatch.setattr(brackets, name, damage)
    for attempt in (
        lambda: put(b'{ "a": 1}', "jsonc", ("k",), 1, file="f"),
        lambda: take(data, "jsonc", receipt, file="f"),
        lambda: update(data, "jsonc", receipt, 2, file="f"),
    ):
        with pytest.raises(DamageError) as caught:
            attempt()
        assert (caught.value.exit_code, caught.value.file) == (BUG, "f")


@pytest.mark.parametrize(
    ("kind", "damaged"), [("toml", "a = 1\n[k]\ngsd = 'ours'\n[k]"), ("yaml", "a: 2\nk:\n  gsd: ours\n")]
)
def test_damage_is_seen_in_every_format(kind: str, damaged: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data, receipt = put_in(kind)
    monkeypatch.setattr(lines, "append", lambda *_: damaged)
    monkeypatch.setattr(lines, "below", lambda *_: Edit(0, 99, damaged))
    monkeypatch.setattr(lines, "remove_block", lambda *_, **__: damaged)
    monkeypatch.setattr(lines, "remove", lambda *_, **__: damaged)
    with pytest.raises(DamageError):
        put_in(kind)
    with pytest.raises(DamageError):
        take(data, kind, receipt, file="f")


def test_an_unknown_format_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="unknown format 'ini'"):
        check(b"", "ini", file="f")


def test_a_format_is_loaded_only_when_it_is_used() -> None:
    code = (
        "import sys\n"
        "from gsd_install.configedit.edit import put\n"
        "put(None, 'jsonc', ('a',), 1, file='f')\n"
        "slow = {'yaml', 'tomllib', 'tomlkit', 'yamltrip', 'dataclasses', 'pathlib'}\n"
        "print(*sorted(slow & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
