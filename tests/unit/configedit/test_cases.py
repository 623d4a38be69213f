"""Public bug reports about edits of files the user owns, each as one test."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from typing import Any

import pytest

from gsd_install.configedit.edit import load, put, state, take, update
from gsd_install.kernel.errors import GsdError

HOOK = {"hooks": [{"type": "command", "command": "~/.acme/bin/acme hook"}]}
SERVER = {"command": "acme-mcp", "args": ["--stdio"]}


def lines_that_differ(before: str, after: str) -> tuple[list[str], list[str]]:
    old, new = before.split("\n"), after.split("\n")
    return [line for line in old if line not in new], [line for line in new if line not in old]


@pytest.mark.case("CM-01")
def test_comments_and_trailing_commas_survive() -> None:
    before = (
        b'{\n  // colours\n  "theme": "dark",\n'
        b'  "docs": "https://ex.test//a", /* keep the double slash */\n  "hooks": {},\n}\n'
    )
    data, receipt = put(before, "jsonc", ("hooks", "SessionStart", "-"), HOOK, file="settings.json")
    text = data.decode()
    assert "// colours" in text
    assert "/* keep the double slash */" in text
    assert load(data, "jsonc", "f").data() == {
        "theme": "dark",
        "docs": "https://ex.test//a",
        "hooks": {"SessionStart": [HOOK]},
    }
    assert take(data, "jsonc", receipt, file="settings.json") == before


@pytest.mark.case("CM-03")
def test_a_table_of_ours_does_not_capture_root_keys() -> None:
    before = b'model = "m-1"\napproval_policy = "never"\n\n[projects."/w"]\ntrust_level = "trusted"\n'
    data, receipt = put(before, "toml", ("features", "hooks"), True, file="config.toml")
    read = tomllib.loads(data.decode())
    assert (read["model"], read["approval_policy"]) == ("m-1", "never")
    assert read["features"] == {"hooks": True}
    assert read["projects"]["/w"]["trust_level"] == "trusted"
    assert take(data, "toml", receipt, file="config.toml") == before


@pytest.mark.case("CM-05")
def test_what_the_user_writes_below_ours_survives_an_upgrade() -> None:
    pointer = ("mcp_servers", "acme")
    data, receipt = put(b"", "toml", pointer, SERVER, file="config.toml")
    data += b'\n[profiles.night]\nmodel = "m-2"\n\n[mcp_servers.docs]\ncommand = "docs-mcp"\n'
    data, receipt = update(data, "toml", receipt, {**SERVER, "args": ["--v2"]}, file="config.toml")
    read = tomllib.loads(data.decode())
    assert read["profiles"]["night"]["model"] == "m-2"
    assert read["mcp_servers"] == {
        "docs": {"command": "docs-mcp"},
        "acme": {"command": "acme-mcp", "args": ["--v2"]},
    }
    assert data.count(b"[mcp_servers.acme]") == 1
    left = take(data, "toml", receipt, file="config.toml")
    assert left == b'\n[profiles.night]\nmodel = "m-2"\n\n[mcp_servers.docs]\ncommand = "docs-mcp"\n'


@pytest.mark.case("CM-07")
@pytest.mark.parametrize(("kind", "before"), [("toml", b""), ("jsonc", b"{}"), ("yaml", b"x: 1\n")])
def test_a_server_that_changes_its_transport_is_replaced(kind: str, before: bytes) -> None:
    first = {"command": "uvx", "args": ["acme-mcp"], "env": {"A": "1"}}
    data, receipt = put(before, kind, ("mcp_servers", "acme"), first, file="f")
    data, receipt = update(data, kind, receipt, {"url": "https://ex.test/mcp"}, file="f")
    assert load(data, kind, "f").data()["mcp_servers"]["acme"] == {"url": "https://ex.test/mcp"}
    assert take(data, kind, receipt, file="f") == before


@pytest.mark.case("CM-11")
def test_servers_in_an_inline_table_are_extended_inline() -> None:
    before = b'mcp_servers = { docs = { command = "d" } }\nmodel = "m-1"\n'
    data, receipt = put(before, "toml", ("mcp_servers", "acme"), SERVER, file="config.toml")
    read = tomllib.loads(data.decode())
    assert read == {"mcp_servers": {"docs": {"command": "d"}, "acme": SERVER}, "model": "m-1"}
    assert take(data, "toml", receipt, file="config.toml") == before


@pytest.mark.case("CM-16")
def test_an_added_server_follows_the_files_layout() -> None:
    before = '{\n\t"mcpServers": {\n\t\t"z": {"command": "z", "args": []},\n\t\t"a": {"command": "a"}\n\t}\n}'
    data, receipt = put(before.encode(), "jsonc", ("mcpServers", "acme"), SERVER, file="mcp.json")
    text = data.decode()
    removed, added = lines_that_differ(before, text)
    assert removed == ['\t\t"a": {"command": "a"}']
    assert added[0] == '\t\t"a": {"command": "a"},'
    assert all(line.startswith("\t\t") for line in added)
    assert list(json.loads(text)["mcpServers"]) == ["z", "a", "acme"]
    assert not text.endswith("\n")
    assert take(data, "jsonc", receipt, file="mcp.json") == before.encode()


@pytest.mark.case("CM-18")
def test_a_value_of_the_users_wins() -> None:
    before = (
        b'{"editor.tabSize": 2,'
        b' "chat.promptFilesLocations": {"docs/prompts": true, ".github/prompts": false}}'
    )
    with pytest.raises(GsdError, match="is already set to something else") as caught:
        put(before, "jsonc", ("chat.promptFilesLocations", ".github/prompts"), True, file="settings.json")
    assert caught.value.reason == "occupied"
    data, receipt = put(before, "jsonc", ("chat.promptFilesLocations", ".acme"), True, file="settings.json")
    assert json.loads(data) == {
        "editor.tabSize": 2,
        "chat.promptFilesLocations": {"docs/prompts": True, ".github/prompts": False, ".acme": True},
    }
    assert take(data, "jsonc", receipt, file="settings.json") == before


@pytest.mark.case("EN-03")
def test_the_locale_plays_no_part() -> None:
    code = (
        "import sys\n"
        "from gsd_install.configedit.edit import put, take\n"
        "before = 'Gr\\u00f6\\u00dfe\\n'.encode('utf-8')\n"
        "text = 'Pl\\u00e4n \\u2192 \\u8a08\\u753b'\n"
        "data, receipt = put(before, 'block', ('acme',), text, file='AGENTS.md')\n"
        "assert take(data, 'block', receipt, file='AGENTS.md') == before\n"
        "sys.stdout.buffer.write(data)"
    )
    environment = {
        "PATH": os.environ["PATH"],
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONIOENCODING": "utf-8",
    }
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment, check=True)
    begin, end = "<!-- gsd:begin acme -->", "<!-- gsd:end acme -->"
    assert done.stdout.decode("utf-8") == f"Größe\n\n{begin}\nPlän → 計画\n{end}\n"


@pytest.mark.case("EN-05")
def test_an_instruction_file_with_crlf_keeps_it() -> None:
    before = b"# Team\r\n\r\nUse tabs.\r\n"
    data, receipt = put(before, "block", ("acme",), "One.\n\nTwo.\n", file="AGENTS.md")
    assert data.count(b"\n") == data.count(b"\r\n") == 9
    assert update(data, "block", receipt, "One.\n\nTwo.\n", file="AGENTS.md") == (data, receipt)
    data, receipt = update(data, "block", receipt, "Three.\nFour.\n", file="AGENTS.md")
    assert data.count(b"\n") == data.count(b"\r\n")
    assert take(data, "block", receipt, file="AGENTS.md") == before


@pytest.mark.case("EN-06")
@pytest.mark.parametrize("kind", ["jsonc", "yaml", "toml"])
def test_text_is_not_turned_into_escapes(kind: str) -> None:
    text = "Grüße — 東京 🚀"
    before = {
        "jsonc": f'{{\n  "companyAnnouncements": ["{text}"]\n}}\n',
        "yaml": f"companyAnnouncements: ['{text}']\n",
        "toml": f'companyAnnouncements = ["{text}"]\n',
    }[kind].encode()
    data, _ = put(before, kind, ("acme", "title"), f"our {text}", file="settings.json")
    assert data.decode().count(text) == 2
    assert b"\\u" not in data


@pytest.mark.case("EN-11")
def test_a_byte_order_mark_does_not_make_settings_unreadable() -> None:
    before = b'\xef\xbb\xbf{"ui": {"theme": "dark"}}\r\n'
    data, receipt = put(before, "jsonc", ("hooks", "SessionStart", "-"), HOOK, file="settings.json")
    assert data.startswith(b"\xef\xbb\xbf")
    assert data.endswith(b"}\r\n")
    assert json.loads(data.decode("utf-8-sig")) == {
        "ui": {"theme": "dark"},
        "hooks": {"SessionStart": [HOOK]},
    }
    assert take(data, "jsonc", receipt, file="settings.json") == before


@pytest.mark.case("MS-01")
def test_a_block_without_end_stops_with_its_line() -> None:
    text = b"# Mine\n<!-- gsd:begin acme -->\nhalf a block\n## More of mine\nkeep this\n"
    for _ in range(2):
        with pytest.raises(GsdError, match="the block 'acme' never ends") as caught:
            put(text, "block", ("acme",), "new", file="CLAUDE.md")
        assert caught.value.line == 2


@pytest.mark.case("MS-05")
def test_block_text_is_inserted_literally() -> None:
    text = "Use \\1 and \\g<0>, C:\\new\\table, $& and $1, \\\\server"
    data, receipt = put(b"mine\n", "block", ("acme",), "old", file="AGENTS.md")
    data, receipt = update(data, "block", receipt, text + "\n", file="AGENTS.md")
    assert text.encode() + b"\n" in data
    assert update(data, "block", receipt, text + "\n", file="AGENTS.md")[0] == data


@pytest.mark.case("MS-06")
def test_block_names_are_matched_literally() -> None:
    data, receipts = b"mine\n", {}
    for name in ("a.b", "a+b", "a(b", "axb"):
        data, receipts[name] = put(data, "block", (name,), f"text of {name}", file="AGENTS.md")
    data, receipts["a.b"] = update(data, "block", receipts["a.b"], "new", file="AGENTS.md")
    left = take(data, "block", receipts["a(b"], file="AGENTS.md")
    assert left is not None
    assert load(left, "block", "f").data() == {"a.b": "new", "a+b": "text of a+b", "axb": "text of axb"}


@pytest.mark.case("MS-11")
@pytest.mark.parametrize("before", [b"My rules\n", b"   \n", b""])
def test_an_instruction_file_without_our_block_is_the_users(before: bytes) -> None:
    data, receipt = put(before, "block", ("acme",), "ours", file="CLAUDE.md")
    assert data.startswith(before)
    assert take(data, "block", receipt, file="CLAUDE.md") == before


@pytest.mark.case("HK-10")
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_an_older_entry_of_ours_is_replaced_and_not_joined(newline: str) -> None:
    def hook(name: str) -> dict[str, Any]:
        return {"hooks": [{"type": "command", "command": f"python3 ~/.acme/hooks/{name}.py"}]}

    pointer = ("hooks", "SessionStart", "-")
    before = f'model = "m"{newline}'.encode()
    data, receipt = put(before, "toml", pointer, hook("acme-update-check"), file="config.toml")
    data += f'{newline}[[hooks.SessionStart]]{newline}matcher = "mine"{newline}'.encode()
    data, receipt = update(data, "toml", receipt, hook("acme-check-update"), file="config.toml")
    assert tomllib.loads(data.decode())["hooks"]["SessionStart"] == [
        hook("acme-check-update"),
        {"matcher": "mine"},
    ]
    assert data.count(b"\n") == data.count(newline.encode())


@pytest.mark.case("PM-05")
def test_permission_rules_of_the_user_come_first_and_nothing_is_doubled() -> None:
    before = b'{"permissions":{"allow":["Bash(ls:*)"],"deny":["Read(.env)"]}}'
    pointer = ("permissions", "allow", "-")
    data, receipt = put(before, "jsonc", pointer, "Bash(~/.acme/bin/acme:*)", file="settings.json")
    assert json.loads(data)["permissions"] == {
        "allow": ["Bash(ls:*)", "Bash(~/.acme/bin/acme:*)"],
        "deny": ["Read(.env)"],
    }
    again, second = put(data, "jsonc", pointer, "Bash(~/.acme/bin/acme:*)", file="settings.json")
    assert (again, second["ours"]) == (data, False)
    assert state(data, "jsonc", receipt, file="settings.json") == "present"
    assert take(data, "jsonc", receipt, file="settings.json") == before


@pytest.mark.case("SE-09")
def test_a_secret_is_kept_and_never_shown() -> None:
    before = b'{"mcpServers":{"docs":{"command":"d","env":{"TOKEN":"s3cr3t-value"}}}}'
    data, receipt = put(before, "jsonc", ("mcpServers", "acme"), SERVER, file=".mcp.json")
    assert b'"s3cr3t-value"' in data
    assert "s3cr3t" not in json.dumps(receipt)
    for pointer, text in ((("mcpServers", "docs"), before), (("mcpServers", "x"), before[:-1] + b" s3cr3t")):
        with pytest.raises(GsdError) as caught:
            put(text, "jsonc", pointer, SERVER, file=".mcp.json")
        assert "s3cr3t" not in f"{caught.value} {caught.value.hint}"


def test_a_block_is_removed_wherever_it_was_moved() -> None:
    data, receipt = put(b"# local\nscratch/", "block", ("acme",), "out/", file="AGENTS.md")
    assert take(data, "block", receipt, file="AGENTS.md") == b"# local\nscratch/"
    moved = b"<!-- gsd:begin acme -->\nout/\n<!-- gsd:end acme -->\n# local\nscratch/"
    assert take(moved, "block", receipt, file="AGENTS.md") == b"# local\nscratch/"
