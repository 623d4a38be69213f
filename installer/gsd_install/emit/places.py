"""Where everything of a content root stands in one target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gsd_install.content.model import DISCOVERED, FILE, Catalog, Document
from gsd_install.emit.target import Target
from gsd_install.runtime.model import Place, Runtime

# A kind is placed as itself where the host has a place for it, else as the nearest kind it has.
NEAREST = {"command": ("command", "skill"), "agent": ("agent",), "skill": ("skill",)}


def place_for(kind: str, target: Target) -> Place | None:
    """The place of a kind in this target, or of the nearest kind that has one."""
    for candidate in NEAREST[kind]:
        places = target.places(candidate)
        if places:
            return places[0]
    return None


def own_path(catalog: Catalog, document: Document, place: Place, target: Target) -> str:
    """Where a discovered document stands when it is the runtime's own copy."""
    return target.resolve(place.path.replace("{name}", catalog.name_of(document)))


def locate(
    catalog: Catalog,
    documents: Iterable[Document],
    target: Target,
    specific: frozenset[str],
    elsewhere: frozenset[str] = frozenset(),
) -> dict[str, str]:
    """Where every document and asset of the content root stands in this target, absolute."""
    located: dict[str, str] = {}
    skills: dict[str, str] = {}
    for document in documents:
        if document.kind not in DISCOVERED:
            located[document.path] = aside(catalog, target, document.path, own=document.path in specific)
            continue
        place = place_for(document.kind, target)
        if place is None:
            located[document.path] = aside(catalog, target, document.path, own=True)
        else:
            shared = target.cross_read(catalog.name_of(document)) if place.kind == "skill" else ()
            copies = [path for path in shared if path in elsewhere]
            located[document.path] = (copies or [own_path(catalog, document, place, target)])[0]
        if document.kind == "skill":
            skills[document.id] = target.platform.path.dirname(located[document.path])
    files = files_root(catalog, target) if catalog.bundle else ""
    for asset in catalog.assets:
        if asset.kind == "hook":
            located[asset.path] = aside(catalog, target, asset.path, own=False)
        elif asset.kind == FILE:
            located[asset.path] = target.below(files, asset.path)
        elif asset.id in skills:
            inner = asset.path.removeprefix(f"skills/{asset.id}/")
            located[asset.path] = target.below(skills[asset.id], inner)
    if catalog.bundle:
        located["."] = files
        located |= {f"skills/{name}": path for name, path in skills.items()}
        located |= {
            folder: target.platform.path.dirname(below) for folder, below in _folders(catalog, located)
        }
    return located


def aside(catalog: Catalog, target: Target, path: str, *, own: bool) -> str:
    """Where a text that no host discovers stands: in the payload, or below the runtime's own directory."""
    if own:
        return target.below(target.own, f"{catalog.id}/{path}")
    return target.below(target.payload, f"content/{catalog.id}/{path}")


def own_files(catalog: Catalog) -> bool:
    """Whether the files of a bundle read differently from host to host: then each host has its own."""
    return catalog.bundle == "own"


def files_root(catalog: Catalog, target: Target) -> str:
    """The directory that stands for the root of a bundle.

    Hosts that share a directory of skills share the files too that those skills point at.
    """
    if not own_files(catalog):
        return target.below(target.payload, f"content/{catalog.id}")
    place = place_for("skill", target) if is_prose(target.runtime) else None
    folder = folder_of(place, target) if place else target.own
    return target.below(folder, catalog.id)


def folder_of(place: Place, target: Target) -> str:
    """What holds the directory of a place: `~/.agents` for `~/.agents/skills/{name}/SKILL.md`."""
    names = target.platform.path
    return str(names.dirname(target.resolve(place.path.partition("{name}")[0].rstrip("/"))))


def is_prose(runtime: Runtime) -> bool:
    """Whether a host puts nothing in the place of arguments: prose says there what they are."""
    return not {"$", "{"} & set(runtime.arguments)


def _folders(catalog: Catalog, located: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The folders of a bundle that its texts may name, each with the path of something right in it."""
    seen = {".", *located}
    for asset in catalog.assets:
        path, below = asset.path, located.get(asset.path, "")
        top = "" if asset.kind == FILE else "skills"
        while below and (folder := path.rpartition("/")[0]) not in ("", top) and folder not in seen:
            yield folder, below
            seen.add(folder)
            path, below = folder, below.rpartition("/" if "/" in below else "\\")[0]
