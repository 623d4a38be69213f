"""What a verb returns, and the one place that turns it into text or JSON."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from gsd_install.kernel.errors import BUG, DONE, GsdError, ManyErrors
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple
from gsd_install.version import VERSION

if TYPE_CHECKING:
    from typing import Any


class Result(NamedTuple):
    """`data` is for scripts, `lines` for people; `warnings` are in both."""

    data: Mapping[str, Any]
    lines: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    exit_code: int = DONE


def show(command: str, result: Result, *, as_json: bool) -> int:
    """Print a result and return its exit code."""
    if as_json:
        _print_json(envelope(command, result.exit_code, result.data, (), result.warnings))
    else:
        for line in result.lines:
            print(line)
        for warning in result.warnings:
            print(f"warning: {warning}", file=sys.stderr)
    return result.exit_code


def show_error(command: str, error: GsdError, *, as_json: bool) -> int:
    """Print a known failure and return its exit code."""
    errors = error.errors if isinstance(error, ManyErrors) else (error,)
    exit_code = max(item.exit_code for item in errors)
    if as_json:
        _print_json(envelope(command, exit_code, {}, errors, tuple(getattr(error, "__notes__", ()))))
        return exit_code
    for item in errors:
        print(f"error: {item}", file=sys.stderr)
        if item.hint:
            print(f"hint: {item.hint}", file=sys.stderr)
    for note in getattr(error, "__notes__", ()):
        print(f"note: {note}", file=sys.stderr)
    return exit_code


def show_bug(command: str, error: BaseException, *, as_json: bool) -> int:
    """Print a failure nobody foresaw, with its traceback."""
    import traceback

    if as_json:
        bug = GsdError(f"{type(error).__name__}: {error}", reason="bug")
        _print_json(envelope(command, BUG, {}, (bug,), ()))
    traceback.print_exception(error)
    print("error: this is a bug in gsd-install; please report it with the lines above", file=sys.stderr)
    return BUG


def envelope(
    command: str,
    exit_code: int,
    data: Mapping[str, Any],
    errors: tuple[GsdError, ...],
    warnings: tuple[str, ...],
) -> dict[str, Any]:
    """The one shape of `--json` output, for success and failure alike (documented in docs/json.md)."""
    return {
        "version": VERSION,
        "command": command,
        "ok": exit_code == DONE,
        "exit_code": exit_code,
        "data": dict(data),
        "warnings": list(warnings),
        "errors": [
            {
                "reason": error.reason,
                "message": error.message,
                "file": error.file,
                "line": error.line,
                "hint": error.hint,
            }
            for error in errors
        ],
    }


def _print_json(document: Mapping[str, Any]) -> None:
    import json

    print(json.dumps(document, indent=2, ensure_ascii=True))


def many(number: int, noun: str) -> str:
    """A number with its noun: `1 file`, `2 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
