"""Which file of a bundle is what: the layout of plugins, and plain folders of skills.

A plugin has a manifest, `commands/` with any folders below it, `agents/`, `skills/<name>/`, hooks and MCP
servers; its manifest may name further paths. The same folders without the manifest will do, and so will
folders of skills, or one skill.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping

from gsd_install.content.bundles.author import MANIFEST, SERVERS
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

LONGEST_NAME = 64  # https://agentskills.io/specification

_SKILL = "skill.md"
_HIDDEN = frozenset({MANIFEST.partition("/")[0], SERVERS})
_README = "readme.md"
_OTHER = re.compile(r"[^a-z0-9]+")


class Layout(NamedTuple):
    """What is where, below the root: `commands` and `agents` are files, `skills` folders and a file each.

    `manifest` is `plugin.json` as it was read, empty without one. `skipped` are files of those folders that
    are no documents.
    """

    name: str
    manifest: Mapping[str, Any]
    commands: Mapping[str, str]
    agents: Mapping[str, str]
    skills: Mapping[str, str]
    skipped: tuple[str, ...]


def is_bundle(paths: Iterable[str]) -> bool:
    """Whether these files are a bundle; `paths` are relative to the root."""
    for path in paths:
        top = path.partition("/")[0]
        if path == MANIFEST or path.rpartition("/")[2].lower() == _SKILL:
            return True
        if top in ("commands", "agents") and path.endswith(".md"):
            return True
    return False


def lacks_its_head(contents: Mapping[str, bytes]) -> bool:
    """Whether these are the files of a content root of ours whose content.toml is missing."""
    if MANIFEST in contents or not any(path.startswith("workflows/") for path in contents):
        return False
    return any(b"{gsd:" in data for path, data in contents.items() if path.endswith(".md"))


def is_looked_at(path: str) -> bool:
    """Whether a file or folder of this path can be part of a bundle: repositories hold much that is not."""
    top, _, rest = path.partition("/")
    if path.rpartition("/")[2] == "node_modules":
        return False
    return rest != "" or not top.startswith(".") or top in _HIDDEN


def layout(root: str, contents: Mapping[str, bytes]) -> Layout:
    """The layout of a bundle. Raises GsdError for a manifest that cannot be read."""
    manifest = _manifest(root, contents)
    paths = sorted(contents)
    skills = dict(_skills(paths, manifest))
    inside = tuple(f"{folder}/" for folder in skills if folder != ".")
    free = [path for path in paths if not path.startswith(inside)] if inside else paths
    skipped = [path for path in free if path.rpartition("/")[2].lower() == _README]
    found = {
        kind: {} if "." in skills else _stems(free, (kind, *named_paths(manifest, kind)))
        for kind in ("commands", "agents")
    }
    name = str(manifest.get("name") or "") or os.path.basename(os.path.abspath(root))
    return Layout(name, manifest, found["commands"], found["agents"], skills, tuple(skipped))


def identifier(text: str) -> str:
    """`text` as a name every host takes: small letters, digits and single hyphens; empty without any.

    A name that is too long loses its last words, for a few characters of its digest.
    """
    made = _OTHER.sub("-", text.lower()).strip("-")
    if len(made) <= LONGEST_NAME:
        return made
    from hashlib import sha256

    words = [*made.split("-"), sha256(text.encode()).hexdigest()[:8]]
    while len("-".join(words)) > LONGEST_NAME:
        del words[-2]
    return "-".join(words)


def named_paths(manifest: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """The further paths that a manifest names for a kind, relative to the root."""
    value = manifest.get(key, ())
    if isinstance(value, dict):
        value = [item.get("source") for item in value.values() if isinstance(item, dict)]
    listed = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    cleaned = (os.path.normpath(path).replace(os.sep, "/") for path in listed if isinstance(path, str))
    return tuple(path for path in cleaned if not path.startswith(("../", "/")) and path != "..")


def read_json(root: str, path: str, data: bytes) -> Any:
    """A JSON file of a bundle. Raises GsdError with its line."""
    try:
        return json.loads(data.decode("utf-8-sig"))
    except ValueError as error:
        line = getattr(error, "lineno", None)
        raise GsdError(f"not JSON: {error}", reason="bad_json", file=f"{root}/{path}", line=line) from error


def _manifest(root: str, contents: Mapping[str, bytes]) -> Mapping[str, Any]:
    if MANIFEST not in contents:
        return {}
    found = read_json(root, MANIFEST, contents[MANIFEST])
    if not isinstance(found, dict) or not isinstance(found.get("name", ""), str):
        raise GsdError(
            "plugin.json needs an object with a name",
            reason="bad_value",
            file=f"{root}/{MANIFEST}",
            hint='write {"name": "...", "version": "..."}',
        )
    return found


def _stems(paths: Iterable[str], where: tuple[str, ...]) -> dict[str, str]:
    """Every Markdown file that is or is below one of `where`, and its path from there without the suffix."""
    found = {}
    for path in paths:
        if not path.endswith(".md") or path.rpartition("/")[2].lower() == _README:
            continue
        place = next((place for place in where if path == place or path.startswith(f"{place}/")), None)
        if place is not None:
            inner = path.rpartition("/")[2] if path == place else path.removeprefix(f"{place}/")
            found[path] = inner.removesuffix(".md")
    return found


def _skills(paths: list[str], manifest: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Folder and file of every skill; what is below a skill belongs to it."""
    files = [path for path in paths if path.rpartition("/")[2].lower() == _SKILL]
    if any("/" not in path for path in files) and not manifest:
        yield ".", next(path for path in files if "/" not in path)
        return
    places = ("skills", *named_paths(manifest, "skills"))
    below = tuple(f"{place}/" for place in places if place != ".")
    listed = [path for path in files if path.startswith(below) or path.rpartition("/")[0] in places]
    if not listed and not manifest:
        listed = [path for path in files if "/" in path]
    taken: set[str] = set()
    for path in sorted(listed, key=lambda path: (path.count("/"), path)):
        folder = path.rpartition("/")[0]
        if folder and not any(folder == outer or folder.startswith(f"{outer}/") for outer in taken):
            taken.add(folder)
            yield folder, path
