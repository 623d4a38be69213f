"""The files of a bundle that are no documents: what stands beside a skill, and what texts point at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gsd_install.content.bundles import wording
from gsd_install.content.bundles.author import INSTRUCTIONS, MANIFEST, MARKETPLACE, PROJECT
from gsd_install.content.bundles.naming import Named
from gsd_install.content.model import FILE, Asset
from gsd_install.content.tree import SourceFile, is_script

# What an agent reads; everything else travels byte for byte.
_READ = (".md", ".mdx", ".markdown", ".txt")
# Where documents of ours stand, which each host has in places of its own.
_NATIVE = ("commands/", "agents/", "skills/")
_MANIFESTS = frozenset({MANIFEST, MARKETPLACE})


def beside(skill: Named, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each file of a skill's folder, as it is and as it stands in the catalog."""
    folder = skill.file.rpartition("/")[0]
    start = f"{folder}/" if folder else ""
    for path in paths:
        if path.startswith(start) and path != skill.file and path not in _MANIFESTS:
            yield path, f"skills/{skill.id}/{path.removeprefix(start)}"


def pointed(contents: Mapping[str, bytes], taken: Iterable[str], starts: Iterable[str]) -> tuple[str, ...]:
    """The files that texts point at, sorted: a folder at the root of the bundle travels whole.

    `starts` are the files that may point, `taken` those that have a place already. What travels may point on.
    """
    placed = _MANIFESTS.union(taken)
    free = [path for path in contents if path not in placed]
    found: set[str] = set()
    pending = [*starts]
    while pending:
        tops = {name.partition("/")[0] for name in wording.names_root(_text(contents[pending.pop()]))}
        reached = [
            path for path in free if path not in found and (path.partition("/")[0] in tops or "" in tops)
        ]
        found.update(reached)
        pending += reached
    return tuple(sorted(found))


def asset(kind: str, id: str, path: str, file: SourceFile, data: bytes, own: wording.Own) -> Asset:  # noqa: A002
    """A file as it travels; a text that names paths of the bundle, or of its author's host, in parts."""
    made = Asset(kind, id, path, data, is_script(file, data))
    if not file.path.lower().endswith(_READ):
        return made
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return made  # some other encoding: it stays as it is
    parts = wording.parts(text, own)
    if len(parts) > 1 or INSTRUCTIONS in text or PROJECT in text:
        return made._replace(parts=parts)
    return made


def is_specific(asset: Asset) -> bool:
    """Whether a loose file reads differently from host to host."""
    for part in asset.parts if asset.kind == FILE else ():
        if isinstance(part, str):
            if PROJECT in part or INSTRUCTIONS in part:
                return True
        elif part.verb != "path" or part.argument.startswith(_NATIVE):
            return True
    return False


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="replace")
