"""`gsd-install explain PATH`: why is this file here, and where does each line of it come from?"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable

from gsd_install.apply.ledger import key_of
from gsd_install.cli import tracing
from gsd_install.cli.context import Context, context, recorded_wishes
from gsd_install.cli.result import Result
from gsd_install.contents import Content
from gsd_install.emit.companion import KINDS
from gsd_install.emit.output import Emission, Fit, Output
from gsd_install.emit.target import Target
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.measure import measure
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple
from gsd_install.pipeline import Prepared, prepare
from gsd_install.plugins import Plugins
from gsd_install.runtime.model import Cap
from gsd_install.units import Wish, unit_key

if TYPE_CHECKING:
    from typing import Any


class _Subject(NamedTuple):
    """One installed file; `unit` is empty for a text that every runtime reads."""

    here: Context
    output: Output
    owners: tuple[str, ...]
    prepared: Prepared
    content: Content
    unit: tuple[tuple[str, Target, tuple[Cap, ...], Emission], ...]


def main(args: argparse.Namespace) -> Result:
    """Explain one installed file, or our entries in a file of the user's."""
    here = context(args, scope=args.scope or _scope(args))
    path = here.platform.expand(args.path)
    owned = here.ledger.files.get(key_of(here.location, path))
    if owned is None:
        return _entries(here, path)
    plugins = Plugins()
    wishes, problems = recorded_wishes(here, plugins, owned.owners)
    prepared = prepare(here.location, here.ledger, plugins, wishes)
    output = next((item for item in prepared.outputs if item.path == path), None)
    if output is None:
        raise GsdError(
            f"{here.spell(path)} is no longer part of what this version installs",
            reason="stale",
            hint="gsd-install upgrade removes it if you did not change it",
        )
    subject = _subject(here, output, owned.owners, prepared, wishes)
    data = _explained(subject, plugins)
    return Result(data, tuple(_lines(data)), problems)


def _scope(args: argparse.Namespace) -> str:
    project = context(args, scope="project")
    key = key_of(project.location, project.platform.expand(args.path))
    known = {*project.ledger.files, *(entry.path for entry in project.ledger.entries)}
    return "project" if key in known else "global"


def _entries(here: Context, path: str) -> Result:
    """What of a file of the user's is ours."""
    key = key_of(here.location, path)
    found = [entry for entry in here.ledger.entries if entry.path == key and not entry.deleted]
    if not found:
        raise GsdError(
            f"{here.spell(path)} is not a file of ours",
            reason="not_ours",
            hint="gsd-install status lists what is installed",
        )
    entries = [{"pointer": list(entry.pointer), "owners": list(entry.owners)} for entry in found]
    lines = [f"{here.spell(path)} is yours; of ours it holds"]
    lines += [f"  {'.'.join(entry.pointer)}  for {', '.join(entry.owners)}" for entry in found]
    return Result({"path": here.spell(path), "entries": entries}, tuple(lines))


def _subject(
    here: Context,
    output: Output,
    owners: tuple[str, ...],
    prepared: Prepared,
    wishes: Iterable[tuple[str, Content, Wish]],
) -> _Subject:
    content = next(root for runtime, root, _ in wishes if unit_key(runtime, root.id) in owners)
    unit = next((unit for unit in prepared.emitted if any(item is output for item in unit[3].outputs)), None)
    return _Subject(here, output, owners, prepared, content, (unit,) if unit else ())


def _explained(subject: _Subject, plugins: Plugins) -> dict[str, Any]:
    here, output = subject.here, subject.output
    siblings = [
        item
        for item in subject.prepared.outputs
        if (item.kind, item.source) == (output.kind, output.source) and item.path != output.path
    ]
    return {
        "path": here.spell(output.path),
        "owners": list(subject.owners),
        "source": output.source,
        "source_file": None if output.kind in KINDS else subject.content.catalog.at(output.source),
        "kind": output.kind,
        "rendition": output.rendition,
        "bytes": len(output.data),
        "stretches": _stretches(subject, plugins),
        "caps": list(_caps(subject)),
        "fit": _fit(subject, output.fit) if output.fit else None,
        "elsewhere": [{"path": here.spell(item.path), "rendition": item.rendition} for item in siblings],
        "exists": os.path.lexists(output.path),
    }


def _stretches(subject: _Subject, plugins: Plugins) -> list[dict[str, Any]] | None:
    """Where each line comes from; None for a file that is no text, or none of the content's."""
    output, catalog = subject.output, subject.content.catalog
    if output.kind in KINDS:
        return None
    try:
        text = output.data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    document = next((item for item in catalog.documents if item.path == output.source), None)
    if document is None:
        count = len(text.splitlines())
        found: Iterable[tracing.Stretch] = [tracing.Stretch(1, count, 1, count, "text")] if count else []
    else:
        with open(catalog.at(document.path), encoding="utf-8", newline="") as file:
            source = file.read()
        found = tracing.trace(document, source, output, _body(subject, plugins, text))
    return [
        {
            "lines": [item.first, item.last] if item.first else None,
            "source_lines": [item.source_first, item.source_last] if item.source_first else None,
            "what": item.what,
        }
        for item in found
    ]


