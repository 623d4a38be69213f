"""The codebase map against the tree: what it names and is gone, what is there and it does not name.

A name counts as a path only if the tree had it when the map was made; so a media type, a branch or the
name of a package is never mistaken for one.
"""

from __future__ import annotations

import os

from gsd_capabilities.companion.commits import git
from gsd_capabilities.drift.named import mapped_at, paths
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gsd_capabilities.companion.project import Project

FOLDER = "codebase"
_DEPTH = 2


class Gone(NamedTuple):
    """A path that line `line` of the map file `file` names, and that the tree had and has no more."""

    file: str
    line: int
    path: str


class Drift(NamedTuple):
    """How the map differs from the tree; `undated` are map files that do not say what they were made of."""

    files: int
    named: int
    gone: tuple[Gone, ...]
    unnamed: tuple[str, ...]
    undated: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether the map names everything that is there and nothing that is not."""
        return not (self.gone or self.unnamed)


def drift(project: Project) -> Drift:
    """The drift of the map of `project`; a project without a map has none.

    Raises GsdError `git_failed` or `no_git`, and `bad_encoding` for a map file that is no text.
    """
    texts = _texts(project)
    commits = {file: mapped_at(text) for file, text in texts.items()}
    undated = tuple(file for file, commit in commits.items() if commit is None)
    now = _with_folders(git(project, "ls-files", "-z").split("\0")) if texts else frozenset()
    then = {commit: _tree(project, commit) for commit in commits.values() if commit}
    gone: list[Gone] = []
    named = 0
    for file, text in texts.items():
        before = then.get(commits[file] or "", frozenset())
        known = [each for each in paths(text) if each.path in before or each.path in now]
        named += len(known)
        gone += [Gone(file, each.line, each.path) for each in known if not _is_there(project, each.path, now)]
    old = frozenset().union(*then.values()) if then else now
    return Drift(len(texts), named, tuple(gone), tuple(_unnamed(now - old, texts.values())), undated)


def _unnamed(new: Iterable[str], texts: Iterable[str]) -> Iterator[str]:
    """Folders that are new, not hidden, at most two levels deep, and in no text; the outermost of each."""
    text = "\n".join(texts)
    last = ""
    for path in sorted(path for path in new if path.endswith("/")):
        hidden = any(name.startswith(".") for name in path.split("/"))
        if hidden or path.count("/") > _DEPTH or (last and path.startswith(last)):
            continue
        last = path
        if path.rstrip("/") not in text:
            yield path


def _is_there(project: Project, path: str, now: frozenset[str]) -> bool:
    return path in now or os.path.lexists(os.path.join(project.root, path))


def _tree(project: Project, commit: str) -> frozenset[str]:
    """Files and folders at `commit`; none where the history of this clone does not reach so far back."""
    try:
        git(project, "cat-file", "-e", f"{commit}^{{commit}}")
    except GsdError as error:
        if error.reason != "git_failed":
            raise
        return frozenset()
    return _with_folders(
        git(project, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit).split("\0")
    )


def _with_folders(names: Iterable[str]) -> frozenset[str]:
    """The names, and each folder above one of them, with and without a `/` at its end."""
    found: set[str] = set()
    for name in filter(None, names):
        found.add(name)
        folder = name.rpartition("/")[0]
        while folder and folder not in found:
            found.update((folder, f"{folder}/"))
            folder = folder.rpartition("/")[0]
    return frozenset(found)


def _texts(project: Project) -> Mapping[str, str]:
    """The files of the map by their name in messages, those of single packages too."""
    from gsd_capabilities.companion import planning_text

    found = {}
    for folder in ("", "packages"):
        base = os.path.join(project.shared, FOLDER, folder)
        try:
            names = sorted(os.listdir(base))
        except (FileNotFoundError, NotADirectoryError):
            continue
        for name in names:
            if name.endswith(".md"):
                path = os.path.join(base, name)
                found[project.shown(path)] = planning_text.read(project, path)
    return found
