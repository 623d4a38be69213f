"""`gsd-install adopt`: what is here that no ledger knows: files of ours, and trees of the npm gsd-core."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Iterable, Sequence

from gsd_install.apply import adoption
from gsd_install.apply.ledger import load
from gsd_install.apply.model import Desired, Options
from gsd_install.cli.context import Context, context, recorded_wishes
from gsd_install.cli.npm import Tree, own_directory, trees
from gsd_install.cli.result import Result, many
from gsd_install.content.model import TIERS
from gsd_install.contents import Content, open_contents
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple
from gsd_install.payload import Payload, payload
from gsd_install.pipeline import prepare
from gsd_install.plugins import Plugins, unknown_name
from gsd_install.shipped import shipped_root
from gsd_install.units import DEFAULT_PROFILE, Wish, unit_key

if TYPE_CHECKING:
    from typing import Any

    from gsd_install.apply.adoption import Sighting
    from gsd_install.apply.plan import Plan


class Unit(NamedTuple):
    """One runtime and content: how many of its unrecorded files are there, differ, and are missing."""

    unit: str
    profile: str
    recorded: bool
    equal: int
    differing: int
    missing: int


class Found(NamedTuple):
    """What would be ours at a location, what of it is there unrecorded, and what could not be told."""

    desired: Desired
    seen: tuple[Sighting, ...]
    units: tuple[Unit, ...]
    problems: tuple[str, ...]

    def states(self, state: str) -> tuple[Sighting, ...]:
        """The files of one state."""
        return tuple(item for item in self.seen if item.state == state)


class Asked(NamedTuple):
    """Whose files are looked for, with what capabilities bring along. `profile` None: what is there tells."""

    names: tuple[str, ...]
    contents: tuple[Content, ...]
    brought: Payload
    profile: str | None = None
    config_dir: str | None = None


def main(args: argparse.Namespace) -> Result:
    """Report what could be adopted; with `--yes` record it as ours."""
    here = context(args)
    plugins = Plugins()
    asked = _asked(args, here, plugins)
    other = trees(here, plugins, asked.names, args.config_dir)
    found = look(here, plugins, asked)
    if not args.yes:
        lines = (*_report(here, found, other), _advice(found, other))
        return Result(_data(here, found, other, adopted=0), lines, found.problems)
    return _taken(here, plugins, asked, other, Options(backup=args.backup))


def lost(here: Context, plugins: Plugins) -> tuple[Unit, ...]:
    """The units of the shipped content that are here and in no ledger."""
    asked = Asked(candidates(here, plugins), open_contents([shipped_root()], here.platform), payload())
    found = look(here, plugins, asked)
    keys = adoption.units(here.location, here.ledger, found.seen)
    return tuple(unit for unit in found.units if unit.unit in keys)


def candidates(here: Context, plugins: Plugins) -> tuple[str, ...]:
    """The runtimes that are detected on this machine or have their directory at this location."""
    from gsd_install.cli.detect import detected

    names = set(detected(plugins, here.platform))
    for name in plugins.ids():
        try:
            directory = own_directory(here, plugins, name)
        except GsdError:
            continue  # a plugin that cannot be used; `doctor` and `runtimes` name it with the reason
        if os.path.isdir(directory):
            names.add(name)
    return tuple(sorted(names))


def look(here: Context, plugins: Plugins, asked: Asked) -> Found:
    """What of the asked units is here and not recorded; reads only."""
    asked = asked._replace(names=tuple(name for name in asked.names if _is_here(here, plugins, asked, name)))
    asked = asked._replace(names=_explaining(here, plugins, asked))
    profiles = _profiles(here, plugins, asked)
    desired, problems = _desired(here, plugins, asked, profiles)
    seen = adoption.survey(here.location, here.ledger, desired)
    counts = Counter((owner, item.state) for item in seen for owner in item.file.owners)
    units = tuple(
        Unit(
            key,
            str(record["profile"]),
            key in here.units,
            counts[key, "equal"],
            counts[key, "differing"],
            counts[key, "missing"],
        )
        for key, record in sorted(desired.units.items())
    )
    return Found(desired, seen, units, problems)


def _is_here(here: Context, plugins: Plugins, asked: Asked, name: str) -> bool:
    """Is anything of this runtime here? It is asked alone: a host may leave out what others would have."""
    only = asked._replace(names=(name,))
    keys = [unit_key(name, content.id) for content in asked.contents]
    desired, _ = _desired(here, plugins, only, dict.fromkeys(keys, asked.profile or TIERS[-1]))
    seen = adoption.survey(here.location, here.ledger, desired)
    recorded = not here.units.keys().isdisjoint(keys)
    return recorded or bool(adoption.units(here.location, here.ledger, seen, backup=True))


def _explaining(here: Context, plugins: Plugins, asked: Asked) -> tuple[str, ...]:
    """The runtimes without those of which only a part of what another one has is here.

    Several read one directory of skills, so the files of one look as if all had been installed.
    """
    keys = [unit_key(name, content.id) for name in asked.names for content in asked.contents]
    desired, _ = _desired(here, plugins, asked, dict.fromkeys(keys, asked.profile or TIERS[-1]))
    found: dict[str, set[str]] = {name: set() for name in asked.names}
    for state, file in adoption.survey(here.location, here.ledger, desired):
        for owner in file.owners if state != "missing" else ():
            found[owner.partition(":")[0]].add(file.path)
    recorded = {key.partition(":")[0] for key in here.units}
    return tuple(
        name
        for name, paths in found.items()
        if name in recorded or not any(paths < other for other in found.values())
    )


def _asked(args: argparse.Namespace, here: Context, plugins: Plugins) -> Asked:
    for name in args.runtime:
        if name not in plugins.ids():
            raise unknown_name("runtime", name, plugins.ids())
    names = tuple(dict.fromkeys(args.runtime)) or candidates(here, plugins)
    if args.config_dir is not None and len(args.runtime) != 1:
        raise UsageError(
            "--config-dir goes with exactly one runtime", reason="usage", hint="add --runtime NAME"
        )
    contents = open_contents(args.content or [shipped_root()], here.platform)
    return Asked(names, contents, payload(), args.profile, args.config_dir)


def _profiles(here: Context, plugins: Plugins, asked: Asked) -> dict[str, str]:
    """The profile of each unit: the one asked for, else the largest of which every file is there."""
    keys = [unit_key(name, content.id) for name in asked.names for content in asked.contents]
    if asked.profile is not None:
        return dict.fromkeys(keys, asked.profile)
    chosen: dict[str, str] = {}
    for profile in reversed(TIERS):
        desired, _ = _desired(here, plugins, asked, dict.fromkeys(keys, profile))
        seen = adoption.survey(here.location, here.ledger, desired)
        incomplete = {owner for state, file in seen if state == "missing" for owner in file.owners}
        chosen |= {key: profile for key in keys if key not in incomplete and key not in chosen}
    return {key: chosen.get(key, DEFAULT_PROFILE) for key in keys}


def _desired(
    here: Context, plugins: Plugins, asked: Asked, profiles: dict[str, str]
) -> tuple[Desired, tuple[str, ...]]:
    """What the asked units would have, and a sentence for each recorded one that cannot be planned anew.

    Recorded units are as recorded, the others get no entries in files of the user's.
    """
    recorded: list[str] = []
    wishes = []
    for name in asked.names:
        for content in asked.contents:
            key = unit_key(name, content.id)
            if key in here.units:
                recorded.append(key)
            else:
                wishes.append((name, content, Wish(profiles[key], frozenset(), asked.config_dir)))
    again, problems = recorded_wishes(here, plugins, recorded)
    everything = [*wishes, *again]
    prepared = prepare(here.location, here.ledger, plugins, everything, brought=asked.brought)
    return prepared.desired, problems


def _taken(here: Context, plugins: Plugins, asked: Asked, other: Sequence[Tree], options: Options) -> Result:
    from gsd_install.apply import transaction

    looked: list[Found] = []

    def make() -> Plan:
        now = here._replace(ledger=load(here.location))
        looked.append(look(now, plugins, asked))
        return adoption.plan(here.location, looked[-1].desired, options)

    plan, outcome = transaction.execute(here.location, make)
    found = looked[-1]
    before = plan.ledger_before.files
    new = [
        key
        for key, owned in plan.ledger_after.files.items()
        if not owned.found and (key not in before or before[key].found)
    ]
    lines = [*_report(here, found, other), *_done(found, plan, len(new))]
    warnings = (*found.problems, *plan.notes, *outcome.recovered, *outcome.left)
    return Result(_data(here, found, other, adopted=len(new)), tuple(lines), warnings)


def _done(found: Found, plan: Plan, number: int) -> list[str]:
    if not number:
        return ["there was nothing to take over; nothing was changed"]
    keys = set(plan.ledger_after.units) - set(plan.ledger_before.units)
    names = f" of {', '.join(sorted(keys))}" if keys else ""
    lines = [f"took over {many(number, 'file')}{names}; uninstall removes them"]
    moved = [operation for operation in plan.operations if operation.action == "backup"]
    if moved:
        lines.append(f"{many(len(moved), 'file')} moved aside; uninstall brings them back")
    if any(unit.unit in keys and unit.missing for unit in found.units):
        lines.append("next: gsd-install upgrade writes the files that are missing")
    return lines


def _report(here: Context, found: Found, other: Sequence[Tree]) -> list[str]:
    there = [unit for unit in found.units if unit.equal or unit.differing]
    lines = [
        f"  {unit.unit}  {many(unit.equal, 'file')} as this version writes them, "
        f"{unit.differing} differ, {unit.missing} missing  (profile {unit.profile})"
        for unit in there
    ]
    lines += [f"  differs   {here.spell(item.file.path)}" for item in found.states("differing")]
    return lines + [f"  npm       {tree.message}" for tree in other]


def _advice(found: Found, other: Sequence[Tree]) -> str:
    if found.states("equal"):
        return "nothing was changed; with --yes the files that are as this version writes them become ours"
    if found.states("differing"):
        return "nothing was changed; with --yes --backup what differs moves aside and ours takes its place"
    if other:
        return "nothing of ours is here unrecorded; nothing was changed"
    return "nothing was found that could be adopted"


def _data(here: Context, found: Found, other: Iterable[Tree], *, adopted: int) -> dict[str, Any]:
    return {
        "scope": here.location.scope,
        "root": here.location.root,
        "adopted": adopted,
        "units": [unit._asdict() for unit in found.units],
        "files": [
            {"state": item.state, "path": here.spell(item.file.path), "owners": list(item.file.owners)}
            for item in found.seen
            if item.state != "missing"
        ],
        "npm": [tree._asdict() | {"marks": list(tree.marks)} for tree in other],
    }
