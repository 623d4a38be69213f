"""`gsd-install skills`: a person looks at what agents propose to learn, and decides."""

from __future__ import annotations

import argparse
import os
import sys

from gsd_install.cli import learning
from gsd_install.cli.confirm import confirm
from gsd_install.cli.context import Context
from gsd_install.cli.install import on_terminal
from gsd_install.cli.result import Result, many
from gsd_install.kernel import learned
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.learned_moves import put_away, settle, system_errors
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.plugins import Plugins

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gsd_install.kernel.learned import Decisions, Proposal

_NAMED = ("show", "approve", "reject", "remove")
_YES = ("y", "yes")
_UNDECIDED = "; nobody decided on the text that stands there now"
# No word that an agent without a terminal could take for an invitation to add --yes.
_BY_HAND = "a person runs this on a terminal; --yes is for one who has looked at it"


def main(args: argparse.Namespace) -> Result:
    """Do what the action says. Raises UsageError for a name or a reason that is missing."""
    if (args.name is not None) != (args.action in _NAMED):
        hint = f"gsd-install skills {args.action}{' NAME' if args.action in _NAMED else ''}"
        raise UsageError("which one?" if args.name is None else "it takes no name", reason="usage", hint=hint)
    return _ACTIONS[args.action](args, learning.project(args))


def _list(_: argparse.Namespace, here: Context) -> Result:
    last = learning.history(here)
    pending = [_row(found, last) for found in learning.waiting(here)]
    keys = [key.partition(":") for key in here.units]
    installed = sorted(runtime for runtime, _, content in keys if content == learned.ID)
    live: list[dict[str, Any]] = [
        {
            "name": found.name,
            "kind": found.kind,
            "digest": found.digest,
            "runtimes": installed,
            "as_decided": found.kind != learned.SKILL or learned.decided(found, last) in learned.GO_LIVE,
        }
        for found in learning.alive(here)
    ]
    rejected = [
        {"name": event.subject, "reason": str(event.data.get("reason", ""))}
        for event in last.values()
        if event.kind == learned.REJECTED
    ]
    lines = [f"  waits    {_line(row)}" for row in pending]
    where = ", ".join(installed) or "no runtime"
    lines += [
        f"  live     {_visible(row['name'])}: {row['kind']}, {where}{'' if row['as_decided'] else _UNDECIDED}"
        for row in live
    ]
    lines += [f"  rejected {_visible(row['name'])}: {_visible(row['reason'])}" for row in rejected]
    data = {"root": here.location.root, "pending": pending, "live": live, "rejected": rejected}
    return Result(data, tuple(lines) or ("nothing is proposed or learned here",))


def _row(found: Proposal, last: Decisions) -> dict[str, Any]:
    """A proposal for scripts; one that nothing is recorded about counts as of high impact."""
    event = last.get((found.name, found.digest))
    said = event.data if event else {}
    return {
        "name": found.name,
        "kind": found.kind,
        "digest": found.digest,
        "impact": said.get("impact", "high"),
        "reasons": said.get("reasons", []),
        "who": event.who if event else "",
        "task": said.get("task", ""),
        "decided": event.kind if event and event.kind != learned.PROPOSED else "",
    }


def _line(row: dict[str, Any]) -> str:
    if row["decided"]:
        return _visible(f"{row['name']}: {row['decided']}, unfinished; gsd-install skills sync finishes it")
    reasons = f" ({'; '.join(map(str, row['reasons']))})" if row["reasons"] else ""
    return _visible(f"{row['name']}: {row['kind']}, {row['impact']} impact{reasons}")


def _show(args: argparse.Namespace, here: Context) -> Result:
    found = _waiting(here, args.name)
    row = _row(found, learning.history(here))
    diff = _diff(here, found)
    return Result({**row, "diff": diff}, (_line(row), *diff))


def _approve(args: argparse.Namespace, here: Context) -> Result:
    plugins = Plugins()
    live = {found.name for found in learning.alive(here)}
    if args.name in live and all(found.name != args.name for found in learning.waiting(here)):
        return learning.sync(args, here, plugins)  # a run that was cut short after the move
    found = _waiting(here, args.name)
    if _row(found, learning.history(here))["decided"] not in learned.GO_LIVE:
        _require_person(here)
        learning.can_go_live(here, plugins, found)
        if not (args.yes or args.json) and on_terminal():
            print("\n".join(_diff(here, found)))
        confirm(args, f"let {found.name} go live in every runtime of {here.location.root}?", hint=_BY_HAND)
        learning.note(here, learned.APPROVED, found)
    if not learning.carried_out(here, found):
        hint = f"look at what waits now: gsd-install skills show {found.name}"
        message = f"{found.name!r} was changed after it was shown, and what was not shown does not go live"
        raise GsdError(message, reason="changed_meanwhile", file=found.folder, hint=hint)
    result = _finished(learning.sync(args, here, plugins), approved=[found.name])
    return result._replace(lines=(*result.lines, *_news(here, [found])))


def _news(here: Context, found: Sequence[Proposal]) -> tuple[str, ...]:
    """How the team is told of skills that went live, where there is a team."""
    team = os.path.join(learned.planning(here.location.root), *learned.TEAM_FILE)
    names = " ".join(one.name for one in found if one.kind == learned.SKILL)
    return (f"tell the team: gsd-tools learn announce {names}",) if names and os.path.isfile(team) else ()


