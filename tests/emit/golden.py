"""Everything that is emitted for the sample content, for every shipped runtime and scope, written down.

python tests/emit/golden.py --check
python tests/emit/golden.py --write

`golden/<runtime>-<scope>.json` holds one line for each file (hash, size, executable) and each entry in a
file of the user's; `golden/text/` holds a few whole texts, so that a change can be read.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from gsd_install.content.catalog import load
from gsd_install.content.model import Catalog, Document
from gsd_install.content.select import select, specific_paths
from gsd_install.declared import GROUP, Declared
from gsd_install.emit.emit import emit, emit_shared
from gsd_install.emit.output import Insertion, Output
from gsd_install.emit.places import locate
from gsd_install.emit.surfaces import SURFACES, insertions
from gsd_install.emit.target import Target, target
from gsd_install.emit.text import renderer
from gsd_install.plugins import Plugin, Plugins
from gsd_install.runtime.model import Cap
from gsd_install.runtime.platform import Platform
from gsd_install.runtime.words import Scope

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SAMPLE = HERE / "sample"
GOLDEN = HERE / "golden"
SCOPES: tuple[Scope, ...] = ("global", "project")

# No machine has a say in what is emitted.
MACHINE = Platform("linux", "/home/ann", {}, "/home/ann/work/app")
PYTHON = "/usr/bin/python3"
LAUNCHER = "gsd-tools"

# A limit that nothing but a pointer keeps, to show the last form of a command.
TIGHT = (Cap("command", 320),)


class Shown(NamedTuple):
    """One whole text to keep: of a runtime in a scope, the output at `path`, under `caps` if given."""

    name: str
    runtime: str
    scope: Scope
    path: str
    caps: tuple[Cap, ...] | None = None


# One of each dialect and form, and one of each kind of shared text.
SHOWN = (
    Shown("command-as-markdown.md", "claude", "global", "~/.claude/commands/smp-make-notes.md"),
    Shown(
        "command-as-plain-text.md",
        "windsurf",
        "global",
        "~/.codeium/windsurf/global_workflows/smp-make-notes.md",
    ),
    Shown("command-as-pointer.md", "windsurf", "project", ".windsurf/workflows/smp-make-notes.md", TIGHT),
    Shown("command-as-skill.md", "codex", "project", ".agents/skills/smp-make-notes/SKILL.md"),
    Shown("agent-as-toml.toml", "codex", "global", "~/.codex/agents/smp-note-taker.toml"),
    Shown("workflow.md", "claude", "project", ".gsd/content/sample/workflows/make-notes.md"),
    Shown(
        "workflow-step.md", "claude", "global", "~/.gsd/content/sample/workflows/make-notes/steps/research.md"
    ),
)


class Emitted(NamedTuple):
    """What one runtime gets in one scope; `shared` is the same for all, `scripts` run where hooks are set."""

    target: Target
    own: tuple[Output, ...]
    shared: tuple[Output, ...]
    scripts: tuple[Output, ...]
    entries: tuple[Insertion, ...]
    absent: tuple[str, ...]
    warnings: tuple[str, ...]


def shipped() -> tuple[str, ...]:
    """The runtimes that pyproject.toml declares."""
    return tuple(sorted(declared()))


def declared() -> Mapping[str, str]:
    """The runtimes that pyproject.toml declares, and their modules."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found: Mapping[str, str] = project["entry-points"][GROUP]
    return found


def _plugins() -> Plugins:
    return Plugins(
        tuple(Declared(name, module, "gsd-install") for name, module in sorted(declared().items()))
    )


def emitted(catalog: Catalog, plugin: Plugin, scope: Scope, caps: tuple[Cap, ...] | None = None) -> Emitted:
    """Everything of the catalog for one runtime, with every surface."""
    base = MACHINE.home if scope == "global" else MACHINE.cwd
    made = target(plugin.runtime, scope, MACHINE, base=base, payload=f"{base}/.gsd")
    documents = select(catalog, "full")
    limits = plugin.caps if caps is None else caps
    emission = emit(catalog, documents, made, limits, plugin.converters, launcher=LAUNCHER)
    entries, scripts = _surfaces(catalog, documents, made)
    shared = emit_shared(catalog, documents, made)
    return Emitted(made, emission.outputs, shared, scripts, entries, emission.absent, emission.warnings)


def _surfaces(
    catalog: Catalog, documents: tuple[Document, ...], made: Target
) -> tuple[tuple[Insertion, ...], tuple[Output, ...]]:
    located = locate(catalog, documents, made, specific_paths(documents))
    entries, scripts, _ = insertions(
        catalog,
        documents,
        made,
        frozenset(SURFACES),
        located=located,
        render=renderer(catalog, made, located),
        interpreter=PYTHON if made.scope == "global" else "python3",
        exists=lambda _: False,
        launcher=LAUNCHER,
    )
    return entries, scripts


