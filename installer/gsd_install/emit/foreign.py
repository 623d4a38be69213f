"""A bundle's texts on their way to one host: the paths of the host it was written for become this one's.

What names a file of the bundle itself was told apart when the bundle was read (content/bundles); here the
rest follows `gsd_path_rewrites`. A match is whole path components that begin where a path can begin: never a
part of another path, of an address or of a longer name.

Hosts that put nothing in the place of arguments share directories of skills and agents, and one file serves
them all: what they find there is neutral, and speaks of the directory it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from gsd_install.content.bundles.author import HOME, INSTRUCTIONS, PROJECT, ROOT
from gsd_install.content.model import FILE, Catalog, Document, Part, Placeholder
from gsd_install.emit.places import folder_of, is_prose, place_for
from gsd_install.emit.target import Target, home_of
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple
from gsd_install.runtime.model import Place, Rewrite

if TYPE_CHECKING:
    from typing import Any

_ARGUMENTS = "the words that follow the skill's name in the request"
_AT = r"(?<![\w./~$}%\\-])"
_BEHIND = r"(?![\w-]|\.\w|\\)"

# What hosts that share a directory of skills have in places of their own.
_UNSHARED = ("commands/", "agents/")

Rules = tuple[Rewrite, ...]


class Localized(NamedTuple):
    """A catalog and the selected documents of it, in the words of one host."""

    catalog: Catalog
    documents: tuple[Document, ...]


def localized(
    catalog: Catalog, documents: tuple[Document, ...], target: Target, rewrites: Iterable[Rewrite]
) -> Localized:
    """The same texts with every foreign path that is not the bundle's own rewritten."""
    exact = rules_for(target, rewrites)
    made = {
        document.path: _document(catalog, document, target, exact)
        for document in {item.path: item for item in (*catalog.documents, *documents)}.values()
    }
    skills = {item.id: path for path, item in made.items() if item.kind == "skill"}
    assets = []
    for asset in catalog.assets:
        parts = asset.parts
        if parts:
            kind = "skill" if asset.kind == FILE or asset.id in skills else asset.kind
            parts = _worded(catalog, parts, kind, target, exact)
        assets.append(asset._replace(parts=parts))
    return Localized(
        catalog._replace(
            documents=tuple(made[document.path] for document in catalog.documents), assets=tuple(assets)
        ),
        tuple(made[document.path] for document in documents),
    )


def rules_for(target: Target, rewrites: Iterable[Rewrite]) -> Rules:
    """The rewrites of a runtime; one for each folder of the foreign host that its plugin does not mention.

    In the home a variable may have moved the runtime's own directory, and a rule that leads there follows.
    """
    runtime = target.runtime
    found = {rule.find: rule.replace for rule in rewrites}
    found.setdefault(HOME, runtime.home.path)
    if runtime.project not in ("", "."):
        found.setdefault(PROJECT, runtime.project)
    if target.scope == "global":
        usual = target.platform.expand(runtime.home.path)
        moved = home_of(runtime.home, target.platform) if target.configured is None else target.own
        for find, replace in found.items():
            if replace.startswith("~") and target.platform.expand(replace) == usual != moved:
                found[find] = target.spell(moved)
    return _sorted(found)


def rewritten(text: str, rules: Rules) -> str:
    """`text` with the paths of `rules` replaced; nothing else of it changes.

    A path below `~` keeps the way its author spells the home. A file right below a replaced folder is
    replaced too: the instructions in the home name two things that hosts call differently.
    """
    words = [rule.find.removeprefix("~/") for rule in rules]
    if not any(word in text for word in words):
        return text
    # No match is longer than a line, and few lines hold one.
    return "".join(
        "".join(_pieces(line, rules)) if any(word in line for word in words) else line
        for line in text.splitlines(keepends=True)
    )


def rooted(value: Any, root: str, target: Target) -> Any:
    """A value of a bundle's manifest with the place of its files, at `root`, in every text of it."""
    if isinstance(value, dict):
        return {key: rooted(item, root, target) for key, item in value.items()}
    if isinstance(value, list):
        return [rooted(item, root, target) for item in value]
    if not isinstance(value, str):
        return value
    path = root if target.scope == "global" else target.spell(root)
    return value.replace(ROOT, path)


