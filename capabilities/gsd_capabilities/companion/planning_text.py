"""Reading planning files strictly, and changing them so that nothing else in them moves.

Texts keep their line ends, byte-order mark and every byte that a change does not name.
"""

from __future__ import annotations

import contextlib
import os
import re

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.files import write_atomic
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gsd_capabilities.companion.project import Project

_CONFLICT = re.compile(r"^(?:<{7} |>{7} )", re.MULTILINE)
_TRIES = 5


def read(project: Project, path: str) -> str:
    """The text of a shared file. Raises GsdError `missing`, `bad_encoding` or `conflict_markers`."""
    return _decoded(project, path, _bytes(project, path))


def read_optional(project: Project, path: str) -> str | None:
    """As `read`, but None where there is no such file."""
    try:
        return read(project, path)
    except GsdError as error:
        if error.reason != "missing":
            raise
        return None


def edit(project: Project, path: str, change: Callable[[str], str]) -> bool:
    """Replace a file by `change` of its text; whether anything differs. The caller holds the lock.

    An editor that takes no lock may save in between: then the change is made again, of the newer text.
    Raises GsdError `changed_meanwhile` when that does not end, and `outside` for a link that leads away.
    """
    target = inside(project, path)
    for _ in range(_TRIES):
        before = _bytes(project, path)
        after = change(_decoded(project, path, before)).encode()
        if after == before:
            return False
        if _bytes(project, path) == before:
            with system_errors(project, path):
                write_atomic(target, after, durable=True)
            return True
    message = "the file changes faster than it can be edited"
    hint = "close the program that keeps saving it, then try again"
    raise GsdError(message, reason="changed_meanwhile", file=project.shown(path), hint=hint)


def create(project: Project, path: str, text: str) -> None:
    """Write a file that is not there yet. Raises GsdError `outside` for a link that leads away."""
    target = inside(project, path)
    with system_errors(project, path):
        write_atomic(target, text.encode(), durable=True)


@contextlib.contextmanager
def system_errors(project: Project, path: str) -> Iterator[None]:
    """Turn what the system refuses into GsdError `system`, with the file it is about."""
    try:
        yield
    except OSError as error:
        hint = "look at the file and its folder: who may read and write them, and is there room"
        message = (error.strerror or str(error)).lower()
        raise GsdError(message, reason="system", file=project.shown(path), hint=hint) from error


def line_at(text: str, offset: int) -> int:
    """The line, 1-based, of an offset."""
    head = text[:offset]
    return head.count("\n") + head.count("\r") - head.count("\r\n") + 1


def newline(text: str) -> str:
    """The line end that `text` uses first, else LF."""
    found = re.search(r"\r\n?|\n", text)
    return found[0] if found else "\n"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that `word` is most likely meant to be."""
    import difflib

    found = difflib.get_close_matches(word, list(known), 1, 0.6)
    return found[0] if found else None


def one_line(value: str, name: str) -> str:
    """`value` without blanks around it. Raises GsdError `bad_value` where it is no text, or several lines."""
    bare = unicode_text(value.strip())
    if len(bare.splitlines()) > 1:
        raise GsdError(f"{name} must stand on one line", reason="bad_value", hint="shorten it to one line")
    return bare


def unicode_text(text: str) -> str:
    """`text`, if a file can hold it. Raises GsdError `bad_value`."""
    try:
        text.encode()
    except UnicodeEncodeError:
        hint = "send it as UTF-8"
        raise GsdError("this is not a text of Unicode", reason="bad_value", hint=hint) from None
    if "\0" in text:
        raise GsdError("the text holds a NUL character", reason="bad_value", hint="take it out")
    return text


def known_word(word: str, known: tuple[str, ...], name: str) -> str:
    """`word`, if it is one of `known`. Raises GsdError `bad_value`."""
    if word in known:
        return word
    guess = nearest(word, known)
    hint = f"did you mean {guess!r}? " if guess else ""
    message = f"{word!r} is not a {name}"
    raise GsdError(message, reason="bad_value", hint=f"{hint}it is one of: {', '.join(known)}")


def _bytes(project: Project, path: str) -> bytes:
    with system_errors(project, path):
        try:
            with open(path, "rb") as file:
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            shown = project.shown(path)
            hint = f"restore it, if it was there before: git log --oneline -3 -- {shown}"
            raise GsdError("there is no such file", reason="missing", file=shown, hint=hint) from None


def _decoded(project: Project, path: str, data: bytes) -> str:
    shown = project.shown(path)
    hint = f"look for the last good version: git log --oneline -5 -- {shown}"
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise GsdError("this is not UTF-8", reason="bad_encoding", file=shown, line=line, hint=hint) from None
    conflict = _CONFLICT.search(text)
    if conflict:
        line = line_at(text, conflict.start())
        message = "git left a conflict here"
        raise GsdError(
            message, reason="conflict_markers", file=shown, line=line, hint=f"settle it; or {hint}"
        )
    return text


def inside(project: Project, path: str) -> str:
    """The real file behind `path`: links stay links. Raises GsdError `outside` for one that leads away."""
    real = os.path.realpath(path)
    if not real.startswith(os.path.join(os.path.realpath(project.shared), "")):
        message = f"this is a link that leads out of the planning files, to {real!r}"
        hint = "replace it by a file, or the folder that is a link by a folder"
        raise GsdError(message, reason="outside", file=project.shown(path), hint=hint)
    return real
