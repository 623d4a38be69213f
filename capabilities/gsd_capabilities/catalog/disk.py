"""What the library asks the disk."""

from __future__ import annotations

import os

from gsd_capabilities.catalog.addresses import RefusedError
from gsd_capabilities.companion import payload as companion
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from gsd_capabilities.catalog.words import Payload

_SKIPPED = frozenset({"__pycache__", ".git", "emitted"})


def files(folder: str) -> Iterator[str]:
    """Every file below a folder that is there in itself, not through a link; POSIX paths, in no order."""
    for path, entry in _entries(folder):
        if entry.is_file(follow_symlinks=False):
            yield path


def stamp(folders: Iterable[str]) -> int:
    """What changes when a file below one of the folders does: names, sizes and times of modification."""
    seen = []
    for folder in folders:
        for path, entry in _entries(folder):
            try:
                status = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue  # it went between the two looks, which the next look tells apart
            seen.append((folder, path, status.st_mtime_ns, status.st_size, status.st_ino))
    return hash(tuple(sorted(seen)))


def _entries(folder: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    pending = [""]
    while pending:
        inner = pending.pop()
        try:
            with os.scandir(os.path.join(folder, inner)) as found:
                entries = [entry for entry in found if entry.name not in _SKIPPED]
        except (FileNotFoundError, NotADirectoryError):
            continue  # nothing is there, or not any more
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                pending.append(f"{inner}{entry.name}/")
            else:
                yield f"{inner}{entry.name}", entry


def is_inside(file: str, folder: str) -> bool:
    """Whether a file is below a folder, which is no link, when every link is followed."""
    return os.path.realpath(file).startswith(os.path.join(folder, ""))


def read(file: str) -> bytes:
    """The bytes of a file. Raises OSError."""
    with open(file, "rb") as stream:
        return stream.read()


def text(data: bytes) -> str | bytes:
    """The text that bytes hold, or the bytes where they hold none."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def host(payload: str, runtime: str) -> Mapping[str, Any] | None:
    """What the installer wrote down about a runtime; None where it is not installed. Raises GsdError."""
    if not runtime or not os.path.isfile(os.path.join(payload, "hosts", f"{runtime}.json")):
        return None
    return companion.host(payload, runtime)


def steps(payload: Payload, workflow: str) -> dict[bytes, str]:
    """The step files of an installed workflow, each by the line that points at it. Raises RefusedError."""
    try:
        found = companion.workflow(payload.root, f"{payload.content}:{workflow}")
    except GsdError as error:
        if error.reason in ("unknown_workflow", "no_payload"):
            return {}  # a file that no manifest knows points at nothing
        raise RefusedError("read_failed", "the manifest of the payload cannot be read", workflow) from error
    if found.steps is None:
        raise RefusedError("read_failed", "a step of this workflow is gone", workflow, hint=_REPAIR)
    return {step.pointer.rstrip("\r\n").encode(): step.read for step in found.steps}


_REPAIR = "install again: gsd-install upgrade"


def standing(line: bytes, steps: Mapping[bytes, str]) -> bytes:
    """A line of a body, or the text of the step it points at. Raises OSError."""
    step = steps.get(line.rstrip(b"\r\n"))
    if step is None:
        return line
    data = read(step)
    end = line[len(line.rstrip(b"\r\n")) :]
    return data if not data or data.endswith((b"\n", b"\r")) else data + end
