"""Does every reference of a catalog lead somewhere?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gsd_install.content.model import ACTIONS, Catalog, Document
from gsd_install.kernel.errors import GsdError, ManyErrors


def references(catalog: Catalog) -> None:
    """Raise GsdError, or ManyErrors, for every placeholder and `requires` that resolves to nothing.

    Also for a command and a skill of one name: a host that has no commands would get two skills of it.
    """
    errors = list(faults(catalog, catalog.documents))
    names = {document.id for document in catalog.documents if document.kind == "command"}
    if catalog.start and catalog.start not in names:
        file = catalog.at("content.toml")
        errors.append(_unresolved(f"start = {catalog.start!r}", "command", catalog.start, names, file, None))
    if errors:
        raise ManyErrors(tuple(errors)) if len(errors) > 1 else errors[0]


def faults(catalog: Catalog, documents: Iterable[Document]) -> Iterator[GsdError]:
    """What is wrong with the references of some documents of a catalog."""
    known = {
        "path": {document.path for document in catalog.documents if document.kind != "rule"}
        | {asset.path for asset in catalog.assets if asset.kind != "hook"},
        "agent": {document.id for document in catalog.documents if document.kind == "agent"},
        "command": {document.id for document in catalog.documents if document.kind == "command"},
        "tool": set(ACTIONS),
    }
    for document in documents:
        yield from _faults(catalog, document, known)


def _faults(catalog: Catalog, document: Document, known: dict[str, set[str]]) -> Iterator[GsdError]:
    file = catalog.at(document.path)
    for placeholder in document.placeholders:
        names = known.get(placeholder.verb)
        if names is not None and placeholder.argument not in names:
            source = f"{{gsd:{placeholder.verb} {placeholder.argument}}}"
            yield _unresolved(source, placeholder.verb, placeholder.argument, names, file, placeholder.line)
    for name in document.meta.get("requires", ()):
        if name not in known["command"]:
            yield _unresolved(
                f"requires: {name}", "command", name, known["command"], file, _line(file, "requires")
            )
    if document.kind == "skill" and document.id in known["command"]:
        yield GsdError(
            f"the skill {document.id!r} has the name of a command",
            reason="name_clash",
            file=file,
            hint="rename one of them: where a host has no commands, a command becomes a skill",
        )


def _unresolved(source: str, what: str, name: str, known: set[str], file: str, line: int | None) -> GsdError:
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    if near:
        hint = f"did you mean {near[0]!r}?"
    elif name.startswith(("hooks/", "rules/")):
        hint = f"no agent can open a file of {name.partition('/')[0]}/: it is not installed as one"
    else:
        hint = f"there is no such {what} in this content root"
    return GsdError(f"{source} resolves to nothing", reason="unresolved", file=file, line=line, hint=hint)


def _line(file: str, key: str) -> int:
    """The line of a key of the frontmatter; nobody keeps it, so the file is read once more."""
    from gsd_install.kernel import frontmatter

    with open(file, encoding="utf-8") as source:
        return frontmatter.split(source.read(), file=file).lines[key]
