"""What installed capabilities put beside the shared texts: the code of their packages."""

from __future__ import annotations

from collections.abc import Iterable

from gsd_install import gathering
from gsd_install.content.feature import Server
from gsd_install.declared import Declared
from gsd_install.emit.companion import Code
from gsd_install.gathering import Folders, Gathered, code_of, gather_capabilities
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
            brought = {path: _bytes(file) for path, file in code_of(said, folders)}
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


def _bytes(path: str) -> bytes:
    """The bytes of a module; none for the `__init__.py` of a parent, which has no file."""
    if not path:
        return b""
    with open(path, "rb", buffering=0) as file:  # read at once, so a buffer would only cost
        return file.read()
