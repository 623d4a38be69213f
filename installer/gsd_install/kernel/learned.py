"""What a project has learned: proposals that wait, what went live, and the events that decide about them.

Below `.planning/`: `learning/pending/<name>/` waits and is in no catalog; `learned/` is a content root, which
the installer brings to every runtime of the project; `learning/past/` keeps what was rejected, withdrawn,
replaced or removed. A proposal is decided by the last event about its name and digest, written before
anything moves: whoever comes next, the companion or the installer, carries out what is left of it.
"""

from __future__ import annotations

import os
import stat

from gsd_install.kernel.digests import of_files
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.events import Event
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    Decisions = Mapping[tuple[str, str], Event]

PLANNING = ".planning"
ID = "learned"
# Below the planning files: who can be told of what went live.
TEAM_FILE = ("agent", "team.json")
SKILL, AGENT, TEAM = "skill", "agent", "team"
KINDS = (SKILL, AGENT, TEAM)

# The file of a proposal that says what it is; a team has one file for each of its members.
MAIN = {"SKILL.md": SKILL, "AGENT.md": AGENT}

PROPOSED, WITHDRAWN = "skill-proposed", "skill-withdrawn"
APPROVED, INSTALLED, REJECTED, REMOVED = (
    "skill-approved",
    "skill-installed",
    "skill-rejected",
    "skill-removed",
)
LIFE = (PROPOSED, WITHDRAWN, APPROVED, INSTALLED, REJECTED, REMOVED)
GO_LIVE = (APPROVED, INSTALLED)
GO_AWAY = (REJECTED, WITHDRAWN)


class File(NamedTuple):
    """One file of a proposal."""

    data: bytes
    executable: bool = False


class Proposal(NamedTuple):
    """`files` are by path relative to `folder`, POSIX; `digest` covers every path and byte of them."""

    name: str
    kind: str
    folder: str
    files: Mapping[str, File]
    digest: str


def planning(root: str) -> str:
    """The folder of a project's planning files."""
    return os.path.join(root, PLANNING)


def pending_folder(root: str) -> str:
    """Where proposals wait, each in a folder of its name."""
    return os.path.join(root, PLANNING, "learning", "pending")


def past_folder(root: str) -> str:
    """Where proposals go that do not wait any more, and what they replaced."""
    return os.path.join(root, PLANNING, "learning", "past")


def live_folder(root: str) -> str:
    """The content root of what went live."""
    return os.path.join(root, PLANNING, ID)


def kind_of(paths: Iterable[str]) -> str:
    """What a proposal with these files is."""
    return next((MAIN[path] for path in paths if path in MAIN), TEAM)


def digest(files: Mapping[str, File]) -> str:
    """One hash of every path and byte."""
    return of_files({path: file.data for path, file in files.items()})


def files_in(folder: str) -> dict[str, File]:
    """Every file of a folder. Raises GsdError for a link or a device, OSError for what cannot be read."""
    return dict(sorted(_walked(folder, "")))


def _walked(folder: str, below: str) -> Iterator[tuple[str, File]]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            mode = entry.stat(follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode):
                yield from _walked(entry.path, f"{below}{entry.name}/")
            elif stat.S_ISREG(mode):
                with open(entry.path, "rb") as file:
                    yield f"{below}{entry.name}", File(file.read(), bool(mode & 0o100))
            else:
                raise _link(entry.path)


def _link(path: str) -> GsdError:
    message = "this is a link or a device, and neither can be learned"
    hint = "put the file or the folder itself there, or remove it"
    return GsdError(message, reason="source_link", file=path, hint=hint)


def proposal(root: str, name: str) -> Proposal | None:
    """The proposal that waits under a name, or None. Raises GsdError and OSError as `files_in`."""
    if not name or os.path.basename(name) != name or name.startswith("."):
        return None
    return _found(name, os.path.join(pending_folder(root), name))


def proposals(root: str) -> tuple[Proposal, ...]:
    """All that wait, by name."""
    names = _names(pending_folder(root))
    return tuple(found for name in names if (found := proposal(root, name)) is not None)


def _found(name: str, folder: str) -> Proposal | None:
    if os.path.islink(folder):
        raise _link(folder)
    if not os.path.isdir(folder):
        return None
    files = files_in(folder)
    return Proposal(name, kind_of(files), folder, files, digest(files)) if files else None


def live(root: str) -> tuple[Proposal, ...]:
    """What went live, skills before agents, by name."""
    return (*_live_skills(root), *_live_agents(root))


def _live_skills(root: str) -> Iterator[Proposal]:
    folder = os.path.join(live_folder(root), "skills")
    for name in _names(folder):
        found = _found(name, os.path.join(folder, name))
        if found is not None:
            yield found


def _live_agents(root: str) -> Iterator[Proposal]:
    folder = os.path.join(live_folder(root), "agents")
    for name in _names(folder):
        path = os.path.join(folder, name)
        if name.endswith(".md") and os.path.isfile(path):
            with open(path, "rb") as file:
                files = {"AGENT.md": File(file.read())}
            yield Proposal(name.removesuffix(".md"), AGENT, path, files, digest(files))


def _names(folder: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except (FileNotFoundError, NotADirectoryError):
        return []


def decisions(events: Iterable[Event]) -> dict[tuple[str, str], Event]:
    """The last event about each name and digest."""
    return {
        (event.subject, str(event.data.get("digest", ""))): event for event in events if event.kind in LIFE
    }


def decided(found: Proposal, last: Decisions) -> str:
    """The kind of the last event about a proposal, or empty where there is none."""
    event = last.get((found.name, found.digest))
    return event.kind if event else ""
