"""Commits of planning files, by the rules of the reference `state-rules`.

Only what is named is committed. What the user has staged stays staged and uncommitted.
"""

from __future__ import annotations

import os

from gsd_capabilities.companion import config, guard
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from subprocess import CompletedProcess

    from gsd_capabilities.companion.project import Project


class Commit(NamedTuple):
    """What came of it: the hash of the commit, or None and the reason why there is none."""

    hash: str | None
    reason: str
    paths: tuple[str, ...]


def commit(
    project: Project, message: str, paths: Sequence[str], environ: Mapping[str, str] | None = None
) -> Commit:
    """Commit planning files by name; a path may be a folder, and a file that was deleted.

    Nothing is done where planning files are not committed: `planning.commit` is false, git ignores them, or
    there is no repository. Paths are absolute or relative to the project. Raises GsdError `no_paths`,
    `no_message`, `outside_planning`, `missing`, `git_failed`, as `config.resolve`, and LockedError.
    """
    if not message.strip():
        hint = "say what was done, such as: docs(03): context"
        raise GsdError("a commit needs a message", reason="no_message", hint=hint)
    if not paths:
        hint = "name the files that this step wrote"
        raise GsdError("no file to commit is named", reason="no_paths", hint=hint)
    names = tuple(dict.fromkeys(_planning_path(project, path) for path in paths))
    skipped = _skipped(project, environ if environ is not None else os.environ)
    if skipped:
        return Commit(None, skipped, names)
    with guard.locked(project):
        return _committed(project, message, names)


def git(project: Project, *arguments: str) -> str:
    """What git prints, run in the project. Raises GsdError `git_failed`, or `no_git` without a git."""
    done = _run(project, arguments)
    if done.returncode:
        raise _failed(project, arguments[0], done)
    return done.stdout


def tracked(project: Project, path: str) -> set[str]:
    """The files at or below `path` that git has, relative to the project; none outside a repository."""
    if not _in_repository(project):
        return set()
    return set(filter(None, git(project, "ls-files", "-z", "--", path).split("\0")))


def _committed(project: Project, message: str, names: tuple[str, ...]) -> Commit:
    for name in names:
        if not os.path.lexists(os.path.join(project.root, name)) and not tracked(project, name):
            raise GsdError("there is no such file, and git never had it", reason="missing", file=name)
    if not git(project, "status", "--porcelain", "-z", "--untracked-files=all", "--", *names):
        return Commit(None, "nothing has changed", names)
    listing = git(project, "ls-files", "-z", "--others", "--exclude-standard", "--", *names)
    new = list(filter(None, listing.split("\0")))
    if new:
        git(project, "add", "--", *new)
    try:
        git(project, "commit", "-q", "-m", message, "--", *names)
    except GsdError:
        if new:
            git(project, "rm", "-q", "--cached", "--", *new)
        raise
    return Commit(git(project, "rev-parse", "HEAD").strip(), "committed", names)


def _skipped(project: Project, environ: Mapping[str, str]) -> str | None:
    """Why nothing is committed here, if so."""
    if config.resolve(project, environ).get("planning.commit") is False:
        return "planning.commit is false"
    if not _in_repository(project):
        return "there is no git repository"
    return "git ignores the planning files" if _ignored(project) else None


def _ignored(project: Project) -> bool:
    done = _run(project, ("check-ignore", "-q", project.shown(project.shared)), literal=False)
    if done.returncode > 1:
        raise _failed(project, "check-ignore", done)
    return done.returncode == 0


def _in_repository(project: Project) -> bool:
    done = _run(project, ("rev-parse", "--is-inside-work-tree"))
    return done.returncode == 0 and done.stdout.strip() == "true"


def _planning_path(project: Project, path: str) -> str:
    """`path` relative to the project, `/` between names. Raises GsdError `outside_planning`."""
    whole = os.path.normpath(os.path.join(project.root, path))
    if whole != project.shared and not whole.startswith(os.path.join(project.shared, "")):
        hint = f"name files below {project.shown(project.shared)}/; code is committed by hand"
        raise GsdError("this is not a planning file", reason="outside_planning", file=path, hint=hint)
    return project.shown(whole)


def _failed(project: Project, command: str, done: CompletedProcess[str]) -> GsdError:
    said = (done.stderr.strip() or done.stdout.strip()).replace("\n", "; ")
    hint = "see what git says, and run the command by hand once that is settled"
    return GsdError(f"git {command} failed: {said}", reason="git_failed", file=project.root, hint=hint)


def _run(project: Project, arguments: Sequence[str], *, literal: bool = True) -> CompletedProcess[str]:
    """Run git; with `literal`, a `*` or `:(` in a name is part of the name (`check-ignore` refuses that)."""
    import subprocess

    environ = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_LITERAL_PATHSPECS": str(int(literal))}
    try:
        return subprocess.run(
            ("git", *arguments),
            cwd=project.root,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            check=False,
        )
    except FileNotFoundError:
        hint = "install git, or set planning.commit to false"
        raise GsdError("there is no git on PATH", reason="no_git", hint=hint) from None
