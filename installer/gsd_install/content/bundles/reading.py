"""A bundle as a catalog: foreign content, installed unchanged and unasked to be anything else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gsd_install.content import tree
from gsd_install.content.bundles import document, fields, travelling
from gsd_install.content.bundles.author import HOOKS, SERVERS
from gsd_install.content.bundles.declared import hooks, servers
from gsd_install.content.bundles.layout import (
    Layout,
    identifier,
    is_bundle,
    is_looked_at,
    lacks_its_head,
    layout,
)
from gsd_install.content.bundles.naming import Named, all_named
from gsd_install.content.bundles.owned import owned
from gsd_install.content.model import FILE, Asset, Catalog
from gsd_install.kernel.digests import of_files
from gsd_install.kernel.errors import GsdError, ManyErrors


def bundle(root: str) -> Catalog | None:
    """The catalog of a bundle; None where `root` is none.

    Raises GsdError, or ManyErrors with every fault: names that clash, texts that are not UTF-8, links, what
    cannot be read, manifests that are not JSON.
    """
    files = {file.path: file for file in tree.walk(root, is_looked_at)}
    if not is_bundle(files):
        return None
    contents = {path: tree.read(root, path) for path in files}
    if lacks_its_head(contents):
        return None
    plan = layout(root, contents)
    prefix = identifier(plan.name)
    if not prefix:
        raise GsdError(
            f"{plan.name!r} holds no letter and no digit to name the bundle by",
            reason="bad_name",
            file=root,
            hint="rename its folder with letters from a to z",
        )
    fronts = _fronts(root, contents, [*plan.commands, *plan.agents, *plan.skills.values()])
    names = {path: fields.one_line(front.fields.get("name", "")) for path, front in fronts.items()}
    return _catalog(root, files, contents, plan, prefix, all_named(root, plan, prefix, names), fronts)


def _fronts(root: str, contents: Mapping[str, bytes], paths: Iterable[str]) -> dict[str, fields.Front]:
    found: dict[str, fields.Front] = {}
    errors: list[GsdError] = []
    for path in paths:
        try:
            found[path] = fields.read(document.decoded(contents[path], f"{root}/{path}"))
        except GsdError as error:
            errors.append(error)
    if errors:
        raise ManyErrors(tuple(errors)) if len(errors) > 1 else errors[0]
    return found


def _catalog(
    root: str,
    files: Mapping[str, tree.SourceFile],
    contents: Mapping[str, bytes],
    plan: Layout,
    prefix: str,
    items: tuple[Named, ...],
    fronts: Mapping[str, fields.Front],
) -> Catalog:
    kept = _placed(items, contents)
    taken = {*(item.file for item in items), *kept, *plan.skipped, HOOKS, SERVERS}
    starts = [*(item.file for item in items), *kept, *(path for path in (HOOKS, SERVERS) if path in contents)]
    loose = travelling.pointed(contents, taken, starts)
    own = owned((plan.name, prefix), items, kept, loose)
    made = [document.made(item, fronts[item.file], own) for item in items]
    assets = [
        travelling.asset("skill", at.split("/")[1], at, files[path], contents[path], own)
        for path, at in kept.items()
    ]
    assets += [travelling.asset(FILE, path, path, files[path], contents[path], own) for path in loose]
    declared, unheard = hooks(root, contents, plan.manifest, prefix, own)
    programs, unserved = servers(root, contents, plan.manifest)
    said = (f"{item.file}: {line}" for item, each in zip(items, made, strict=True) for line in each.said)
    sources = {item.path: item.file for item in items} | {at: path for path, at in kept.items()}
    return Catalog(
        root,
        prefix,
        plan.name,
        str(plan.manifest.get("version") or "0"),
        prefix,
        "",
        tuple(each.document for each in made),
        tuple(_single(root, assets)),
        declared,
        programs,
        of_files(contents),
        sources={path: file for path, file in sources.items() if path != file},
        notes=(*said, *unheard, *unserved),
        bundle="own" if any(map(travelling.is_specific, assets)) else "shared",
    )


def _placed(items: Iterable[Named], contents: Mapping[str, bytes]) -> dict[str, str]:
    """Every file beside a skill, and where it stands in the catalog."""
    skills, paths = [item for item in items if item.kind == "skill"], sorted(contents)
    return {path: at for skill in skills for path, at in travelling.beside(skill, paths)}


def _single(root: str, assets: Iterable[Asset]) -> Iterator[Asset]:
    """The assets. Raises GsdError where two would be one file in which case does not count."""
    seen: dict[str, str] = {}
    for asset in assets:
        first = seen.setdefault(asset.path.casefold(), asset.path)
        if first != asset.path:
            raise tree.case_clash(root, asset.path, first)
        yield asset
