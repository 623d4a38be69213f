"""Proposals: what an agent would like to be a skill waits below `.planning/learning/pending/`, in no catalog.

A proposal is checked as content that ships is, staged in one step, and written down with who proposed it, at
which task, and what it could do.
"""

from __future__ import annotations

import os

from gsd_capabilities.companion.guard import locked
from gsd_capabilities.companion.planning_text import system_errors
from gsd_capabilities.companion.project import require
from gsd_capabilities.learning import impact
from gsd_capabilities.learning.limits import PROPOSAL_BYTES, PROPOSAL_FILES
from gsd_capabilities.learning.suppression import refuse_rejected
from gsd_capabilities.work.events import events, record
from gsd_install.kernel import files as disk
from gsd_install.kernel import learned, learned_rules
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.learned import Proposal
from gsd_install.kernel.learned_moves import inside, settle
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.learning.impact import Judged
    from gsd_install.kernel.learned import File

_STAGING = ".staging"


def propose(
    project: Project,
    name: str,
    files: Mapping[str, File],
    *,
    now: float,
    who: str = "",
    task: str = "",
    claimed: str = "",
    kind: str = "",
    known: Mapping[str, str] | None = None,
    environ: Mapping[str, str] | None = None,
) -> dict[str, object]:
    """Stage a proposal and answer with what was made of it; the same one twice is one.

    `known` maps the names of what is installed to descriptions; `environ` may say who asks, and in which
    task. Raises GsdError: `task_running` while the asker works, `rejected_before`, `already_pending`,
    `already_live`, and what the rules say.
    """
    root = require(project).root
    found = _checked(root, name, files, kind)
    _require_level(claimed)
    with locked(project):
        require_no_task(project, who, environ)
        inside(root, learned.pending_folder(root))
        settle(root)
        history = events(project, learned.LIFE)
        refuse_rejected(root, found.digest, files, history)
        waits = learned.proposal(root, name)
        _require_new(root, found, waits)
        judged = impact.judge(found, claimed, {**(known or {}), **learned_names(root)})
        last = learned.decisions(history).get((name, found.digest))
        data = _data(found, judged, claimed, task)
        if waits is None or last is None or (last.kind, last.data) != (learned.PROPOSED, data):
            # Before it is staged: an old decision about the same bytes must not be taken for one about this.
            record(project, learned.PROPOSED, name, who=who, data=data, now=now)
        if waits is None:
            _stage(project, found)
    return {**answer(found, judged), "state": "pending", "next": next_step(found, judged)}


def withdraw(project: Project, name: str, *, now: float, who: str = "") -> dict[str, object]:
    """Take a proposal back; it stays among what is past. Raises GsdError `unknown_skill`."""
    with locked(project):
        settle(require(project).root)
        found = waiting(project, name)
        data = {"digest": found.digest, "kind": found.kind}
        record(project, learned.WITHDRAWN, name, who=who, data=data, now=now)
        settle(project.root)
    return {"name": name, "state": "withdrawn"}


def waiting(project: Project, name: str) -> Proposal:
    """The proposal that waits under a name. Raises GsdError `unknown_skill`."""
    root = require(project).root
    with system_errors(project, learned.pending_folder(root)):
        found = learned.proposal(root, name)
        if found is None:
            names = ", ".join(other.name for other in learned.proposals(root))
            message = f"nothing with the name {name!r} waits"
            raise GsdError(message, reason="unknown_skill", hint=f"waiting: {names or 'nothing'}")
    return found


def judged_now(project: Project, found: Proposal, known: Mapping[str, str]) -> Judged:
    """The impact of a proposal as it stands; what was claimed counts for these very bytes alone."""
    last = learned.decisions(events(project, learned.LIFE)).get((found.name, found.digest))
    claimed = str(last.data.get("claimed", "")) if last else ""
    return impact.judge(found, claimed, {**known, **learned_names(project.root)})


