"""What lies in a repository beside `.planning/`: whether there is code, and whether it is a workspace."""

from __future__ import annotations

import os

from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_CODE = (
    " astro bash c cc clj cpp cr cs css cxx dart elm erl ex exs f90 fs go groovy h hpp hs html ipynb java jl"
    " js jsx kt kts lua m ml mm nim php pl pm ps1 py r rb rs scala scss sh sol sql svelte swift tf ts tsx v"
    " vb vue zig "
)
_NOT_OURS = " node_modules vendor third_party dist build target venv __pycache__ site-packages "
_ENTRIES = 4_000
_PRESENCE = ("pnpm-workspace.yaml", "pnpm-workspace.yml", "go.work", "lerna.json", "nx.json")


def has_code(root: str) -> bool:
    """Whether a source file lies below `root`; looks at the first 4,000 entries, nearest first.

    Hidden folders and those that hold dependencies or results of a build do not count.
    """
    return any(_is_code(name) for name in _files(root))


def is_monorepo(root: str) -> bool:
    """Whether the root of the project declares a workspace of several packages.

    Known are pnpm, Go, Lerna and Nx by a file, and npm, Cargo and uv by a declaration in their manifest.
    """
    if any(os.path.isfile(os.path.join(root, name)) for name in _PRESENCE):
        return True
    return any(declares(_text(os.path.join(root, name))) for name, declares in _MANIFESTS.items())


def _files(root: str) -> Iterator[str]:
    """Names of files, breadth first."""
    queue, seen = [root], 0
    for folder in queue:
        for entry in _entries(folder):
            seen += 1
            if seen > _ENTRIES:
                return
            if entry.is_file():
                yield entry.name
            elif entry.is_dir(follow_symlinks=False) and not _is_foreign(entry.name):
                queue.append(entry.path)


def _is_code(name: str) -> bool:
    stem, _, ending = name.rpartition(".")
    return bool(stem and ending) and f" {ending.lower()} " in _CODE


def _is_foreign(name: str) -> bool:
    return name.startswith(".") or f" {name} " in _NOT_OURS


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return []  # what nobody may look into is not code to be mapped


def _text(path: str) -> str:
    try:
        with open(path, "rb") as stream:
            return stream.read().decode("utf-8-sig", "replace")
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return ""


def _npm(text: str) -> bool:
    """Whether package.json has workspaces; one that is no JSON counts when it names the key."""
    if '"workspaces"' not in text:
        return False
    import json

    try:
        table = json.loads(text)
    except ValueError:
        return True
    return isinstance(table, dict) and bool(table.get("workspaces"))


def _cargo(text: str) -> bool:
    return _has_table(text, "workspace")


def _uv(text: str) -> bool:
    return _has_table(text, "tool.uv.workspace")


def _has_table(text: str, name: str) -> bool:
    """Whether TOML `text` has the table, found by its header: nothing else of the file matters."""
    if name.rpartition(".")[2] not in text:
        return False
    heads = (line.replace(" ", "").replace("\t", "") for line in text.splitlines() if "[" in line)
    return any(head.startswith((f"[{name}]", f"[{name}.", f"[[{name}.")) for head in heads)


_MANIFESTS: Mapping[str, Callable[[str], bool]] = {
    "package.json": _npm,
    "Cargo.toml": _cargo,
    "pyproject.toml": _uv,
}
