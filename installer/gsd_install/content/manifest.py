"""`content.toml`, `hooks/hooks.toml` and `mcp.json`: what a content root says about itself."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from gsd_install.content.model import ACTIONS, Hook
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_WORD = re.compile(r"[\w.-][\w./-]*", re.ASCII)
HOOK_KEYS = ("id", "event", "script", "run", "tools")
HEAD_KEYS = ("format", "id", "name", "version", "prefix", "requires", "start")


class Manifest(NamedTuple):
    """The head of a content root; `requires` is a version specifier for gsd-install.

    `start` is the command a person types first, or empty.
    """

    id: str
    name: str
    version: str
    prefix: str
    requires: str = ""
    start: str = ""


def manifest(root: str, contents: Mapping[str, bytes]) -> Manifest:
    """Read `content.toml`. Raises GsdError with the file, and the line where TOML knows it."""
    file = f"{root}/content.toml"
    if "content.toml" not in contents:
        raise GsdError(
            "the content root has no content.toml",
            reason="no_content_toml",
            file=root,
            hint="docs/content.md shows the few lines it needs",
        )
    table = _toml(file, contents["content.toml"])
    unknown = sorted(set(table) - set(HEAD_KEYS))
    if unknown:
        raise GsdError(
            f"unknown key {unknown[0]!r}",
            reason="unknown_key",
            file=file,
            hint=f"known: {', '.join(HEAD_KEYS)}",
        )
    if table.get("format") != 1:
        raise GsdError(
            f"format {table.get('format')!r} is not known here",
            reason="content_format",
            file=file,
            hint="this version reads format = 1; a newer gsd-install may read others",
        )
    texts = {key: _text(table, key, file) for key in ("id", "name", "version", "prefix")}
    for key in ("id", "prefix"):
        if not NAME.fullmatch(texts[key]):
            raise GsdError(
                f"{key} {texts[key]!r} is not a name",
                reason="bad_value",
                file=file,
                hint="use small letters, digits and single hyphens",
            )
    optional = {key: _text(table, key, file) if key in table else "" for key in ("requires", "start")}
    return Manifest(**texts, **optional)


def hooks(root: str, contents: Mapping[str, bytes]) -> tuple[Hook, ...]:
    """The hooks that `hooks/hooks.toml` declares; none where it is absent."""
    file = f"{root}/hooks/hooks.toml"
    if "hooks/hooks.toml" not in contents:
        return ()
    table = _toml(file, contents["hooks/hooks.toml"])
    rows = table.pop("hook", [])
    if table or not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise GsdError(
            "hooks.toml holds [[hook]] tables and nothing else",
            reason="bad_value",
            file=file,
            hint=f"each has some of {', '.join(HOOK_KEYS)}",
        )
    return tuple(_hook(row, contents, file) for row in rows)


def _hook(row: Mapping[str, Any], contents: Mapping[str, bytes], file: str) -> Hook:
    unknown = sorted(set(row) - set(HOOK_KEYS))
    if unknown:
        raise GsdError(
            f"a hook has no key {unknown[0]!r}",
            reason="unknown_key",
            file=file,
            hint=f"known: {', '.join(HOOK_KEYS)}",
        )
    name = _text(row, "id", file)
    if ("script" in row) == ("run" in row):
        hint = "script is a path below hooks/, run are words for the companion: hook read-guard"
        message = f"the hook {name!r} needs either script or run"
        raise GsdError(message, reason="bad_value", file=file, hint=hint)
    events, tools = _texts(row, "event", file), _texts(row, "tools", file) if "tools" in row else ()
    strange = next((tool for tool in tools if tool not in ACTIONS), None)
    if strange is not None:
        hint = f"known: {', '.join(ACTIONS)}"
        raise GsdError(f"there is no action {strange!r}", reason="bad_value", file=file, hint=hint)
    if "run" in row:
        return Hook(name, events, run=_words(row, file), tools=tools)
    return Hook(name, events, _script(name, row, contents, file), tools=tools)


def _script(name: str, row: Mapping[str, Any], contents: Mapping[str, bytes], file: str) -> str:
    script = f"hooks/{_text(row, 'script', file)}"
    if script not in contents:
        raise GsdError(
            f"the hook {name!r} names a script that does not exist: {script}",
            reason="unresolved",
            file=file,
            hint="script is a path below hooks/",
        )
    return script


def _words(row: Mapping[str, Any], file: str) -> tuple[str, ...]:
    """Words that mean the same to every shell."""
    words = tuple(_text(row, "run", file).split())
    strange = next((word for word in words if not _WORD.fullmatch(word)), None)
    if strange is not None:
        hint = "use letters, digits and - _ . / only"
        raise GsdError(f"run cannot hold {strange!r}", reason="bad_value", file=file, hint=hint)
    return words


def _texts(table: Mapping[str, Any], key: str, file: str) -> tuple[str, ...]:
    """A text, or a list of them."""
    value = table.get(key)
    if not isinstance(value, list):
        return (_text(table, key, file),)
    if not value:
        raise GsdError(
            f"{key} is empty", reason="bad_value", file=file, hint=f"name something, or delete {key}"
        )
    return tuple(_text({key: item}, key, file) for item in value)


def servers(root: str, contents: Mapping[str, bytes]) -> Mapping[str, Any]:
    """The MCP servers of `mcp.json`, by name; none where it is absent."""
    if "mcp.json" not in contents:
        return {}
    file = f"{root}/mcp.json"
    try:
        table = json.loads(contents["mcp.json"])
        json.dumps(table, ensure_ascii=False).encode()  # half of a surrogate pair can be escaped, not written
    except ValueError as error:
        line = getattr(error, "lineno", None)
        raise GsdError(f"not JSON: {error}", reason="bad_json", file=file, line=line) from error
    found = table.get("mcpServers") if isinstance(table, dict) else None
    if not isinstance(found, dict):
        raise GsdError(
            "mcp.json needs an object mcpServers",
            reason="bad_value",
            file=file,
            hint='write {"mcpServers": {"name": {"command": "...", "args": []}}}',
        )
    for name, server in found.items():
        if why := server_fault(server):
            raise GsdError(f"the server {name!r} {why}", reason="bad_value", file=file)
    return found


def server_fault(server: object) -> str:
    """What keeps an MCP server from being written for a host, or nothing."""
    if not isinstance(server, dict) or not isinstance(server.get("command"), str) or not server["command"]:
        return "has no command: only servers that a host starts itself can be installed"
    args, env = server.get("args", []), server.get("env", {})
    if not isinstance(args, list) or not all(isinstance(word, str) for word in args):
        return "has args that are not a list of texts"
    if not isinstance(env, dict) or not all(isinstance(value, str) for value in env.values()):
        return "has env that does not map names to texts"
    return ""


def _toml(file: str, data: bytes) -> dict[str, Any]:
    import tomllib

    text = ""
    try:
        text = data.decode("utf-8-sig")
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        at = re.search(r"line (\d+)", str(error))
        line = int(at[1]) if at else 1 + text.rstrip("\n").count("\n")
        raise GsdError(f"not TOML: {error}", reason="bad_toml", file=file, line=line) from error


def _text(table: Mapping[str, Any], key: str, file: str) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value.strip():
        raise GsdError(
            f"{key} is missing or not text", reason="bad_value", file=file, hint=f'add {key} = "..."'
        )
    return value