def learned_names(root: str) -> dict[str, str]:
    """What is live, by name, with descriptions."""
    return {one.name: _description(one) for one in learned.live(root)}


def answer(found: Proposal, judged: Judged) -> dict[str, object]:
    """What a proposal is, for JSON."""
    return {
        "name": found.name,
        "kind": found.kind,
        "digest": found.digest,
        "impact": judged.level,
        "reasons": list(judged.reasons),
        "files": sorted(found.files),
    }


def next_step(found: Proposal, judged: Judged) -> str:
    """The command that brings it to life, and who runs it."""
    if judged.level == impact.LOW:
        return f"gsd-tools skill install {found.name}"
    return f"a person runs: gsd-install skills approve {found.name}"


def require_no_task(project: Project, who: str, environ: Mapping[str, str] | None) -> None:
    """Raise GsdError `task_running` while a task of the asker runs: skills are written afterwards."""
    from gsd_capabilities.work.tasks import assert_not_executing

    assert_not_executing(project, who, environ)


def _checked(root: str, name: str, files: Mapping[str, File], kind: str) -> Proposal:
    size = sum(len(file.data) for file in files.values())
    if len(files) > PROPOSAL_FILES or size > PROPOSAL_BYTES:
        message = f"this is too much for one skill: {len(files)} files, {size:,} bytes"
        hint = f"at most {PROPOSAL_FILES} files and {PROPOSAL_BYTES:,} bytes"
        raise GsdError(message, reason="too_large", hint=hint)
    learned_rules.check(name, files)
    made = learned.kind_of(files)
    if kind and kind != made:
        hint = "a skill has a SKILL.md, an agent an AGENT.md, a team one <name>.md for each member"
        message = f"these files make a proposal of the kind {made}, not {kind}"
        raise UsageError(message, reason="wrong_kind", hint=hint)
    folder = os.path.join(learned.pending_folder(root), name)
    return Proposal(name, made, folder, files, learned.digest(files))


def _require_level(claimed: str) -> None:
    if claimed and claimed not in impact.LEVELS:
        hint = f"one of: {', '.join(impact.LEVELS)}"
        raise UsageError(f"an impact cannot be {claimed!r}", reason="bad_value", hint=hint)


def _require_new(root: str, found: Proposal, waits: Proposal | None) -> None:
    if waits is not None and waits.digest != found.digest:
        hint = f"take it back first: gsd-tools skill withdraw {found.name}"
        message = f"another proposal with the name {found.name!r} waits"
        raise GsdError(message, reason="already_pending", hint=hint)
    if any((one.name, one.digest) == (found.name, found.digest) for one in learned.live(root)):
        message = f"{found.name!r} is learned already, word for word"
        raise GsdError(message, reason="already_live", hint="propose what is new about it")


def _stage(project: Project, found: Proposal) -> None:
    """Write the files beside their place and move them there in one step. The caller holds the lock."""
    pending = os.path.dirname(found.folder)
    staging = os.path.join(pending, _STAGING)
    with system_errors(project, pending):
        disk.remove_folder(staging)  # of a process that was killed
        for path, file in found.files.items():
            target = os.path.join(staging, *path.split("/"))
            disk.make_folder(os.path.dirname(target))
            disk.write_atomic(target, file.data, mode=0o755 if file.executable else None, durable=True)
        disk.move(staging, found.folder)


def _data(found: Proposal, judged: Judged, claimed: str, task: str) -> dict[str, object]:
    return {
        "digest": found.digest,
        "kind": found.kind,
        "impact": judged.level,
        "reasons": list(judged.reasons),
        "claimed": claimed,
        "task": task,
    }


def _description(one: Proposal) -> str:
    """What a live document says of itself; empty for a folder of somebody's that has none."""
    name = "SKILL.md" if one.kind == learned.SKILL else "AGENT.md"
    file = os.path.join(one.folder, name) if one.kind == learned.SKILL else one.folder
    return impact.description(one.files[name].data, file) if name in one.files else ""
