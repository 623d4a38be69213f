"""Tools on the files of a project and its shell.

Every path lies inside the project when its links are followed. What has rules of its own (memory, work,
skills, git) is read here and changed by its own tools alone: otherwise a lesson could go live unseen.
"""

from __future__ import annotations

import os

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from gsd_capabilities.harness.toolbox import Hands

# Below `.planning`: what only its own tools change.
_KEPT = ("agent", "artifacts", "learned", "learning", "memory", "work")
_MOST_LINES = 200


def read(hands: Hands, given: Mapping[str, Any]) -> object:
    """The text of a file, or some lines of it. Raises GsdError `outside`, `missing`, `bad_encoding`."""
    if given["path"].startswith("artifact:"):
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
    except re.error as error:
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


def shell(hands: Hands, given: Mapping[str, Any]) -> object:
    """Run a command in the root of the project. Raises GsdError `no_shell`, `timed_out`.

    The key of the provider is not in its environment.
    """
    import subprocess

    from gsd_capabilities.learning.limits import AGENT_SHELL_SECONDS

    if not hands.allow_shell:
        raise GsdError(
            "the shell is not allowed", reason="no_shell", hint="a person starts with --allow-shell"
        )
    environ = {name: value for name, value in hands.request.environ.items() if name not in hands.secret}
    seconds = int(given.get("seconds", AGENT_SHELL_SECONDS))
    try:
        done = subprocess.run(  # noqa: S602 - that is what a shell is; a person allowed it
            given["command"],
            shell=True,
            cwd=hands.project.root,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        message = f"the command did not end within {seconds} seconds"
        raise GsdError(message, reason="timed_out", hint="give it more seconds") from error
    return {"exit": done.returncode, "output": done.stdout.decode("utf-8", "replace")}


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
    if real != root and not real.startswith(os.path.join(root, "")):
        hint = "name it relative to the root of the project"
        raise GsdError("this lies outside the project", reason="outside", file=path, hint=hint)
    return real


def _changed(hands: Hands, path: str) -> str:
    """As `_inside`, for a file to be changed.

    Raises GsdError `kept` where only other tools may, and `task_running` for a new skill during a task.
    """
    real = _inside(hands, path)
    parts = os.path.relpath(real, os.path.realpath(hands.project.root)).split(os.sep)
    names = [part.lower() for part in parts]
    if names[0] == ".git" or (names[0] == ".planning" and names[1:2] and names[1] in _KEPT):
        hint = "use the tools for memory, tasks, deliverables and packages"
        raise GsdError("this file is changed by its own tools only", reason="kept", file=path, hint=hint)
    if names[-1] == "skill.md" and hands.task and not os.path.exists(real):
        hint = "note what was learnt; a skill is proposed when the task is finished"
        raise GsdError("a task writes no new skill", reason="task_running", file=path, hint=hint)
    return real


def _text(hands: Hands, path: str) -> str:
    try:
        with open(_inside(hands, path), "rb") as stream:
            return stream.read().decode()
    except UnicodeDecodeError:
        raise GsdError("this is not UTF-8", reason="bad_encoding", file=path) from None
    except OSError as error:
        message = (error.strerror or str(error)).lower()
        raise GsdError(message, reason="missing", file=path, hint="look for it with file_search") from error


def _put(path: str, text: str) -> None:
    from gsd_install.kernel.files import make_folder, write_atomic

    make_folder(os.path.dirname(path))
    write_atomic(path, text.encode())


def _matching(hands: Hands, pattern: str) -> Iterator[str]:
    """Files inside the project, by the pattern, without those of git. Raises GsdError `outside`."""
    import glob

    root = hands.project.root
    if os.path.isabs(pattern) or ".." in pattern.replace("\\", "/").split("/"):
        raise GsdError("this pattern leads out of the project", reason="outside", file=pattern)
    real = os.path.join(os.path.realpath(root), "")
    for name in sorted(glob.glob(pattern, root_dir=root, recursive=True)):
        path = os.path.realpath(os.path.join(root, name))
        if path.startswith(real) and os.path.isfile(path) and not path.startswith(f"{real}.git{os.sep}"):
            yield name.replace(os.sep, "/")


def _lines(path: str) -> list[str]:
    """The lines of a text; none of what is not one or cannot be read."""
    try:
        with open(path, "rb") as stream:
            data = stream.read()
    except OSError:
        return []
    return [] if b"\0" in data else data.decode("utf-8", "replace").splitlines()
