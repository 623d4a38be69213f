"""Tools on the files of a project.

Every path lies inside the project when its links are followed. What has rules of its own (memory, work,
skills, git, folders of hosts) is read here and changed by its own tools alone, or by a person: otherwise a
lesson could go live unseen. What is read goes to a provider, so files that hold secrets are not.
"""

from __future__ import annotations

import errno
import os

from gsd_capabilities.companion import project as projects
from gsd_capabilities.hooks.secrets import is_secret
from gsd_capabilities.learning.limits import AGENT_FILE_BYTES
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from gsd_capabilities.harness.toolbox import Hands

# Files that hosts read servers from; `.git` is one in a worktree.
_LOADED = frozenset({".git", ".mcp.json"})
_MOST_LINES = 200


def read(hands: Hands, given: Mapping[str, Any]) -> object:
    """The text of a file, or some lines of it.

    Raises GsdError `outside`, `secret`, `missing`, `bad_encoding`.
    """
    from gsd_capabilities.artifacts.reference import is_meant

    if is_meant(given["path"]):
        return _stored(hands, given)
    text = _text(hands, given["path"])
    if "start" not in given and "lines" not in given:
        return text
    rows = text.splitlines(keepends=True)
    first = max(int(given.get("start", 1)), 1) - 1
    last = first + int(given.get("lines", len(rows)))
    return "".join(rows[first:last])


def write(hands: Hands, given: Mapping[str, Any]) -> object:
    """Write a whole file. Raises GsdError `outside`, `kept`."""
    path = _changed(hands, given["path"])
    _put(path, given["text"])
    return {"written": given["path"], "characters": len(given["text"])}


def edit(hands: Hands, given: Mapping[str, Any]) -> object:
    """Replace a passage that stands there once, or with `all` every time. Raises GsdError `no_passage`."""
    path = _changed(hands, given["path"])
    text = _text(hands, given["path"])
    count = text.count(given["old"]) if given["old"] else 0
    if count == 0 or (count > 1 and not given.get("all")):
        message = f"the passage stands there {count} times"
        hint = "read the file, then give more of the lines around it, or all: true"
        raise GsdError(message, reason="no_passage", file=given["path"], hint=hint)
    _put(path, text.replace(given["old"], given["new"]))
    return {"written": given["path"], "places": count}


def search(hands: Hands, given: Mapping[str, Any]) -> object:
    """Files whose path matches. Raises GsdError `outside`."""
    return {"files": list(_matching(hands, given["pattern"]))}


def lines(hands: Hands, given: Mapping[str, Any]) -> object:
    """Lines that match a regular expression. Raises GsdError `bad_pattern`, `outside`."""
    import re

    try:
        wanted = re.compile(given["pattern"])
    except (re.error, OverflowError, RecursionError) as error:
        raise GsdError(f"this is no regular expression: {error}", reason="bad_pattern") from error
    most = int(given.get("most", _MOST_LINES))
    found: list[str] = []
    for name in _matching(hands, given.get("files", "**/*")):
        for number, line in enumerate(_lines(os.path.join(hands.project.root, name)), 1):
            if wanted.search(line):
                found.append(f"{name}:{number}: {line}")
                if len(found) == most:
                    return {"lines": found, "more": True}
    return {"lines": found, "more": False}


def _stored(hands: Hands, given: Mapping[str, Any]) -> str:
    """A result that was stored because it was bulky, or some lines of it."""
    from gsd_capabilities.harness.toolbox import verb

    options = {}
    if "start" in given or "lines" in given:
        first = int(given.get("start", 1))
        last = first + int(given["lines"]) - 1 if "lines" in given else ""
        options["lines"] = f"{first}-{last}"
    found = verb(hands, "artifact get", given["path"], options=options, timed=False)
    return found.decode("utf-8", "replace") if isinstance(found, bytes) else str(found)


def _inside(hands: Hands, path: str) -> str:
    """The real path of a name in the project. Raises GsdError `outside`."""
    root = os.path.realpath(hands.project.root)
    real = os.path.realpath(os.path.join(root, path))
    if not _below(real, root):
        hint = "name it relative to the root of the project"
        raise GsdError("this lies outside the project", reason="outside", file=path, hint=hint)
    return real


