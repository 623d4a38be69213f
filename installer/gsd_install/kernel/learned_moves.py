"""Carry out what was decided about proposals. Each step can be taken again, so that a run that was killed
is finished by the next one.
"""

from __future__ import annotations

import contextlib
import os

from gsd_install.kernel import events, files, learned
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gsd_install.kernel.learned import Proposal

_HEAD = f"""\
format = 1
id = "{learned.ID}"
name = "Learned skills"
version = "1"
prefix = "{learned.ID}"
"""


def settle(root: str) -> tuple[str, ...]:
    """Move every proposal of a project that is decided and still waits; the names of those that went live.

    Raises GsdError `outside` for a link that leads away, `system` for what the system refuses.
    """
    with system_errors(learned.planning(root)):
        last = learned.decisions(events.read(learned.planning(root), learned.LIFE))
        went = []
        for proposal in learned.proposals(root):
            kind = learned.decided(proposal, last)
            if kind in learned.GO_LIVE:
                _go_live(root, proposal)
                went.append(proposal.name)
            elif kind in learned.GO_AWAY:
                put_away(root, proposal)
        return tuple(went)


def put_away(root: str, proposal: Proposal) -> None:
    """Move a proposal, or what is live of it, to what is past. Raises OSError."""
    files.make_folder(inside(root, learned.past_folder(root)))
    with contextlib.suppress(FileNotFoundError):  # another process was there first
        files.move(proposal.folder, _free(past_place(root, proposal.name, proposal.digest)))


def past_place(root: str, name: str, digest: str) -> str:
    """Where the first of that name and digest goes when it is put away."""
    return os.path.join(learned.past_folder(root), f"{name}-{digest[:12]}")


@contextlib.contextmanager
def system_errors(path: str) -> Iterator[None]:
    """Turn what the system refuses into GsdError `system`."""
    try:
        yield
    except OSError as error:
        hint = "look at the file and its folder: who may read and write them, and is there room"
        message = (error.strerror or str(error)).lower()
        raise GsdError(message, reason="system", file=str(error.filename or path), hint=hint) from error


def _go_live(root: str, proposal: Proposal) -> None:
    folder = inside(root, learned.live_folder(root))
    files.make_folder(folder)
    head = os.path.join(folder, "content.toml")
    if not os.path.lexists(head):
        _write(root, head, _HEAD.encode())
    if proposal.kind == learned.SKILL:
        _replace(root, proposal, os.path.join(folder, "skills"))
    else:
        _copy(root, proposal, os.path.join(folder, "agents"))


def _replace(root: str, proposal: Proposal, folder: str) -> None:
    files.make_folder(inside(root, folder))
    target = os.path.join(folder, proposal.name)
    for old in learned.live(root):
        if old.folder == target and old.digest == proposal.digest:
            put_away(root, proposal)  # another process moved it, or it was learned before
            return
        if old.folder == target:
            put_away(root, old)
    with contextlib.suppress(FileNotFoundError):  # another process was there first
        files.move(proposal.folder, target)


def _copy(root: str, proposal: Proposal, folder: str) -> None:
    """Agents are files of one folder: they are written one by one, and then the proposal is put away."""
    files.make_folder(inside(root, folder))
    for path, file in proposal.files.items():
        name = proposal.name if proposal.kind == learned.AGENT else path.removesuffix(".md")
        target = os.path.join(folder, f"{name}.md")
        for old in learned.live(root):
            if old.folder == target and old.files["AGENT.md"].data != file.data:
                put_away(root, old)
        if not os.path.lexists(target):
            _write(root, target, file.data)
    put_away(root, proposal)


def _write(root: str, target: str, data: bytes) -> None:
    """Write a file elsewhere and move it into the content root: half a file is no content.

    What a killed process leaves stands where leftovers of other planning files do, and is cleared with them.
    """
    name = f".learned-{os.path.basename(target)}{files.TEMPORARY}"
    file = os.path.join(learned.planning(root), name)
    files.write_atomic(file, data)
    with contextlib.suppress(FileExistsError, FileNotFoundError):  # another process was there first
        files.move(file, target)


def _free(path: str) -> str:
    """`path`, or the first of `path-2`, `path-3`, ... that is not taken."""
    number, free = 1, path
    while os.path.lexists(free):
        number += 1
        free = f"{path}-{number}"
    return free


def inside(root: str, folder: str) -> str:
    """`folder`, if no link leads from it out of the planning files. Raises GsdError `outside`."""
    planning = os.path.realpath(learned.planning(root))
    if not os.path.join(os.path.realpath(folder), "").startswith(os.path.join(planning, "")):
        hint = "replace it by a folder"
        message = "this is a link that leads out of the planning files"
        raise GsdError(message, reason="outside", file=folder, hint=hint)
    return folder
