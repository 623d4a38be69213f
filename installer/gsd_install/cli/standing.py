"""When everything is in place, say so at once: a run that would change nothing need not plan to find out.

The run that installs leaves the answer of the next such run in the cache. Only default installs of the
shipped content by shipped plugins do: what others bring, and files of the user's that we write into, are
looked at anew each time.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable

from gsd_install.apply import memo as memos
from gsd_install.apply.memo import Memo
from gsd_install.apply.model import Location
from gsd_install.cli.result import Result
from gsd_install.declared import CAPABILITIES, GROUP, Declared, declared
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.version import VERSION

if TYPE_CHECKING:
    from typing import Any

    from gsd_install.cli.context import Context
    from gsd_install.pipeline import Prepared
    from gsd_install.plugins import Plugins

_OURS = f"gsd_install {VERSION}"
_SITE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_RECORD = os.path.join(_SITE, f"gsd_install-{VERSION}.dist-info", "RECORD")
# How the answer looks, or what is never remembered: neither changes what is remembered.
_NO_MATTER = frozenset({"json", "yes", "version"})
_NEVER = ("dry_run", "check", "sarif", "diff", "content", "surfaces", "detected", "backup", "restore")


def recalled(args: argparse.Namespace, location: Location) -> Result | None:
    """The answer of a run that has nothing to do; None where that is not certain."""
    answer = memos.recall(location, lambda: _asked(args, location, _declared()))
    if answer is None or not _is_intact():
        return None
    if any(location.platform.variable(name) != value for name, value in answer["env"]):
        return None
    data, lines, warnings = answer["result"]
    return Result(data, tuple(lines), tuple(warnings))


def remembered(
    args: argparse.Namespace, here: Context, plugins: Plugins, prepared: Prepared, result: Result
) -> Memo | None:
    """What to remember of a run, where `result` is what the next one would say; None where nothing."""
    asked = _asked(args, here.location, _declared())
    if not asked or not all(_is_plain(unit, plugins) for unit in prepared.desired.units.items()):
        return None
    homes = [target.runtime.home for _, target, _, _ in prepared.emitted]
    names = {name for home in homes for name in (*home.env, *(variable for variable, _ in home.parents))}
    pythons = {str(record.get("python", "")) for record in prepared.desired.units.values()} - {""}
    answer = {
        "env": [[name, here.platform.variable(name)] for name in sorted(names)],
        "result": [dict(result.data), result.lines, result.warnings],
    }
    return Memo(asked, tuple(sorted(pythons)), answer)


def _is_plain(unit: tuple[str, Any], plugins: Plugins) -> bool:
    """A unit that follows from this distribution and from nothing that the user owns."""
    from gsd_install.units import SHIPPED

    key, record = unit
    plugin = plugins.get(key.partition(":")[0])
    counts_theirs = any(cap.field == "listing" for cap in plugin.caps)
    return record["source"] == SHIPPED and not record["with"] and bool(plugin.digest) and not counts_theirs


def _asked(args: argparse.Namespace, location: Location, found: Iterable[Declared]) -> list[Any] | None:
    """What is asked of which program, in JSON's types; None for what is never remembered."""
    words = vars(args)
    program = _program(found)
    if program is None or any(words.get(name) for name in _NEVER):
        return None
    kept = {name: value for name, value in sorted(words.items()) if name not in _NO_MATTER}
    where = [location.scope, location.root, location.payload, location.ledger]
    return [kept, where, location.platform.cwd, program]


def _declared() -> tuple[Declared, ...]:
    return (*declared(group=GROUP), *declared(group=CAPABILITIES))


def _program(found: Iterable[Declared]) -> list[Any] | None:
    """The Python that runs, what is declared, and the stamp of RECORD, which an installer writes anew.

    None where other distributions add to this one, or where nobody wrote a RECORD.
    """
    entries = [list(entry) for entry in found]
    try:
        record = os.stat(_RECORD)
    except OSError:
        return None
    if any(distribution != _OURS for _, _, distribution in entries):
        return None
    pythons = [sys.executable, getattr(sys, "_base_executable", "")]
    return [pythons, entries, record.st_mtime_ns, record.st_size]


def _is_intact() -> bool:
    """Whether every file that was installed with this program has the size that RECORD says.

    As with a .pyc, a size tells: reading every file would take longer than planning.
    """
    with open(_RECORD, encoding="utf-8") as file:
        rows = [line.rstrip("\n").rsplit(",", 2) for line in file]
    try:
        return all(os.stat(f"{_SITE}/{path}").st_size == int(size) for path, _, size in rows if size)
    except (OSError, ValueError):
        return False