def _body(subject: _Subject, plugins: Plugins, text: str) -> str:
    """The text of a file before its dialect wrote it: what it was is learnt by writing it once more."""
    output = subject.output
    if not subject.unit or not tracing.discovered(subject.unit[0][1], output):
        return text
    key, target, caps, emission = subject.unit[0]
    from gsd_install.cli.rewriting import bodies

    own = {item.path for item in emission.outputs}
    paths = {item.path for item in subject.prepared.outputs}
    others = frozenset(paths.union(_installed(subject.here)) - own)
    profile = str(subject.here.units[key]["profile"])
    plugin = plugins.get(target.runtime.id)
    launcher = subject.prepared.launcher
    written = bodies(
        subject.content,
        profile,
        output.source,
        target,
        caps,
        plugin.converters,
        others,
        launcher,
        plugin.rewrites,
    )
    return written.get(output.data, text)


def _installed(here: Context) -> list[str]:
    return [here.platform.path.join(here.location.root, *key.split("/")) for key in here.ledger.files]


def _caps(subject: _Subject) -> Iterable[dict[str, Any]]:
    """The caps on the file and on what its host lists of it, with what of each is used."""
    for _, target, caps, emission in subject.unit:
        if not tracing.discovered(target, subject.output):
            continue
        catalog = subject.content.catalog
        documents = (item for item in catalog.documents if item.path == subject.output.source)
        name = next((catalog.name_of(item) for item in documents), "")
        listed = {name: text for kind, name, text in emission.listed}
        values = {
            None: subject.output.data.decode("utf-8", errors="replace"),
            "name": name,
            "description": listed.get(name, ""),
        }
        for cap in caps:
            if cap.kind == subject.output.kind and cap.scope in (None, target.scope) and cap.field in values:
                yield _cap(cap) | {"used": measure(values[cap.field], cap.unit)}


def _cap(cap: Cap) -> dict[str, Any]:
    return {
        "field": cap.field,
        "limit": cap.limit,
        "unit": cap.unit,
        "on_excess": cap.on_excess,
        "source": cap.source.url if cap.source else "unknown",
    }


def _fit(subject: _Subject, fit: Fit) -> dict[str, Any]:
    """The cap that the document was over, and what became of each of its parts."""
    same = [item for item in subject.prepared.outputs if item.source == subject.output.source]
    paths = {item.rendition.removeprefix("part "): subject.here.spell(item.path) for item in same}
    parts = [
        {
            "part": change.part,
            "rendition": change.rendition,
            "reason": change.reason,
            "size": change.best,
            "left": change.cost,
            "path": paths.get(change.file) if change.file else None,
        }
        for change in fit.changes
    ]
    return _cap(fit.cap) | {"size": fit.size, "parts": parts}


def _lines(data: dict[str, Any]) -> Iterable[str]:
    yield data["path"] if data["exists"] else f"{data['path']} (deleted)"
    yield f"  from       {data['source']} ({data['kind']}), rendition: {data['rendition']}"
    yield f"  needed by  {', '.join(data['owners'])}"
    yield f"  size       {data['bytes']:,} bytes"
    for cap in data["caps"]:
        what = f" of its {cap['field']}" if cap["field"] else ""
        yield f"  limit      {cap['used']:,} of {cap['limit']:,} {cap['unit']}{what} ({cap['source']})"
    if data["fit"]:
        yield from _fitted(data["fit"])
    for item in data["stretches"] or ():
        source = (
            f"{data['source']}:{_range(item['source_lines'])}" if item["source_lines"] else "written by us"
        )
        what = "" if item["what"] == "text" else f"  {item['what']}"
        yield f"  lines      {_range(item['lines']):<10} {source}{what}"
    for item in data["elsewhere"]:
        yield f"  the rest   {item['path']} ({item['rendition']})"


def _fitted(fit: dict[str, Any]) -> Iterable[str]:
    unit = fit["unit"]
    yield f"  fitted     it would have {fit['size']:,} of {fit['limit']:,} {unit} ({fit['source']})"
    words = {"pointer": "moved", "omitted": "left out", "shrunk": "shortened"}
    for part in fit["parts"]:
        size = f"{part['size']:,} {unit}"
        if part["rendition"] == "full":
            yield f"  kept       {part['part']}: {size}, {part['reason']}"
            continue
        there = f", {part['left']:,} left here" if part["left"] else ""
        to = f": {part['path']}" if part["path"] else ""
        yield f"  {words[part['rendition']]:<9}  {part['part']}: {size}{there}{to}"


def _range(lines: list[int] | None) -> str:
    if lines is None:
        return "respelled"
    return str(lines[0]) if lines[0] == lines[1] else f"{lines[0]}-{lines[1]}"
