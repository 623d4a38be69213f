"""What installed capabilities put beside the shared texts: the code of their packages."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from gsd_install import gathering
from gsd_install.content.feature import Capability, Server
from gsd_install.declared import Declared
from gsd_install.emit.companion import Code
from gsd_install.gathering import Folders, Gathered, gather_capabilities
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import NamedTuple


class Payload(NamedTuple):
    """The code of all capabilities together, and a sentence for each one that is left out.

    `server` serves the content over MCP, `distribution` brings it; None and empty where none does.
    """

    code: Code
    problems: tuple[str, ...] = ()
    server: Server | None = None
    distribution: str = ""


def payload(found: Iterable[Declared] | None = None, gathered: Gathered | None = None) -> Payload:
    """The payload of capabilities, by default of all that are declared; what is malformed is named."""
    known = gather_capabilities(found) if gathered is None else gathered
    folders = Folders()
    files: dict[str, bytes] = {}
    launchers: dict[str, str] = {}
    render, problems = "", list(known.problems)
    server, distribution = None, ""
    for item in known.brought:
        said = item.said
        try:
            clash = next((name for name, _ in said.launchers if name in launchers), None)
            if clash is not None or (render and said.render):
                what = f"the launcher {clash!r}" if clash else "a launcher that renders"
                raise GsdError(f"another capability brings {what} already", reason="capability_clash")
            brought = dict(files_of(said, folders))
        except GsdError as error:
            problems.append(known.sentence(said.id, error))
            continue
        files |= brought
        launchers |= dict(said.launchers)
        render = render or said.render
        if said.server and not server:
            server, distribution = said.server, item.entry.distribution.split(" ")[0].replace("_", "-")
    code = Code(tuple(sorted(files.items())), tuple(launchers.items()), render)
    return Payload(code, tuple(problems), server, distribution)


def pack(entry_points: Iterable[tuple[str, str]]) -> bytes:
    """What capabilities, given as names and packages, say: for the pack of a distribution.

    Raises GsdError for one that an install would leave out.
    """
    gathered = gather_capabilities(
        Declared(name, module, "this distribution") for name, module in entry_points
    )
    found = payload(gathered=gathered)
    if found.problems:
        raise GsdError(found.problems[0], reason="bad_capability")
    return gathering.pack(gathered)


def files_of(said: Capability, folders: Folders) -> Iterator[tuple[str, bytes]]:
    """The modules of its packages by path below `lib/`, with the `__init__.py` of every parent.

    Raises GsdError for a package or the module of a launcher that is not there.
    """
    modules = set()
    for package in said.packages:
        parts = package.split(".")[:-1]
        for depth in range(len(parts)):
            yield "/".join([*parts[: depth + 1], "__init__.py"]), b""
    for package in said.packages:
        folder = folders.of(package)
        for name in sorted(os.listdir(folder)):
            if name.endswith(".py"):
                modules.add(f"{package}.{name[:-3]}")
                with open(os.path.join(folder, name), "rb") as file:
                    yield f"{package.replace('.', '/')}/{name}", file.read()
    for name, function in said.launchers:
        module = function.partition(":")[0]
        if module not in modules:
            raise GsdError(
                f"the launcher {name!r} starts {module}, which is in none of its packages",
                reason="unresolved",
            )
