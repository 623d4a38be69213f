"""`gsd-install doctor`: what is wrong here, and what to do about it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

from gsd_install.cli.check import drift, unfinished
from gsd_install.cli.context import Context, context
from gsd_install.cli.result import Result
from gsd_install.cli.where import platform_of
from gsd_install.contents import brought, open_contents
from gsd_install.kernel.errors import DONE, FAILED, GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple
from gsd_install.payload import payload
from gsd_install.plugins import Plugins
from gsd_install.shipped import shipped_root

if TYPE_CHECKING:
    from typing import Any

    from gsd_install.cli.live import Live


class Check(NamedTuple):
    """One thing that was looked at."""

    name: str
    ok: bool
    message: str


def main(args: argparse.Namespace) -> Result:
    """Look at plugins, content and both scopes; exit 1 when something is wrong."""
    plugins = Plugins()
    checks = [*_plugins(plugins), *_content(args)]
    for scope in (args.scope,) if args.scope else ("global", "project"):
        checks += _location(args, scope, plugins)
    live = _live(args, plugins) if args.live else ()
    checks += [Check(f"live {item.runtime}", item.ok, item.message) for item in live]
    lines = tuple(f"  {'ok ' if check.ok else 'BAD'}  {check.name}: {check.message}" for check in checks)
    data: dict[str, Any] = {"checks": [check._asdict() for check in checks]}
    if args.live:
        data["live"] = [item.as_data() for item in live]
    return Result(data, lines, (), DONE if all(check.ok for check in checks) else FAILED)


def _live(args: argparse.Namespace, plugins: Plugins) -> tuple[Live, ...]:
    """What hosts say; a ledger that cannot be read has been named among the checks before."""
    from gsd_install.cli import live

    if args.scope == "project":
        raise UsageError(
            "--live is about the global scope", reason="usage", hint="hosts read a project once it is trusted"
        )
    try:
        here = context(args, scope="global")
    except GsdError:
        return ()
    return tuple(live.look(here, plugins))


def _plugins(plugins: Plugins) -> Iterator[Check]:
    for name in plugins.ids():
        try:
            plugin = plugins.get(name)
        except GsdError as error:
            hint = f" ({error.hint})" if error.hint else ""
            yield Check(f"plugin {name}", ok=False, message=f"{error.message}{hint}")
            continue
        yield Check(f"plugin {name}", ok=True, message=", ".join(plugin.distributions))


def _content(args: argparse.Namespace) -> Iterator[Check]:
    try:
        [content] = open_contents([shipped_root()], platform_of(args))
        catalog = content.catalog
    except GsdError as error:
        yield Check("shipped content", ok=False, message=str(error))
        return
    said = payload(gathered=brought([content])).problems
    for problem in dict.fromkeys((*content.problems, *said)):
        yield Check("capability", ok=False, message=problem)
    for feature in catalog.features:
        yield Check(f"capability {feature.said.id}", ok=True, message=feature.said.title)
    message = f"{catalog.name} {catalog.version}, {len(catalog.documents)} documents"
    yield Check("shipped content", ok=True, message=message)


def _location(args: argparse.Namespace, scope: str, plugins: Plugins) -> Iterator[Check]:
    try:
        here = context(args, scope=scope)
    except GsdError as error:
        yield Check(f"{scope} ledger", ok=False, message=f"{error} ({error.hint})")
        return
    yield from _interrupted(here)
    if here.units:
        yield from _installed(args, here, plugins)
    else:
        yield Check(f"{scope} scope", ok=True, message=f"nothing is installed in {here.location.root}")
    yield from _unrecorded(here, plugins)


def _installed(args: argparse.Namespace, here: Context, plugins: Plugins) -> Iterator[Check]:
    scope = here.location.scope
    yield _state(here, args.home)
    yield _writable(here)
    findings, notes = drift(here, plugins)
    for note in notes:
        yield Check(f"{scope} units", ok=False, message=note)
    message = (
        "as installed" if not findings else f"paths that differ: {len(findings)}, see gsd-install status"
    )
    yield Check(f"{scope} files", ok=not findings, message=f"{', '.join(sorted(here.units))}: {message}")


def _unrecorded(here: Context, plugins: Plugins) -> Iterator[Check]:
    """Files of ours that no ledger knows, and trees of another tool; two sets of commands are a mistake."""
    from gsd_install.cli import adopt, npm

    scope = here.location.scope
    verb = "gsd-install adopt" if scope == "global" else "gsd-install adopt --scope project"
    try:
        lost = adopt.lost(here, plugins)
    except GsdError as error:
        yield Check(f"{scope} ledger", ok=False, message=f"what is not recorded cannot be told: {error}")
        lost = ()
    for unit in lost:
        message = f"{unit.unit} is not recorded, and its files are here; run {verb}"
        yield Check(f"{scope} ledger", ok=False, message=message)
    installed = {key.partition(":")[0] for key in here.units}
    for tree in npm.trees(here, plugins, plugins.ids()):
        both = tree.runtime in installed and bool(tree.remove)
        message = tree.message + (f"; {tree.runtime} has commands of both now" if both else "")
        yield Check(f"{scope} npm", ok=not both, message=message)


def _state(here: Context, home: str | None) -> Check:
    """Is our table of state directories still what this system has? A home being built has no system yet."""
    from gsd_install.apply.location import NAME, state_root

    ours = state_root(here.platform)
    if home is None:
        from platformdirs import user_state_path

        system = str(user_state_path(NAME, appauthor=False))
        if os.path.normcase(system) != os.path.normcase(ours):
            return Check(
                f"{here.location.scope} state",
                ok=False,
                message=f"{ours}, but this system keeps state in {system}",
            )
    return Check(f"{here.location.scope} state", ok=True, message=ours)


def _writable(here: Context) -> Check:
    folder = here.location.payload
    ok = os.access(folder, os.W_OK)
    return Check(f"{here.location.scope} payload", ok, folder if ok else f"{folder} cannot be written")


def _interrupted(here: Context) -> Iterator[Check]:
    """A first install that stopped half-way has recorded nothing yet; that is when it matters most."""
    said = unfinished(here)
    if said or here.units:
        yield Check(f"{here.location.scope} journal", not said, said[0] if said else "no interrupted install")
