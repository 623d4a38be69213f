"""The file that names other servers: what it may say, and what is told about one that may not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.server.lowlevel.server import Server

from gsd_capabilities.catalog import upstreams
from gsd_capabilities.catalog.main import _check_pack, _parser
from gsd_install.kernel.errors import GsdError, UsageError


def file(folder: Path, servers: object) -> str:
    made = folder / "mcp.json"
    made.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    return str(made)


def test_servers_are_read_with_variables_of_the_environment(tmp_path: Path) -> None:
    given = {
        "web": {
            "command": "${BIN}/web",
            "args": ["--key=${KEY}", "${NONE:-plain}", "$KEY"],
            "env": {"K": "${KEY}"},
        },
        "data-1.x": {"command": "data", "type": "stdio"},
    }
    assert upstreams.read(file(tmp_path, given), {"BIN": "/bin", "KEY": "secret"}) == (
        upstreams.Entry("web", "/bin/web", ("--key=secret", "plain", "$KEY"), {"K": "secret"}),
        upstreams.Entry("data-1.x", "data", (), {}),
    )


@pytest.mark.parametrize(
    ("servers", "about"),
    [
        ({"a__b": {"command": "x"}}, "a__b"),
        ({"a_": {"command": "x"}}, "a_"),
        ({"": {"command": "x"}}, "''"),
        ({"a b": {"command": "x"}}, "a b"),
        ({"web": {"url": "https://example.org/mcp"}}, "web"),
        ({"web": {"command": ""}}, "web"),
        ({"web": 3}, "web"),
        ({"web": {"command": "x", "args": "--a"}}, "args"),
        ({"web": {"command": "x", "env": {"A": 1}}}, "env"),
        ({"web": {"command": "x", "env": {"A": "${MISSING}"}}}, "MISSING"),
        (3, "mcpServers"),
    ],
)
def test_what_cannot_be_started_is_refused_before_anything_is(
    tmp_path: Path, servers: object, about: str
) -> None:
    with pytest.raises(GsdError) as caught:
        upstreams.read(file(tmp_path, servers), {})
    assert caught.value.reason == "bad_upstream"
    assert about in caught.value.message
    assert caught.value.file == str(tmp_path / "mcp.json")
    assert caught.value.hint


def test_a_file_that_is_missing_or_no_json_is_named(tmp_path: Path) -> None:
    with pytest.raises(GsdError) as caught:
        upstreams.read(str(tmp_path / "none.json"), {})
    assert caught.value.reason == "unreadable"
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(GsdError) as caught:
        upstreams.read(str(tmp_path / "bad.json"), {})
    assert caught.value.reason == "bad_upstream"


@pytest.mark.parametrize("argv", ["--upstream x.json", "--session s", "--pack chat --transport http"])
def test_options_that_do_not_go_together_are_usage(argv: str) -> None:
    with pytest.raises(UsageError) as caught:
        _check_pack(_parser().parse_args(argv.split()))
    assert caught.value.reason == "bad_pack"


@pytest.mark.parametrize(
    "argv", ["", "--pack chat", "--pack chat --upstream x --session s", "--transport http"]
)
def test_options_that_go_together_are_taken(argv: str) -> None:
    _check_pack(_parser().parse_args(argv.split()))


def listing(*, waits: bool) -> Server[Any]:
    """A server whose list of tools does not come, or has always one more page."""

    async def listed(_: object, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        if waits:
            await anyio.sleep_forever()
        return types.ListToolsResult(tools=[], next_cursor="more")

    return Server("endless", on_list_tools=listed)


@pytest.mark.parametrize(("waits", "said"), [(True, "did not answer within"), (False, "100 pages")])
def test_a_list_that_does_not_end_is_given_up(
    monkeypatch: pytest.MonkeyPatch, waits: bool, said: str
) -> None:
    monkeypatch.setattr(upstreams, "START_SECONDS", 0.2 if waits else 30.0)

    async def ask() -> None:
        async with anyio.create_task_group() as group:
            with pytest.raises(GsdError, match=said) as caught:
                await upstreams.Upstream("endless", listing(waits=waits)).tools(group)
            assert caught.value.reason == "upstream_failed"

    anyio.run(ask)


def test_a_call_that_fails_late_leaves_the_next_connection_alone() -> None:
    made = upstreams.Upstream("web", listing(waits=False))

    async def ask() -> None:
        async with anyio.create_task_group() as group:

            async def fails(client: object) -> None:
                made._drop(client)  # type: ignore[arg-type]  # an earlier call failed, and a later one
                made._client = later = object()  # type: ignore[assignment]  # has connected again
                assert later is not client
                raise OSError("broken pipe")

            with pytest.raises(GsdError):
                await made._asked(group, fails)
            assert made._client is not None

    anyio.run(ask)
