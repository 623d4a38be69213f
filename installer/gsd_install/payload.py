"""What installed capabilities put beside the shared texts: found by entry points, read without importing."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from gsd_install.content.capability import FILE, Capability, capability
from gsd_install.declared import Declared, declared
from gsd_install.emit.companion import Code
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import NamedTuple

GROUP = "gsd_install.capabilities"

# Beside the capability packages of a distribution: what their manifests say, read when it was built.
PACKED = "capabilities.json"


class Payload(NamedTuple):
    """The code of all capabilities together, and a sentence for each one that is left out."""

    code: Code
    problems: tuple[str, ...] = ()


def payload(found: Iterable[Declared] | None = None) -> Payload:
    """The payload of every declared capability; one that is malformed is left out and named."""
    entries = declared(group=GROUP) if found is None else found
    files: dict[str, bytes] = {}
    launchers: dict[str, str] = {}
    render, problems = "", []
    for entry in entries:
        try:
            said = read(entry)
            clash = next((name for name, _ in said.launchers if name in launchers), None)
            if clash is not None or (render and said.render):
                what = f"the launcher {clash!r}" if clash else "a launcher that renders"
                raise GsdError(f"another capability brings {what} already", reason="capability_clash")
            brought = dict(_files(said))
        except GsdError as error:
            problems.append(f"the capability {entry.name!r} of {entry.distribution} is left out: {error}")
            continue
        files |= brought
        launchers |= dict(said.launchers)
        render = render or said.render
    code = Code(tuple(sorted(files.items())), tuple(launchers.items()), render)
    return Payload(code, tuple(problems))


def read(entry: Declared) -> Capability:
    """What a declared capability says of itself. Raises GsdError."""
    folder = _folder(entry.module)
    file = os.path.join(folder, FILE)
    try:
        data = _bytes(file)
    except FileNotFoundError:
        return Capability(entry.name, entry.name)
    said = _packed(os.path.dirname(folder), entry.name, data) or capability(data, file=file)
    if said.id != entry.name:
        raise GsdError(
            f"its id is {said.id!r}",
            reason="bad_value",
            file=file,
            hint="id is the name of the entry point",
        )
    return said


def pack(entry_points: Iterable[tuple[str, str]]) -> bytes:
    """The manifests of capabilities, given as names and packages, for `PACKED`. Raises GsdError."""
    import json

    packed = {}
    for name, module in entry_points:
        file = os.path.join(_folder(module), FILE)
        if os.path.exists(file):
            said = read(Declared(name, module, "this distribution"))
            list(_files(said))  # what a distribution declares must be there when it is built
            packed[name] = [_bytes(file).decode(), said]
    return json.dumps(packed, ensure_ascii=False, separators=(",", ":")).encode()


def _packed(parent: str, name: str, data: bytes) -> Capability | None:
    """The manifest as packed for these very bytes; parsing TOML takes longer than all the rest here."""
    try:
        stored = _bytes(os.path.join(parent, PACKED))
    except FileNotFoundError:
        return None
    import json

    text, fields = json.loads(stored).get(name, ("", None))
    if fields is None or text.encode() != data:
        return None
    id_, title, packages, launchers, render = fields
    return Capability(id_, title, tuple(packages), tuple((item[0], item[1]) for item in launchers), render)


def _files(said: Capability) -> Iterator[tuple[str, bytes]]:
    """The modules of its packages by path below `lib/`, with the `__init__.py` of every parent."""
    modules = set()
    for package in said.packages:
        parts = package.split(".")[:-1]
        for depth in range(len(parts)):
            yield "/".join([*parts[: depth + 1], "__init__.py"]), b""
    for package in said.packages:
        folder = _folder(package)
        for name in sorted(os.listdir(folder)):
            if name.endswith(".py"):
                modules.add(f"{package}.{name[:-3]}")
                yield f"{package.replace('.', '/')}/{name}", _bytes(os.path.join(folder, name))
    for name, function in said.launchers:
        module = function.partition(":")[0]
        if module not in modules:
            raise GsdError(
                f"the launcher {name!r} starts {module}, which is in none of its packages",
                reason="unresolved",
            )


def _folder(package: str) -> str:
    """The directory of a package, without importing it. Raises GsdError when there is none."""
    from importlib.util import find_spec

    top, *inner = package.split(".")
    try:
        spec = find_spec(top)
    except ValueError:
        spec = None
    for location in (spec.submodule_search_locations or ()) if spec else ():
        folder = os.path.join(location, *inner)
        if os.path.isdir(folder):
            return folder
    raise GsdError(f"there is no package {package}", reason="unresolved", hint="reinstall its distribution")


def _bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
