"""`gsd-install surface`: show what hosts list and what it costs, or change it to another install profile."""

from __future__ import annotations

import argparse

from gsd_install.apply.model import Options
from gsd_install.cli.changes import Asked, carry_out
from gsd_install.cli.check import nothing_installed
from gsd_install.cli.context import Context, context, recorded_wishes
from gsd_install.cli.result import Result, many
from gsd_install.content.model import TIERS
from gsd_install.emit.output import Emission
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.measure import named
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.payload import Payload, payload
from gsd_install.pipeline import prepare
from gsd_install.plugins import Plugins
from gsd_install.units import Wish

if TYPE_CHECKING:
    from typing import Any

    from gsd_install.contents import Content


def main(args: argparse.Namespace) -> Result:
    """With a profile: plan the recorded units anew in it. Without: what each profile would list."""
    here = context(args)
    keys = _units(args, here)
    plugins = Plugins()
    if args.profile is None:
        return _shown(here, plugins, keys)

    def ask(now: Context) -> Asked:
        wishes, problems = recorded_wishes(now, plugins, [key for key in keys if key in now.units])
        changed = [
            (runtime, content, wish._replace(profile=args.profile)) for runtime, content, wish in wishes
        ]
        return Asked(changed, problems=problems)

    return carry_out(args, here, plugins, ask, Options(backup=args.backup, restore=args.restore))


def _units(args: argparse.Namespace, here: Context) -> list[str]:
    """The recorded units of the named runtimes, or all of them. Raises GsdError where there is none."""
    if not here.units:
        raise nothing_installed(here, "install something first: gsd-install --runtime NAME")
    installed = {key.partition(":")[0] for key in here.units}
    for name in args.runtime:
        if name not in installed:
            raise GsdError(
                f"{name} is not installed here",
                reason="not_installed",
                hint=f"installed: {', '.join(sorted(installed))}",
            )
    return [key for key in here.units if not args.runtime or key.partition(":")[0] in args.runtime]


def _shown(here: Context, plugins: Plugins, keys: list[str]) -> Result:
    wishes, problems = recorded_wishes(here, plugins, keys)
    brought = payload()
    rows = [
        _row(here, plugins, brought, runtime, content, profile)
        for runtime, content, _ in wishes
        for profile in TIERS
    ]
    return Result({"surfaces": rows}, tuple(map(_line, rows)), problems)


def _row(
    here: Context, plugins: Plugins, brought: Payload, runtime: str, content: Content, profile: str
) -> dict[str, Any]:
    """What one profile lists in one runtime; tokens are estimated."""
    wish = (runtime, content, Wish(profile))
    [(key, _, _, emission)] = prepare(here.location, here.ledger, plugins, [wish], brought=brought).emitted
    return {
        "runtime": runtime,
        "content": content.id,
        "profile": profile,
        "installed": here.units[key].get("profile") == profile,
        "listed": dict(emission.placed),
        "listing_tokens": _tokens(emission),
    }


def _tokens(emission: Emission) -> int:
    cost = named("tokens").cost
    return sum(cost(f"{name}: {description}") for _, name, description in emission.listed)


def _line(row: dict[str, Any]) -> str:
    listed = ", ".join(many(count, kind) for kind, count in row["listed"].items()) or "nothing"
    mark = "*" if row["installed"] else " "
    unit = f"{row['runtime']}:{row['content']}"
    return f"{mark} {unit:<20}  {row['profile']:<9} about {row['listing_tokens']:>5,} tokens listed: {listed}"