def _changed(hands: Hands, path: str) -> str:
    """As `_inside`, for a file to be changed.

    Raises GsdError `kept` where only other tools may, `task_running` for a new skill during a task, and
    `looking_back` outside the planning files where finished work is looked back at.
    """
    real = _inside(hands, path)
    if _kept(hands, real):
        hint = "use the tools for memory, tasks, deliverables and packages, or ask a person for the change"
        message = "this file is changed by its own tools, or by a person"
        raise GsdError(message, reason="kept", file=path, hint=hint)
    if hands.learning and not _below(real, os.path.realpath(hands.project.shared)):
        message = "whoever looks back changes nothing outside the planning files"
        hint = "memory_save records a fact, package_install proposes a skill"
        raise GsdError(message, reason="looking_back", file=path, hint=hint)
    if os.path.basename(real).lower() == "skill.md" and hands.task and not os.path.exists(real):
        hint = "note what was learnt; a skill is proposed when the task is finished"
        raise GsdError("a task writes no new skill", reason="task_running", file=path, hint=hint)
    return real


def _kept(hands: Hands, real: str) -> bool:
    """Whether a real path has its own tools, wherever the planning files are, or tells hosts what to load.

    Git, hosts of agents and what builds a project read the folders whose names begin with a dot, and run what
    stands there.
    """
    shared = os.path.realpath(hands.project.shared)
    if _below(real, shared):
        return projects.kept(os.path.relpath(real, shared))
    parts = os.path.relpath(real, os.path.realpath(hands.project.root)).split(os.sep)
    return any(name.startswith(".") for name in parts[:-1]) or parts[-1].lower() in _LOADED


def _below(real: str, folder: str) -> bool:
    return real == folder or real.startswith(os.path.join(folder, ""))


def _text(hands: Hands, path: str) -> str:
    real = _inside(hands, path)
    if is_secret(real):
        message = "this file holds secrets, and they are no provider's business"
        hint = "ask a person for the names it defines, or read its example file"
        raise GsdError(message, reason="secret", file=path, hint=hint)
    try:
        return _bytes(real).decode()
    except UnicodeDecodeError:
        raise GsdError("this is not UTF-8", reason="bad_encoding", file=path) from None
    except OSError as error:
        message = (error.strerror or str(error)).lower()
        raise GsdError(message, reason="missing", file=path, hint="look for it with file_search") from error


def _bytes(real: str) -> bytes:
    """What a file holds. Raises OSError, also for what is no plain file or too large to look at."""
    if os.path.exists(real) and not os.path.isfile(real):
        raise OSError(errno.EINVAL, "this is no file")
    if os.path.getsize(real) > AGENT_FILE_BYTES:
        raise OSError(errno.EFBIG, f"this has more than {AGENT_FILE_BYTES:,} bytes")
    with open(real, "rb") as stream:
        return stream.read()


def _put(path: str, text: str) -> None:
    from gsd_install.kernel.files import make_folder, write_atomic

    make_folder(os.path.dirname(path))
    write_atomic(path, text.encode())


def _matching(hands: Hands, pattern: str) -> Iterator[str]:
    """Files inside the project, by the pattern, without those of git. Raises GsdError `outside`."""
    from gsd_capabilities.harness.matching import matching

    root = os.path.realpath(hands.project.root)
    if os.path.isabs(pattern) or ".." in pattern.replace("\\", "/").split("/"):
        raise GsdError("this pattern leads out of the project", reason="outside", file=pattern)
    for name in matching(root, pattern):
        if _below(os.path.realpath(os.path.join(root, name)), root):
            yield name


def _lines(path: str) -> list[str]:
    """The lines of a text; none of what is not one, holds secrets or cannot be read."""
    if is_secret(os.path.realpath(path)):
        return []
    try:
        data = _bytes(path)
    except OSError:
        return []
    return [] if b"\0" in data else data.decode("utf-8", "replace").splitlines()