def _reject(args: argparse.Namespace, here: Context) -> Result:
    found = _waiting(here, args.name)
    if not (args.reason or "").strip():
        hint = "--reason tells whoever proposed it what to do better"
        raise UsageError("a rejection needs a reason", reason="usage", hint=hint)
    _require_person(here)
    learning.note(here, learned.REJECTED, found, reason=args.reason.strip())
    settle(here.location.root)
    return Result({"rejected": [found.name]}, (f"{found.name} is rejected: {args.reason.strip()}",))


def _remove(args: argparse.Namespace, here: Context) -> Result:
    found = next((one for one in learning.alive(here) if one.name == args.name), None)
    if found is None:
        known = ", ".join(one.name for one in learning.alive(here)) or "nothing"
        message = f"{args.name!r} is not learned here"
        raise GsdError(message, reason="unknown_skill", hint=f"learned is: {known}")
    _require_person(here)
    confirm(args, f"remove {found.name} from every runtime of {here.location.root}?", hint=_BY_HAND)
    root = here.location.root
    with system_errors(found.folder):
        put_away(root, found)
    learning.note(here, learned.REMOVED, found)
    return _finished(learning.sync(args, here, Plugins()), removed=[found.name])


def _review(args: argparse.Namespace, here: Context) -> Result:
    if not on_terminal() or args.json:
        hint = "gsd-install skills show NAME, then approve or reject"
        raise GsdError("there is nobody to ask: this is no terminal", reason="no_terminal", hint=hint)
    _require_person(here)
    plugins = Plugins()
    last = learning.history(here)
    answers: dict[str, list[Proposal]] = {"approved": [], "rejected": [], "skipped": []}
    for found in learning.waiting(here):
        row = _row(found, last)
        if not row["decided"]:
            print("\n".join((_line(row), *_diff(here, found))))
            answers[_asked(here, plugins, found)].append(found)
    result = learning.sync(args, here, plugins)
    counts = ", ".join(f"{len(found)} {what}" for what, found in answers.items())
    lines = (*result.lines, counts, *_news(here, answers["approved"]))
    names = {what: [one.name for one in found] for what, found in answers.items()}
    return _finished(result._replace(lines=lines), **names)


def _asked(here: Context, plugins: Plugins, found: Proposal) -> str:
    """What a person answers about one proposal, written down and carried out."""
    answer = _answered(here, plugins, found)
    if answer in _YES:
        learning.note(here, learned.APPROVED, found)
        if learning.carried_out(here, found):
            return "approved"
        print(f"{found.name} was changed after it was shown: it waits")
    reason = _typed("why not? ") if answer in {"n", "no"} else ""
    if not reason:
        return "skipped"
    learning.note(here, learned.REJECTED, found, reason=reason)
    return "rejected"


def _answered(here: Context, plugins: Plugins, found: Proposal) -> str:
    try:
        learning.can_go_live(here, plugins, found)
    except GsdError as error:
        print(_visible(f"it cannot go live: {error}"))
        said = _typed(f"reject {found.name}? [y]es, anything else: later ").lower()
        return "no" if said in _YES else ""
    return _typed(f"let {found.name} go live? [y]es, [n]o, anything else: later ").lower()


def _typed(question: str) -> str:
    print(question, end="", flush=True)
    return sys.stdin.readline().strip()


def _sync(args: argparse.Namespace, here: Context) -> Result:
    return learning.sync(args, here, Plugins())


def _finished(result: Result, **names: list[str]) -> Result:
    lines = [f"{', '.join(found)}: {what}" for what, found in names.items() if found]
    return result._replace(data={**result.data, **names}, lines=(*lines, *result.lines))


def _waiting(here: Context, name: str) -> Proposal:
    found = {one.name: one for one in learning.waiting(here)}
    if name not in found:
        message = f"nothing with the name {name!r} waits"
        raise GsdError(message, reason="unknown_skill", hint=f"waiting: {', '.join(found) or 'nothing'}")
    return found[name]


def _require_person(here: Context) -> None:
    variable = learning.agent_says(here.platform)
    if variable:
        hint = "a person runs this in a shell of their own"
        agent = here.platform.variable(variable)
        message = f"this needs a person, and {variable} says that {agent!r} runs it"
        raise GsdError(message, reason="needs_person", hint=hint)


def _diff(here: Context, found: Proposal) -> list[str]:
    """What would change against what is live under the same name, as unified diffs."""
    import difflib

    old = next((one.files for one in learning.alive(here) if (one.name, one.kind) == found[:2]), {})
    lines: list[str] = []
    for path in sorted({*old, *found.files}):
        before, after = (files[path].data if path in files else None for files in (old, found.files))
        if before == after:
            continue
        old_lines, new_lines = _text(before), _text(after)
        if old_lines is None or new_lines is None:
            lines.append(f"{path}: {many(len(after or b''), 'byte')} that are no text")
            continue
        names = ["/dev/null" if data is None else path for data in (before, after)]
        lines += difflib.unified_diff(old_lines, new_lines, names[0], names[1], lineterm="")
    return lines


def _text(data: bytes | None) -> list[str] | None:
    try:
        text = (data or b"").decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else [_visible(line) for line in text.splitlines()]


def _visible(line: str) -> str:
    """A line without anything that a terminal would obey or not show."""
    return "".join(one if one.isprintable() or one == "\t" else ascii(one)[1:-1] for one in line)


_ACTIONS = {
    "list": _list,
    "show": _show,
    "approve": _approve,
    "reject": _reject,
    "review": _review,
    "remove": _remove,
    "sync": _sync,
}
