"""From a request to what a location should hold: content roots and runtimes in, `Desired` out.

Nothing here touches an installed tree; it reads content, asks plugins, and leaves the disk to `apply`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import partial

from gsd_install.apply.ledger import Ledger, path_of
from gsd_install.apply.model import Desired, Location
from gsd_install.contents import Content
from gsd_install.contents import brought as gathered_for
from gsd_install.emit.companion import host, placed
from gsd_install.emit.output import Emission, Output, Sum
from gsd_install.emit.target import Target
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple
from gsd_install.merging import Merged
from gsd_install.payload import Payload, payload
from gsd_install.plugins import Plugins
from gsd_install.runtime.model import Cap
from gsd_install.sums import Planned, Recorded, settled
from gsd_install.units import Companion, Unit, Wish, python_for, unit_of

if TYPE_CHECKING:
    from gsd_install.emit.rules import Pointed
    from gsd_install.emit.text import Render


class UnitReport(NamedTuple):
    """What one runtime gets from one content root, for the summary."""

    runtime: str
    title: str
    content: str
    places: tuple[str, ...]
    placed: tuple[tuple[str, int], ...]
    absent: tuple[str, ...]
    missing_surfaces: tuple[str, ...]
    surfaces: tuple[str, ...]
    bytes: int
    warnings: tuple[str, ...]
    start: str


class Prepared(NamedTuple):
    """`desired` for `apply`, and the figures of the summary. `shared` counts texts and their bytes.

    `emitted` pairs each unit's key with its target, its caps and everything it got. `sums` are what hosts
    list or chain together, for each cap on that. `launcher` is the one that renders workflows, or empty.
    """

    desired: Desired
    units: tuple[UnitReport, ...]
    shared: tuple[int, int]
    outputs: tuple[Output, ...]
    emitted: tuple[tuple[str, Target, tuple[Cap, ...], Emission], ...]
    sums: tuple[Sum, ...]
    launcher: str


def prepare(
    location: Location,
    ledger: Ledger,
    plugins: Plugins,
    wishes: Iterable[tuple[str, Content, Wish]],
    removed: frozenset[str] = frozenset(),
    brought: Payload | None = None,
) -> Prepared:
    """What the location should hold for the wished units, each a runtime id, a content root and a wish.

    What a wish leaves open stays as the ledger records it. `brought` is what capabilities bring along; by
    default, what the installed ones do.
    """
    wishes = tuple(wishes)
    contents = tuple({id(content): content for _, content, _ in wishes}.values())
    brought = payload(gathered=gathered_for(contents)) if brought is None else brought
    problems = (*brought.problems, *(said for content in contents for said in content.problems))
    brought = brought._replace(problems=tuple(dict.fromkeys(problems)))
    companion = Companion(brought.code, python_for(location, ledger), brought.server, brought.distribution)
    units = [
        unit_of(location, ledger, plugins.get(runtime), content, wish, companion)
        for runtime, content, wish in wishes
    ]
    # A host that lists other hosts' skills comes after them and adds only what is not there.
    in_order = sorted(units, key=lambda unit: bool(unit.target.runtime.cross_reads))
    kept = _kept(location, ledger, removed.union(unit.key for unit in units))
    emissions, missing, sums = _emissions(in_order, Recorded(location, ledger, removed, kept), plugins)
    merged = Merged()
    for unit in in_order:
        merged.add(unit.key, emissions[unit.key])
        _add_shared(merged, unit)
    targets = {unit.key: unit.target for unit in units}
    for key, speaker in merged.spoken_for():
        merged.put(key, host(targets[speaker]))
    desired = Desired(
        {unit.key: unit.record for unit in units},
        removed,
        merged.files(),
        merged.edits(),
    )
    return Prepared(
        desired,
        tuple(
            _report(unit, emissions[unit.key], missing[unit.key], () if at else _said(units, brought))
            for at, unit in enumerate(units)
        ),
        merged.shared_size(),
        merged.outputs(),
        tuple((unit.key, unit.target, unit.plugin.caps, emissions[unit.key]) for unit in in_order),
        sums,
        brought.code.render,
    )


def _kept(location: Location, ledger: Ledger, planned: frozenset[str]) -> frozenset[str]:
    """The files of units that this command does not plan anew."""
    return frozenset(
        path_of(location, key) for key, owned in ledger.files.items() if not planned.issuperset(owned.owners)
    )


def _add_shared(merged: Merged, unit: Unit) -> None:
    """The texts, and the companion that goes with them."""
    content, made = unit.content, unit.target
    merged.add_shared(unit.key, (content.id, unit.profile), lambda: content.shared(made, unit.profile))
    code, python, *_ = unit.companion
    if not code.launchers:
        return
    merged.add_shared(unit.key, (content.id,), lambda: content.described(made))
    merged.add_shared(unit.key, (), lambda: placed(code, made, python))
    merged.put(unit.key, host(made))


def _said(units: Iterable[Unit], brought: Payload) -> tuple[str, ...]:
    """What a person should know about the companion."""
    notes = {unit.companion.python.note for unit in units if "python" in unit.record}
    notes.update(unit.note for unit in units)
    return (*brought.problems, *sorted(filter(None, notes)))


def _emitted(unit: Unit, elsewhere: frozenset[str]) -> tuple[Emission, tuple[str, ...]]:
    launcher = unit.companion.code.render
    emission = unit.content.emission(unit.plugin, unit.target, unit.profile, elsewhere, launcher)
    wanted = frozenset(unit.record["with"])
    if not wanted:
        return emission, ()
    from gsd_install.emit.surfaces import insertions

    located, render = _located(unit, elsewhere)
    catalog = unit.content.catalog
    entries, scripts, missing = insertions(
        catalog._replace(servers={**unit.servers, **catalog.servers}),
        unit.content.documents(unit.profile),
        unit.target,
        wanted,
        located=located,
        render=render,
        interpreter=unit.companion.python.path or "python3",
        launcher=launcher,
        exists=os.path.lexists,
    )
    return emission._replace(insertions=entries, outputs=emission.outputs + scripts), missing


def _emissions(
    units: Iterable[Unit], recorded: Recorded, plugins: Plugins
) -> tuple[Mapping[str, Emission], Mapping[str, tuple[str, ...]], tuple[Sum, ...]]:
    """What each unit gets and which surfaces it gets nothing for, by key; and the sums that have a cap."""
    written: set[str] = set()
    missing: dict[str, tuple[str, ...]] = {}
    planned = []
    for unit in units:
        elsewhere = recorded.kept | written if unit.target.runtime.cross_reads else frozenset()
        emission, missing[unit.key] = _emitted(unit, elsewhere)
        written.update(output.path for output in emission.outputs)
        planned.append(Planned(unit.key, unit.target, unit.plugin.caps, emission, partial(_pointed, unit)))
    emissions, sums = settled(planned, recorded, plugins)
    return emissions, missing, sums


def _pointed(unit: Unit) -> Pointed:
    from gsd_install.emit.rules import pointed

    _, render = _located(unit)
    return pointed(unit.content.catalog, unit.content.documents(unit.profile), unit.target, render)


def _located(unit: Unit, elsewhere: frozenset[str] = frozenset()) -> tuple[Mapping[str, str], Render]:
    """Where the documents of a unit stand, and how its placeholders read."""
    from gsd_install.emit.places import locate
    from gsd_install.emit.text import renderer

    content = unit.content
    documents, specific = content.documents(unit.profile), content.specific(unit.profile)
    located = locate(content.catalog, documents, unit.target, specific, elsewhere)
    return located, renderer(content.catalog, unit.target, located)


def _report(unit: Unit, emission: Emission, missing: tuple[str, ...], said: tuple[str, ...]) -> UnitReport:
    made = unit.target
    own = [output for output in emission.outputs if not output.shared]
    command = unit.content.first_command(made, unit.profile)
    typed = f'"{command}"' if " " in command else command
    start = made.runtime.start.replace("{title}", made.runtime.title).replace("{command}", typed)
    return UnitReport(
        runtime=made.runtime.id,
        title=made.runtime.title,
        content=unit.content.id,
        places=_places(made, own),
        placed=emission.placed,
        absent=emission.absent,
        missing_surfaces=missing,
        surfaces=tuple(sorted({item.surface for item in emission.insertions})),
        bytes=sum(len(output.data) for output in own),
        warnings=said + emission.warnings,
        start=start if command else "",
    )


def _places(made: Target, outputs: list[Output]) -> tuple[str, ...]:
    """The directories a runtime's files stand in, as the summary names them: its own, then others."""
    found = [made.own]
    for place in made.runtime.places:
        path = made.resolve(place.path.split("{name}")[0].rstrip("/"))
        if place.scope in (None, made.scope) and not path.startswith(made.own) and path not in found:
            found.append(path)
    return tuple(
        made.spell(path) for path in found if any(output.path.startswith(path) for output in outputs)
    )
