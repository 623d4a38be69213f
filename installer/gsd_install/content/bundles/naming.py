"""What the documents of a bundle are called.

A command is called by the bundle's name and its own, as its author's host shows it: `/acme:plan` becomes
`acme-plan`, and a command in a folder `git/commit` becomes `acme-git-commit`. A skill keeps the name of its
folder and an agent its own, because texts call them by it; agents that call themselves alike have the names
of their files. A skill that would have the name of a command gets the bundle's name before its own: where a
host has no commands, a command is a skill.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gsd_install.content.bundles.layout import Layout, identifier
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import NamedTuple


class Named(NamedTuple):
    """One document: its file, its id, the path of a document of ours with that id, and what hosts show.

    `spoken` is how texts of the bundle call it, without the bundle's name.
    """

    kind: str
    file: str
    id: str
    path: str
    name: str
    spoken: tuple[str, ...]


def all_named(root: str, plan: Layout, prefix: str, own_names: Mapping[str, str]) -> tuple[Named, ...]:
    """Every document of a bundle. `own_names` are the names that files give themselves.

    Raises GsdError (reason `name_clash`) for two documents that would have one name, `bad_name` for a file
    whose name holds neither letter nor digit.
    """
    commands = [*_commands(root, plan.commands, prefix)]
    agents = [*_agents(root, plan.agents, prefix, own_names)]
    taken = {command.name for command in commands}
    skills = [*_skills(root, plan, prefix, own_names, taken)]
    _check(root, [*commands, *skills])
    _check(root, agents)
    return (*commands, *agents, *skills)


def _commands(root: str, files: Mapping[str, str], prefix: str) -> Iterator[Named]:
    for file, inner in files.items():
        name = _identifier(root, file, inner)
        shown = name if name == prefix or name.startswith(f"{prefix}-") else identifier(f"{prefix}-{name}")
        spoken = (inner.replace("/", ":"), inner.replace("/", "-"), inner.rpartition("/")[2])
        yield Named("command", file, name, f"commands/{name}.md", shown, spoken)


def _agents(
    root: str, files: Mapping[str, str], prefix: str, own_names: Mapping[str, str]
) -> Iterator[Named]:
    given = [identifier(own_names.get(file, "")) for file in files]
    for file, inner in files.items():
        own = own_names.get(file, "")
        name = identifier(own) if given.count(identifier(own)) == 1 else ""
        name = name or _identifier(root, file, inner)
        # At least one host wants two characters.
        shown = name if len(name) > 1 else f"{prefix}-{name}"
        spoken = tuple(filter(None, (own, inner.replace("/", ":"))))
        yield Named("agent", file, name, f"agents/{name}.md", shown, spoken)


def _skills(
    root: str, plan: Layout, prefix: str, own_names: Mapping[str, str], taken: set[str]
) -> Iterator[Named]:
    for folder, file in plan.skills.items():
        own = own_names.get(file, "")
        leaf = folder.rpartition("/")[2] if folder != "." else own or plan.name
        name = _identifier(root, file, leaf)
        shown = identifier(f"{prefix}-{name}") if name in taken else name
        yield Named("skill", file, name, f"skills/{name}/SKILL.md", shown, tuple(filter(None, (leaf, own))))


def _identifier(root: str, file: str, text: str) -> str:
    name = identifier(text)
    if not name:
        raise GsdError(
            f"{text!r} holds no letter and no digit to name it by",
            reason="bad_name",
            file=f"{root}/{file}",
            hint="rename it with letters from a to z",
        )
    return name


def _check(root: str, found: Iterable[Named]) -> None:
    names: dict[str, Named] = {}
    for item in found:
        first = names.setdefault(item.name, item)
        if first is not item:
            raise GsdError(
                f"{first.file} and {item.file} would both be called {item.name!r}",
                reason="name_clash",
                file=f"{root}/{item.file}",
                hint="rename one of the two",
            )
