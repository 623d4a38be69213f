"""Fill directories that are staged, by two processes where there is enough for both.

Creating a file keeps a processor busy inside the system, and one Python process uses one. So a second one,
forked, takes half of the new directories. It holds the same lock, writes nothing but staged files, and is
gone before any of them appears: whichever of the two is killed, what is left is what a single process leaves.
"""

from __future__ import annotations

import os
import sys

from gsd_install.apply import disk
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, NoReturn

    from gsd_install.apply.journal import Step
    from gsd_install.apply.staging import Staged

ENOUGH = 1_000  # files that take much longer to write than a process takes to fork
_SIGKILL = 9  # on every POSIX system; importing `signal` takes as long as writing thirty files


class Written(NamedTuple):
    """A file that was written: the number of its step, and of its stat what the cache remembers."""

    number: int
    mtime_ns: int
    size: int
    mode: int


class _Share(NamedTuple):
    """What one process does: directories, parents first, and steps with their numbers and where to write."""

    directories: list[str]
    steps: list[tuple[int, Step, str]]


def fill(
    staged: Staged,
    made: Iterable[str],
    steps: Sequence[Step],
    waiting: Mapping[int, str],
    owner: tuple[int, int] | None,
) -> list[Written]:
    """Make the directories of a transaction, and write the files of those of its steps that are staged.

    `waiting` says by number where such a file lies for now. Raises GsdError for what the disk refuses.
    """
    whole = _Share(list(made), [(number, steps[number], path) for number, path in waiting.items()])
    if len(waiting) < ENOUGH or not _may_fork():
        return _filled(staged, whole, owner)
    one, other = _halves(staged, whole)
    return _by_two(staged, one, other, owner)


def _may_fork() -> bool:
    """Whether a process that forks goes on well: on macOS its frameworks forbid it, elsewhere its threads."""
    threading = sys.modules.get("threading")
    return sys.platform == "linux" and (threading is None or threading.active_count() == 1)


def _halves(staged: Staged, whole: _Share) -> tuple[_Share, _Share]:
    """Two shares of about the same number of files; a tree that appears at once is in one of them."""
    sizes = dict.fromkeys((None, *staged.tops), 0)
    tops = [staged.top(os.path.dirname(step.path)) for _, step, _ in whole.steps]
    for top in tops:
        sizes[top] += 1
    first, second, chosen = 0, 0, set()
    for top in sorted(sizes, key=lambda top: -sizes[top]):
        if top is None or first <= second:
            first += sizes[top]
        else:
            second += sizes[top]
            chosen.add(top)
    one, other = _Share([], []), _Share([], [])
    for directory in whole.directories:
        (other if staged.top(directory) in chosen else one).directories.append(directory)
    for numbered, top in zip(whole.steps, tops, strict=True):
        (other if top in chosen else one).steps.append(numbered)
    return one, other


def _by_two(staged: Staged, one: _Share, other: _Share, owner: tuple[int, int] | None) -> list[Written]:
    import marshal

    reader, writer = os.pipe()
    try:
        child = os.fork()
    except OSError:  # there is no room for another process
        os.close(reader)
        os.close(writer)
        return _filled(staged, one, owner) + _filled(staged, other, owner)
    if child == 0:
        os.close(reader)
        _answer(writer, staged, other, owner)
    os.close(writer)
    try:
        with open(reader, "rb") as answers:
            written = _filled(staged, one, owner)
            answer = answers.read()
    except BaseException:
        os.kill(child, _SIGKILL)
        raise
    finally:
        os.waitpid(child, 0)
    if not answer:
        raise GsdError("the process that wrote half of the files was killed", reason="io", hint="run again")
    problem, found = marshal.loads(answer)  # noqa: S302 - from our own child
    if problem is not None:
        message, reason, file, hint = problem
        raise GsdError(message, reason=reason, file=file, hint=hint)
    return written + list(map(Written._make, found))


def _answer(writer: int, staged: Staged, share: _Share, owner: tuple[int, int] | None) -> NoReturn:
    """Fill a share, write down for the parent what came of it, and end this process."""
    import marshal

    answer: tuple[Any, list[Any]]
    try:
        try:
            answer = None, list(map(tuple, _filled(staged, share, owner)))
        except GsdError as error:
            answer = (error.message, error.reason, error.file, error.hint), []
        with open(writer, "wb") as file:
            file.write(marshal.dumps(answer))
    except BaseException:  # noqa: BLE001 - whatever it is, only the parent may go on, which sees no answer
        os._exit(1)
    os._exit(0)


def _filled(staged: Staged, share: _Share, owner: tuple[int, int] | None) -> list[Written]:
    where, found = "", []
    try:
        for where in share.directories:
            disk.make_directory(staged.directory(where), owner)
        for number, step, waiting in share.steps:
            where = step.path
            if step.after is None:
                raise AssertionError("only new files are staged")
            made = disk.create(
                waiting, step.after, mode=step.mode, exact=step.exact, owner=owner, durable=step.users
            )
            found.append(Written(number, made.st_mtime_ns, made.st_size, made.st_mode & disk.PERMISSIONS))
    except OSError as error:
        disk.refuse(error, where, "change this")
    return found
