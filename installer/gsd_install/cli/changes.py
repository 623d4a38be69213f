"""Carry out a change: plan it, show it or make it, and report it. Every verb that writes ends here."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from gsd_install.apply import plan as planning
from gsd_install.apply.ledger import load
from gsd_install.apply.model import Desired, Operation, Options
from gsd_install.apply.plan import Plan
from gsd_install.cli.affected import affected
from gsd_install.cli.context import Context, recorded_wishes
from gsd_install.cli.result import Result
from gsd_install.cli.standing import remembered
from gsd_install.cli.summary import summary
from gsd_install.contents import Content
from gsd_install.kernel.errors import DONE, FAILED, GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple
from gsd_install.pipeline import Prepared, prepare
from gsd_install.plugins import Plugins
from gsd_install.units import Wish, unit_key

if TYPE_CHECKING:
    from typing import Any

_DEFAULTS = Options()
Wishes = Sequence[tuple[str, Content, Wish]]


class Asked(NamedTuple):
    """What a verb wants of a location: units to install, units to remove, and what it could not ask for."""

    wishes: Wishes = ()
    removed: frozenset[str] = frozenset()
    problems: tuple[str, ...] = ()


def carry_out(
    args: argparse.Namespace,
    here: Context,
    plugins: Plugins,
    ask: Callable[[Context], Asked],
    options: Options = _DEFAULTS,
) -> Result:
    """Bring the location to what is asked for, as one transaction.

    `ask` is called with what is recorded at that moment: under the lock, after recovery.
    """
    started = time.perf_counter()
    work = _Work(here, plugins, ask, options)
    if getattr(args, "check", False):
        return _checked(here, work)
    if args.dry_run:
        return _shown(args, here, work.plan(), work)
    from gsd_install.apply import transaction

    with _progress(args, "installing"):
        plan, outcome = transaction.execute(here.location, partial(work.plan_and_remember, args))
    warnings = (*work.warnings(plan), *outcome.recovered, *outcome.left)
    failed = bool(work.asked.problems) and not work.asked.wishes
    seconds = time.perf_counter() - started
    lines = () if failed else summary(here, work.prepared, plan, work.asked.removed, seconds)
    data = _data(here, plan, work.prepared, dry_run=False) if args.json else {}
    return Result(data, lines, warnings, FAILED if failed else DONE)


class _Work:
    """Makes the plan when it is time to, and keeps what went into it for the report."""

    asked: Asked
    prepared: Prepared

    def __init__(
        self, here: Context, plugins: Plugins, ask: Callable[[Context], Asked], options: Options
    ) -> None:
        self._here, self._plugins, self._ask, self._options = here, plugins, ask, options
        self._passed_over: tuple[str, ...] = ()

    def desired(self) -> Desired:
        """What the location should hold, with what is recorded now."""
        here = self._here._replace(ledger=load(self._here.location))
        self.asked = self._ask(here)
        wishes, removed = self.asked.wishes, self.asked.removed
        named = removed.union(unit_key(runtime, content.id) for runtime, content, _ in wishes)
        others, self._passed_over = _affected(here, self._plugins, named, wishes)
        prepared = prepare(here.location, here.ledger, self._plugins, [*wishes, *others], removed)
        self.prepared = prepared._replace(units=prepared.units[: len(wishes)])
        _require_something(self.prepared)
        return prepared.desired

    def plan(self) -> Plan:
        """The plan for what is on disk now."""
        return planning.plan(self._here.location, self.desired(), self._options)

    def plan_and_remember(self, args: argparse.Namespace) -> Plan:
        """The same; carrying it out leaves behind what the next run of this command may say at once."""
        plan = self.plan()
        if self.asked.problems or self.asked.removed or self._passed_over or plan.notes or plan.left:
            return plan
        here, prepared = self._here, self.prepared
        unchanged = plan._replace(operations=(), changed=False)
        result = Result(
            _data(here, unchanged, prepared, dry_run=False),
            summary(here, prepared, unchanged, frozenset(), 0.0),
            self.said(),
        )
        memo = remembered(args, here, self._plugins, prepared, result)
        return plan._replace(work=plan.work._replace(memo=memo))

    def said(self) -> tuple[str, ...]:
        """What a person should know before anything is written."""
        fitted = (warning for unit in self.prepared.units for warning in unit.warnings)
        return tuple(dict.fromkeys((*self.asked.problems, *self._passed_over, *fitted)))

    def warnings(self, plan: Plan) -> tuple[str, ...]:
        """Everything a person should know beside the summary."""
        return (*self.said(), *plan.notes)


def _affected(
    here: Context, plugins: Plugins, touched: frozenset[str], wishes: Wishes
) -> tuple[Wishes, tuple[str, ...]]:
    """Recorded units that are planned again because of others, and a sentence for each that cannot be."""
    hooked = {key for key in touched if "hooks" in here.units.get(key, {}).get("with", ())}
    hooked |= {
        unit_key(name, content.id) for name, content, wish in wishes if "hooks" in (wish.surfaces or ())
    }
    keys = affected(here, plugins, touched, hooked)
    return recorded_wishes(here, plugins, keys) if keys else ((), ())


def _shown(args: argparse.Namespace, here: Context, plan: Plan, work: _Work) -> Result:
    lines = [_line(here, operation) for operation in plan.operations if operation.action != "unchanged"]
    if args.diff:
        from gsd_install.cli.diff import diffs

        lines += diffs(here, plan)
    data = _data(here, plan, work.prepared, dry_run=True)
    return Result(data, (*lines, _count(plan, "would be")), work.warnings(plan))


def _require_something(prepared: Prepared) -> None:
    for unit in prepared.units:
        if not unit.placed:
            absent = ", ".join(unit.absent)
            raise GsdError(
                f"{unit.title} would get nothing it can discover from {unit.content!r}",
                reason="nothing_discoverable",
                hint=f"it has no place for: {absent}" if absent else "a larger install profile holds more",
            )


def _checked(here: Context, work: _Work) -> Result:
    from gsd_install.apply.drift import check
    from gsd_install.cli.check import verdict

    findings = check(here.location, work.desired())
    return verdict(here, findings, work.said())


def _line(here: Context, operation: Operation) -> str:
    note = f"  ({operation.note})" if operation.note else ""
    return f"{operation.action:<9} {here.spell(operation.path)}{note}"


def _count(plan: Plan, verb: str) -> str:
    counts = Counter(operation.action for operation in plan.operations if operation.action != "unchanged")
    if not counts:
        return "nothing to do"
    return f"{verb} done: " + ", ".join(f"{number} {action}" for action, number in sorted(counts.items()))


def _data(here: Context, plan: Plan, prepared: Prepared, *, dry_run: bool) -> dict[str, Any]:
    return {
        "scope": here.location.scope,
        "root": here.location.root,
        "dry_run": dry_run,
        "changed": plan.changed,
        "units": [unit._asdict() | {"placed": dict(unit.placed)} for unit in prepared.units],
        "shared": {"texts": prepared.shared[0], "bytes": prepared.shared[1]},
        "operations": [_operation(here, item) for item in plan.operations if item.action != "unchanged"],
    }


def _operation(here: Context, operation: Operation) -> dict[str, Any]:
    return {
        "action": operation.action,
        "path": here.spell(operation.path),
        "owners": list(operation.owners),
        "note": operation.note,
    }


class _progress:  # noqa: N801 - used as a context manager only
    """A word on stderr while work goes on; silent in pipes."""

    def __init__(self, args: argparse.Namespace, text: str) -> None:
        self._text = (
            "" if args.json or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb" else f"{text} ..."
        )

    def __enter__(self) -> None:
        if self._text:
            print(self._text, end="\r", file=sys.stderr, flush=True)

    def __exit__(self, *_: object) -> None:
        if self._text:
            print(" " * len(self._text), end="\r", file=sys.stderr, flush=True)
