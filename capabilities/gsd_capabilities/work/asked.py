"""What the verbs about work read from a request."""

from __future__ import annotations

import os

from gsd_capabilities.companion import project as projects
from gsd_capabilities.work.running import TASK
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_capabilities.artifacts.workspace import File
    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.companion.request import Request

_DIGITS = 9
WHEN = frozenset({"at", "as"})
WHEN_USAGE = "[--as NAME] [--at TIME]"


def project_of(request: Request) -> Project:
    """The project here. Raises GsdError `no_project`."""
    return projects.require(projects.find(request.cwd))


def words_of(request: Request, least: int, most: int | None, usage: str) -> tuple[str, ...]:
    """The words, if there are as many as the verb takes. Raises UsageError `usage`."""
    count = len(request.words)
    if count < least or (most is not None and count > most):
        quotes = "; a text of several words stands in quotes" if most and count > most else ""
        raise UsageError("wrong number of arguments", reason="usage", hint=f"gsd-tools {usage}{quotes}")
    return request.words


def text_of(request: Request, words: tuple[str, ...]) -> str:
    """Words as one text; the only word `-` stands for standard input."""
    return decoded(request.stdin()) if words == ("-",) else " ".join(words)


def option_text(request: Request, name: str) -> str | None:
    """The text of an option, `-` standing for standard input; None without it."""
    value = request.options.get(name)
    return decoded(request.stdin()) if value == "-" else value


def decoded(data: bytes) -> str:
    """What came on standard input, without the byte-order mark of some shells. Raises GsdError `not_text`."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"standard input is not UTF-8, from byte {error.start} on"
        raise GsdError(message, reason="not_text", hint="send it as UTF-8") from None


def task_of(request: Request) -> str:
    """The task that is meant: `--task`, else `GSD_TASK`. Raises UsageError `task_required`."""
    found = request.options.get("task") or request.environ.get(TASK, "")
    if not found:
        from gsd_capabilities.work.reviews import task_required

        raise task_required()
    return found


def listed(request: Request, name: str) -> list[str] | None:
    """The names in an option, separated by commas; None without it."""
    value = request.options.get(name)
    return None if value is None else [word.strip() for word in value.split(",") if word.strip()]


def number_of(text: str, name: str) -> int:
    """A whole number from 0 to a billion. Raises UsageError `bad_number`."""
    if text.isascii() and text.isdigit() and len(text) <= _DIGITS:
        return int(text)
    hint = f"{name} is 0 or more, in at most {_DIGITS} digits"
    raise UsageError(f"{text!r} is no number", reason="bad_number", hint=hint)


def body_of(request: Request) -> bytes | File:
    """A body: `--body TEXT`, `--from FILE`, else standard input. Raises UsageError, GsdError `unreadable`."""
    from gsd_capabilities.artifacts.workspace import File

    text, name = request.options.get("body"), request.options.get("from")
    if text is not None and name is not None:
        raise UsageError("--body and --from exclude each other", reason="usage", hint="give one of them")
    if text is not None:
        return text.encode()
    if name in (None, "-"):
        return request.stdin()
    file = os.path.join(request.cwd, str(name))
    try:
        with open(file, "rb"):
            return File(file)
    except OSError as error:
        message = f"this cannot be read: {(error.strerror or str(error)).lower()}"
        hint = "name a file that is there, or pass the body on standard input"
        raise GsdError(message, reason="unreadable", file=name, hint=hint) from error
