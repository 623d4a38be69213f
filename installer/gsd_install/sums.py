"""Limits that no single file keeps or breaks: what a host lists, and the instructions it reads in a chain."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from gsd_install.apply.ledger import Ledger, path_of
from gsd_install.apply.location import target_at
from gsd_install.apply.model import Location
from gsd_install.emit.output import Emission, Sum
from gsd_install.emit.target import Target
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple
from gsd_install.plugins import Plugins
from gsd_install.runtime.model import Cap

if TYPE_CHECKING:
    from gsd_install.chain import Reader
    from gsd_install.emit.rules import Pointed


class Planned(NamedTuple):
    """One unit that is being planned; `rules` gives a block that points at its rules."""

    key: str
    target: Target
    caps: tuple[Cap, ...]
    emission: Emission
    rules: Callable[[], Pointed]


class Recorded(NamedTuple):
    """What is installed; `removed` are the units that go, `kept` the files of those that stay as they are."""

    location: Location
    ledger: Ledger
    removed: frozenset[str]
    kept: frozenset[str]


def settled(
    units: Sequence[Planned], recorded: Recorded, plugins: Plugins
) -> tuple[Mapping[str, Emission], tuple[Sum, ...]]:
    """The emissions by key, changed and warned about where a sum is over; and every sum that has a cap.

    Raises GsdError (reason `over_cap`) where a cap refuses.
    """
    emissions: Mapping[str, Emission] = {unit.key: unit.emission for unit in units}
    sums: tuple[Sum, ...] = ()
    if any(item.surface == "instructions" for unit in units for item in unit.emission.insertions):
        readers = list(_readers(units, recorded, plugins))
        if any(cap.field == "chain" for reader in readers for cap in reader.caps):
            from gsd_install import chain

            emissions, sums = chain.fitted(readers)
    if any(cap.field == "listing" for unit in units for cap in unit.caps):
        emissions, listed = _listed(units, emissions, recorded)
        sums += listed
    return emissions, sums


def _readers(units: Sequence[Planned], recorded: Recorded, plugins: Plugins) -> Iterator[Reader]:
    """The hosts that read instruction files: those being planned, and those installed with that surface."""
    from gsd_install.chain import Reader

    for unit in units:
        yield Reader(*unit)
    planned = recorded.removed.union(unit.key for unit in units)
    for key, record in recorded.ledger.units.items():
        if key in planned or "instructions" not in record.get("with", ()):
            continue
        try:
            plugin = plugins.get(key.partition(":")[0])
        except GsdError:
            continue  # its plugin is gone, and with it what the host can hold
        made = target_at(recorded.location, plugin.runtime, record.get("config_dir"))
        yield Reader(key, made, plugin.caps)


def _listed(
    units: Sequence[Planned], emissions: Mapping[str, Emission], recorded: Recorded
) -> tuple[Mapping[str, Emission], tuple[Sum, ...]]:
    """The emissions with a warning for each listing that is over, once for each host."""
    from gsd_install import listing

    planned = {output.path: output.data for emission in emissions.values() for output in emission.outputs}
    paths = [path_of(recorded.location, key) for key in recorded.ledger.files]
    installed = {path: path in recorded.kept for path in paths}
    changed = dict(emissions)
    sums: list[Sum] = []
    for first in {unit.target.runtime.id: unit for unit in reversed(units)}.values():
        same = [emissions[unit.key] for unit in units if unit.target.runtime.id == first.target.runtime.id]
        found = listing.listings(first.target, first.caps, same, planned, installed)
        said = tuple(listing.crowded(first.target, item) for item in found if item.over)
        changed[first.key] = changed[first.key]._replace(warnings=changed[first.key].warnings + said)
        sums += found
    return changed, tuple(sums)
