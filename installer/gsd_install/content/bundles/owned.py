"""Everything that the texts of one bundle may name, under each spelling that its author may have used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gsd_install.content.bundles import wording
from gsd_install.content.bundles.naming import Named


def owned(
    plugins: Iterable[str], items: Iterable[Named], beside: Mapping[str, str], loose: Iterable[str]
) -> wording.Own:
    """What may be named. `plugins` are names of the bundle, `beside` files of skills, `loose` others."""
    names, found, free = tuple(dict.fromkeys(plugins)), tuple(items), tuple(loose)
    files = {path: path for path in free} | dict(beside)
    folders = {folder: folder for path in free for folder in _above(path)}
    for item in found:
        if item.kind == "skill":
            for folder in _skill_folders(item):
                folders[folder] = f"skills/{item.id}"
                files[f"{folder}/{item.file.rpartition('/')[2]}"] = item.path
        else:
            files.setdefault(f"{item.kind}s/{item.spoken[-1].replace(':', '/')}.md", item.path)
        files[item.file] = item.path
    for path, at in beside.items():
        for folder, inner in zip(_above(path), _above(at), strict=False):
            if inner.count("/") > 1:
                folders.setdefault(folder, inner)
    return wording.Own(
        files, folders, dict(_typed(names, found)), dict(_spoken(names, found)), wording.pattern(names)
    )


def _above(path: str) -> Iterator[str]:
    """The folders that a path stands in, the innermost first."""
    while path := path.rpartition("/")[0]:
        yield path


def _skill_folders(item: Named) -> set[str]:
    """Where its files stand in the bundle, and where they stand once its author's host has it."""
    return {item.file.rpartition("/")[0], f"skills/{item.spoken[0]}"} - {""}


def _typed(plugins: tuple[str, ...], items: tuple[Named, ...]) -> Iterator[tuple[str, str]]:
    """Behind a slash: commands, and skills by the name of their bundle. The first in order goes last."""
    for item in reversed(items):
        for word in reversed(item.spoken):
            if item.kind != "agent":
                yield from ((f"{plugin}:{word}", item.name) for plugin in plugins)
            if item.kind == "command":
                yield word, item.name


def _spoken(plugins: tuple[str, ...], items: tuple[Named, ...]) -> Iterator[tuple[str, str]]:
    """Without a slash: anything by the name of its bundle."""
    for item in reversed(items):
        for word in reversed(item.spoken):
            yield from ((f"{plugin}:{word}", item.name) for plugin in plugins)
