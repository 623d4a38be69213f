"""`capability.toml`: what a capability says about itself and about the code it brings along."""

from __future__ import annotations

import re

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

FILE = "capability.toml"

_KEYS = ("id", "title", "payload")
_PAYLOAD_KEYS = ("packages", "launchers", "render")
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_PACKAGE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)
_FUNCTION = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)


class Capability(NamedTuple):
    """A feature beside the core loop.

    `packages` are Python packages placed in the payload; each launcher, a name and a `module:function`,
    starts some of that code. `render` is the launcher that prints what one invocation of a workflow needs,
    or empty.
    """

    id: str
    title: str
    packages: tuple[str, ...] = ()
    launchers: tuple[tuple[str, str], ...] = ()
    render: str = ""


def capability(data: bytes, *, file: str) -> Capability:
    """Read a `capability.toml`. Raises GsdError for anything that is not as `Capability` says."""
    table = _toml(data, file)
    _known(table, _KEYS, "a capability", file)
    name = _matched(table.get("id"), _NAME, "id", file)
    title = table.get("title")
    if not isinstance(title, str) or not title.strip():
        raise _bad("title is missing or not text", file, 'add title = "..."')
    payload = table.get("payload", {})
    if not isinstance(payload, dict):
        raise _bad("payload is not a table", file, "write [payload]")
    _known(payload, _PAYLOAD_KEYS, "a payload", file)
    packages = payload.get("packages", [])
    if not isinstance(packages, list):
        raise _bad("packages is not a list", file, 'write packages = ["name.of_a_package"]')
    launchers = _launchers(payload.get("launchers", {}), file)
    return Capability(
        name,
        title,
        tuple(_matched(package, _PACKAGE, "package", file) for package in packages),
        launchers,
        _render(payload.get("render", ""), launchers, file),
    )


def _launchers(table: object, file: str) -> tuple[tuple[str, str], ...]:
    if not isinstance(table, dict):
        raise _bad("launchers is not a table", file, "write [payload.launchers]")
    return tuple(
        (
            _matched(name, _NAME, "launcher", file),
            _matched(function, _FUNCTION, f"what the launcher {name!r} starts", file),
        )
        for name, function in table.items()
    )


def _render(name: object, launchers: tuple[tuple[str, str], ...], file: str) -> str:
    if name != "" and name not in dict(launchers):
        raise _bad(f"render names no launcher of this capability: {name!r}", file, "add it to launchers")
    return str(name)


def _known(table: dict[str, Any], keys: tuple[str, ...], what: str, file: str) -> None:
    unknown = sorted(set(table) - set(keys))
    if unknown:
        raise GsdError(
            f"{what} has no key {unknown[0]!r}",
            reason="unknown_key",
            file=file,
            hint=f"known: {', '.join(keys)}",
        )


def _matched(value: object, pattern: re.Pattern[str], what: str, file: str) -> str:
    if not isinstance(value, str) or not pattern.fullmatch(value):
        hints = {
            _NAME: "use small letters, digits and single hyphens",
            _PACKAGE: "use a dotted name of Python",
            _FUNCTION: 'write "package.module:function"',
        }
        raise _bad(f"{what} cannot be {value!r}", file, hints[pattern])
    return value


def _bad(message: str, file: str, hint: str) -> GsdError:
    return GsdError(message, reason="bad_value", file=file, hint=hint)


def _toml(data: bytes, file: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        at = re.search(r"line (\d+)", str(error))
        raise GsdError(
            f"not TOML: {error}", reason="bad_toml", file=file, line=int(at[1]) if at else None
        ) from error
