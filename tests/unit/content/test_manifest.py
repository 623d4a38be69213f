from __future__ import annotations

import json
from typing import Any

import pytest

from gsd_install.content.manifest import Manifest, hooks, manifest, servers
from gsd_install.content.model import Hook
from gsd_install.kernel.errors import GsdError
from support.content import HEAD


def head(text: str) -> Manifest:
    return manifest("/root", {"content.toml": text.encode()})


def refused_head(text: str) -> GsdError:
    with pytest.raises(GsdError) as caught:
        head(text)
    assert caught.value.file == "/root/content.toml"
    return caught.value


def with_line(key: str, value: str | None) -> str:
    """The usual head with another value of `key`, or without it."""
    kept = [line for line in HEAD.splitlines() if not line.startswith(f"{key} ")]
    return "\n".join(kept if value is None else [*kept, f"{key} = {value}"]) + "\n"


def test_the_head_of_a_content_root() -> None:
    assert head(HEAD) == Manifest("acme", "Acme", "1.2.3", "ac", ">=0.1", "")
    assert head(HEAD + 'start = "plan"\n').start == "plan"
    assert head(with_line("requires", None)).requires == ""


@pytest.mark.parametrize("data", [b"\xef\xbb\xbf" + HEAD.encode(), HEAD.replace("\n", "\r\n").encode()])
def test_a_byte_order_mark_and_crlf_are_read(data: bytes) -> None:
    assert manifest("/root", {"content.toml": data}) == head(HEAD)


def test_a_root_without_content_toml_is_told_what_it_needs() -> None:
    with pytest.raises(GsdError) as caught:
        manifest("/root", {})
    assert (caught.value.reason, caught.value.file) == ("no_content_toml", "/root")
    assert "docs/content.md" in str(caught.value.hint)


@pytest.mark.parametrize("key", ["id", "name", "version", "prefix"])
@pytest.mark.parametrize("value", [None, '""', '"  "', "1", "[]"])
def test_each_key_is_text(key: str, value: str | None) -> None:
    error = refused_head(with_line(key, value))
    assert error.reason == "bad_value"
    assert key in error.message
    assert key in str(error.hint)


@pytest.mark.parametrize("key", ["requires", "start"])
def test_what_may_be_left_out_is_text_where_it_is_given(key: str) -> None:
    assert key in refused_head(with_line(key, "5")).message


@pytest.mark.parametrize("key", ["id", "prefix"])
@pytest.mark.parametrize("value", ["Acme", "a_b", "a--b", "-a", "a-", "a/b", "..", "a b", "\u00e9"])
def test_what_names_folders_is_a_safe_name(key: str, value: str) -> None:
    error = refused_head(with_line(key, f'"{value}"'))
    assert error.reason == "bad_value"
    assert repr(value) in error.message
    assert "hyphens" in str(error.hint)


def test_an_unknown_key_is_refused_with_those_that_are_known() -> None:
    error = refused_head(HEAD + 'licence = "MIT"\n')
    assert error.reason == "unknown_key"
    assert "'licence'" in error.message
    assert "requires" in str(error.hint)


@pytest.mark.parametrize("value", [None, "2", '"1"', "0"])
def test_another_format_is_refused(value: str | None) -> None:
    error = refused_head(with_line("format", value))
    assert error.reason == "content_format"
    assert "newer gsd-install" in str(error.hint)


@pytest.mark.parametrize(("text", "line"), [("a = 1\nb =\n", 2), ("x", 1), ("a = 'open\n", 1)])
def test_what_is_not_toml_is_named_with_its_line(text: str, line: int) -> None:
    error = refused_head(text)
    assert (error.reason, error.line) == ("bad_toml", line)


def test_toml_that_is_not_utf8_is_refused() -> None:
    with pytest.raises(GsdError) as caught:
        manifest("/root", {"content.toml": b"name = '\xff'\n"})
    assert caught.value.reason == "bad_toml"


HOOK = '[[hook]]\nid = "hello"\nevent = "session-start"\nscript = "hello.py"\n'


def read_hooks(text: str, *scripts: str) -> tuple[Hook, ...]:
    files = {f"hooks/{script}": b"" for script in scripts}
    return hooks("/root", {"hooks/hooks.toml": text.encode(), **files})


def test_hooks_name_scripts_below_the_root() -> None:
    assert read_hooks(HOOK, "hello.py") == (Hook("hello", ("session-start",), "hooks/hello.py"),)
    assert hooks("/root", {"hooks/hello.py": b""}) == ()
    assert read_hooks("") == ()
    two = read_hooks(HOOK + HOOK.replace("hello", "sub/bye"), "hello.py", "sub/bye.py")
    assert [hook.script for hook in two] == ["hooks/hello.py", "hooks/sub/bye.py"]