def _sorted(found: dict[str, str]) -> Rules:
    return tuple(Rewrite(find, found[find]) for find in sorted(found, key=lambda find: (-len(find), find)))


def _pieces(text: str, rules: Rules) -> Iterator[str]:
    pattern = re.compile("|".join(f"{_AT}({_bare(rule.find)}){_BEHIND}" for rule in rules))
    names = {rule.find: rule.replace for rule in rules if "/" not in rule.find}
    below = re.compile(rf"/([\w-]+(?:\.[\w-]+)*){_BEHIND}")
    position = 0
    for match in pattern.finditer(text):
        yield text[position : match.start()]
        yield _replaced(match[0], rules[(match.lastindex or 1) - 1])
        position = match.end()
        inner = below.match(text, position)
        if inner and inner[1] in names:
            yield f"/{names[inner[1]]}"
            position = inner.end()
    yield text[position:]


def _bare(find: str) -> str:
    if find.startswith("~/"):
        return rf"(?:~|\$HOME|\$\{{HOME\}})/{re.escape(find[2:])}"
    return rf"(?:\./)?{re.escape(find)}"


def _replaced(found: str, rule: Rewrite) -> str:
    if rule.find.startswith("~/"):
        home = found[: found.index("/")]
        return home + rule.replace[1:] if rule.replace.startswith("~/") else rule.replace
    return f"./{rule.replace}" if found.startswith("./") and not rule.find.startswith("./") else rule.replace


def _document(catalog: Catalog, document: Document, target: Target, exact: Rules) -> Document:
    if document.extra is None:
        return document
    sections = tuple(
        section._replace(parts=_worded(catalog, section.parts, document.kind, target, exact))
        for section in document.sections
    )
    return document._replace(sections=sections)


def _worded(
    catalog: Catalog, parts: tuple[Part, ...], kind: str, target: Target, exact: Rules
) -> tuple[Part, ...]:
    place = place_for(kind, target)
    if place is None or place.kind == "command" or not is_prose(target.runtime):
        return _parts(parts, exact, lambda placeholder: placeholder)
    unshared = (*_UNSHARED, "skills/") if place.kind == "agent" else _UNSHARED
    return _parts(parts, _neutral(place, target), lambda item: _plain(catalog, item, unshared))


def _parts(parts: tuple[Part, ...], rules: Rules, change: Callable[[Placeholder], Part]) -> tuple[Part, ...]:
    """Where a placeholder stands next to a text, the text neither begins nor ends there."""
    found: list[Part] = []
    for at, part in enumerate(parts):
        if isinstance(part, str):
            before, behind = "_" * bool(at), "_" * (at + 1 < len(parts))
            text = rewritten(f"{before}{part}{behind}", rules)
            found.append(text[len(before) : len(text) - len(behind)])
        else:
            found.append(change(part))
    return tuple(found)


def _neutral(place: Place, target: Target) -> Rules:
    """The rules of a directory that several hosts read."""
    folder = folder_of(place, target)
    name = "." + str(target.platform.path.basename(folder)).lstrip(".")
    home = target.spell(folder) if target.scope == "global" else f"~/{name}"
    found = {HOME: home, PROJECT: name}
    return _sorted(found | {INSTRUCTIONS: "AGENTS.md"} if name == ".agents" else found)


def _plain(catalog: Catalog, item: Placeholder, unshared: tuple[str, ...]) -> Part:
    """What reads the same in every host that shares the directory."""
    if item.verb == "args":
        return _ARGUMENTS
    if item.verb == "invoke":
        return item.argument
    if item.verb == "path" and item.argument.startswith(unshared):
        return _called(catalog, item.argument)
    return item


def _called(catalog: Catalog, path: str) -> str:
    """A document by its name, and a file of a skill by the name of that skill."""
    for document in catalog.documents:
        name = f"the {document.kind} {catalog.name_of(document)}"
        folder = document.path.removesuffix("/SKILL.md")
        if path in (document.path, folder):
            return name
        if path.startswith(f"{folder}/"):
            return f"{path.removeprefix(f'{folder}/')} of {name}"
    return path