def render(sample: Path = SAMPLE) -> dict[str, bytes]:
    """Every golden file, by its path below `golden/`."""
    catalog, plugins = load(str(sample)), _plugins()
    files: dict[str, bytes] = {}
    for runtime in shipped():
        for scope in SCOPES:
            files[f"{runtime}-{scope}.json"] = _page(emitted(catalog, plugins.get(runtime), scope))
    for shown in SHOWN:
        found = emitted(catalog, plugins.get(shown.runtime), shown.scope, shown.caps)
        files[f"text/{shown.name}"] = _output(found, shown.path).data
    return files


def _output(found: Emitted, path: str) -> Output:
    for output in (*found.own, *found.shared):
        if found.target.spell(output.path) == path:
            return output
    raise LookupError(f"{found.target.runtime.id} gets no {path}")


def _page(found: Emitted) -> bytes:
    """JSON with one line for each file and entry."""
    parts = {
        "own": _lines(_files(found.target, found.own)),
        "shared": _lines(_files(found.target, found.shared)),
        "scripts": _lines(_files(found.target, found.scripts)),
        "entries": _rows(_entry(found.target, entry) for entry in found.entries),
        "absent": _rows(found.absent),
        "warnings": _rows(found.warnings),
    }
    return ("{\n" + ",\n".join(f'"{name}": {text}' for name, text in parts.items()) + "\n}\n").encode()


def _files(made: Target, outputs: Iterable[Output]) -> Iterator[tuple[str, dict[str, Any]]]:
    for output in outputs:
        yield (
            made.spell(output.path),
            {
                "sha256": hashlib.sha256(output.data).hexdigest(),
                "size": len(output.data),
                "executable": output.executable,
                "from": f"{output.source} {output.rendition}",
            },
        )


def _entry(made: Target, entry: Insertion) -> dict[str, Any]:
    return {
        "surface": entry.surface,
        "file": made.spell(entry.path),
        "format": entry.format,
        "pointer": entry.pointer,
        "value": entry.value,
    }


def _lines(rows: Iterable[tuple[str, dict[str, Any]]]) -> str:
    found = sorted(rows, key=lambda row: row[0])
    names = [name for name, _ in found]
    if len(set(names)) != len(names):
        raise ValueError(f"two outputs have one path among {names}")
    return "{\n" + ",\n".join(f"  {_json(name)}: {_json(row)}" for name, row in found) + "\n}"


def _rows(rows: Iterable[object]) -> str:
    return "[" + "".join(f"\n  {_json(row)}," for row in rows).rstrip(",") + "\n]"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def stored(golden: Path = GOLDEN) -> dict[str, bytes]:
    """Every golden file as it stands on disk."""
    found = (path for path in sorted(golden.rglob("*")) if path.is_file())
    return {path.relative_to(golden).as_posix(): path.read_bytes() for path in found}


def differences(expected: Mapping[str, bytes], found: Mapping[str, bytes]) -> list[str]:
    """What differs, file by file and line by line: `expected` is what was written down."""
    lines = [f"missing  {name}" for name in sorted(expected.keys() - found.keys())]
    lines += [f"extra    {name}" for name in sorted(found.keys() - expected.keys())]
    for name in sorted(expected.keys() & found.keys()):
        if expected[name] != found[name]:
            lines += _changes(name, expected[name], found[name])
    return lines


def _changes(name: str, old: bytes, new: bytes) -> Iterator[str]:
    import difflib

    before, after = (data.decode("utf-8", "backslashreplace").splitlines() for data in (old, new))
    yield f"changed  {name}"
    for line in difflib.unified_diff(before, after, lineterm="", n=0):
        if not line.startswith(("---", "+++", "@@")):
            yield f"    {line}"


def write(files: Mapping[str, bytes], golden: Path = GOLDEN) -> None:
    """Make the golden files these ones and no others."""
    for name in stored(golden).keys() - files.keys():
        (golden / name).unlink()
    for name, data in files.items():
        (golden / name).parent.mkdir(parents=True, exist_ok=True)
        (golden / name).write_bytes(data)


def main(arguments: list[str] | None = None, golden: Path = GOLDEN) -> int:
    """0 when the golden files are right or were written; 1 when they differ."""
    parser = argparse.ArgumentParser(description="what is emitted for the sample content")
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--check", action="store_true", help="fail when anything differs")
    mode.add_argument("--write", action="store_true", help="write what is emitted now")
    if parser.parse_args(arguments).write:
        write(render(), golden)
        return 0
    found = differences(stored(golden), render())
    if found:
        sys.stderr.write(
            "\n".join([*found, "fix: python tests/emit/golden.py --write, and read the difference", ""])
        )
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