def test_a_hook_may_be_words_for_the_companion_with_events_and_tools() -> None:
    text = HOOK.replace('script = "hello.py"', 'run = "hook  read-guard"\ntools = ["read", "run"]')
    text = text.replace('"session-start"', '["pre-tool", "prompt"]')
    words, tools = ("hook", "read-guard"), ("read", "run")
    assert read_hooks(text) == (Hook("hello", ("pre-tool", "prompt"), run=words, tools=tools),)


@pytest.mark.parametrize(
    ("text", "reason", "told"),
    [
        (HOOK + 'run = "hook x"\n', "bad_value", "either script or run"),
        (HOOK.replace('script = "hello.py"\n', ""), "bad_value", "either script or run"),
        (HOOK.replace('script = "hello.py"', 'run = "hook $(x)"'), "bad_value", "letters, digits"),
        (HOOK.replace('script = "hello.py"', "run = []"), "bad_value", "run"),
        (HOOK + 'tools = ["shell"]\n', "bad_value", "known: read"),
        (HOOK + "tools = []\n", "bad_value", "tools is empty"),
        (HOOK.replace('"session-start"', "[1]"), "bad_value", "event"),
        (HOOK.replace("hello.py", "gone.py"), "unresolved", "below hooks/"),
        (HOOK.replace("hello.py", "../commands/a.md"), "unresolved", "below hooks/"),
        (HOOK.replace("hello.py", "/etc/passwd"), "unresolved", "below hooks/"),
        (HOOK.replace('event = "session-start"\n', ""), "bad_value", "event"),
        (HOOK.replace('"hello"', "1"), "bad_value", "id"),
        (HOOK + 'timeout = "5"\n', "unknown_key", "id, event, script"),
        (HOOK.replace("[[hook]]", "[hook]"), "bad_value", "id, event, script"),
        ("hook = 1\n", "bad_value", "id, event, script"),
        ("hook = [1]\n", "bad_value", "id, event, script"),
        (HOOK.replace("[[hook]]", "[[hooks]]"), "bad_value", "id, event, script"),
        ("[[hook]\n", "bad_toml", ""),
    ],
)
def test_a_hook_that_could_not_run_is_refused(text: str, reason: str, told: str) -> None:
    with pytest.raises(GsdError) as caught:
        read_hooks(text, "hello.py")
    assert (caught.value.reason, caught.value.file) == (reason, "/root/hooks/hooks.toml")
    assert told in f"{caught.value.hint} {caught.value.message}"


def read_servers(value: object) -> Any:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return servers("/root", {"mcp.json": data})


def test_servers_come_as_their_author_wrote_them() -> None:
    acme = {"command": "acme-mcp", "args": ["--stdio", "\u00e9"], "env": {"KEY": "a b"}, "note": 1}
    assert read_servers({"mcpServers": {"acme": acme, "plain": {"command": "p"}}}) == {
        "acme": acme,
        "plain": {"command": "p"},
    }
    assert servers("/root", {}) == {}
    assert read_servers(b'\xef\xbb\xbf{"mcpServers": {}}') == {}


@pytest.mark.parametrize("value", [[], {}, {"mcpServers": []}, {"servers": {}}, None, "x"])
def test_an_mcp_json_of_another_shape_is_refused(value: object) -> None:
    with pytest.raises(GsdError) as caught:
        read_servers(value)
    assert (caught.value.reason, caught.value.file) == ("bad_value", "/root/mcp.json")
    assert "mcpServers" in str(caught.value.hint)


@pytest.mark.parametrize(
    "server",
    [
        "acme-mcp",
        {},
        {"url": "https://acme.example"},
        {"command": ""},
        {"command": ["acme"]},
        {"command": "a", "args": "--stdio"},
        {"command": "a", "args": [1]},
        {"command": "a", "env": []},
        {"command": "a", "env": {"A": 1}},
    ],
)
def test_a_server_no_host_could_start_is_refused_by_name(server: object) -> None:
    with pytest.raises(GsdError) as caught:
        read_servers({"mcpServers": {"good": {"command": "g"}, "bad one": server}})
    assert caught.value.reason == "bad_value"
    assert "'bad one'" in caught.value.message


def test_what_is_not_json_is_named_with_its_line() -> None:
    with pytest.raises(GsdError) as caught:
        read_servers(b'{\n"mcpServers": {},\n}')
    assert (caught.value.reason, caught.value.line) == ("bad_json", 3)


@pytest.mark.parametrize("data", [b"\xff", b'{"mcpServers": {"a": {"command": "\\ud800"}}}'])
def test_json_that_no_file_can_hold_is_refused(data: bytes) -> None:
    with pytest.raises(GsdError):
        read_servers(data)
