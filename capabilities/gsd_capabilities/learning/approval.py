"""Who may let a proposal go live: of low impact whoever proposed it, everything else a person alone.

A person decides at the installer (`gsd-install skills approve`). Where nobody can be asked, nothing goes
live.
"""

from __future__ import annotations

from gsd_capabilities.companion.guard import locked
from gsd_capabilities.learning import impact
from gsd_capabilities.learning.reach import reached
from gsd_capabilities.learning.staging import judged_now, require_no_task, waiting
from gsd_capabilities.work.events import record
from gsd_install.kernel import learned, learned_rules
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.learned_moves import settle, system_errors
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.learning.impact import Judged
    from gsd_install.kernel.learned import Proposal


def install(
    project: Project,
    name: str,
    *,
    now: float,
    environ: Mapping[str, str],
    who: str = "",
    known: Mapping[str, str] | None = None,
) -> dict[str, object]:
    """Let a proposal of low impact go live, in every runtime where an installer can be run.

    One that is live already, because a run was cut short, is brought to them again. Raises GsdError
    `needs_approval` for what only a person lets go live, and `task_running` while the asker works.
    """
    with locked(project):
        require_no_task(project, who, environ)
        settle(project.root)
        kind = _live(project, name) or _let_live(project, name, who, now, known or {})
    return {"name": name, "kind": kind, "state": "learned", **reached(project.root, environ)}


def _live(project: Project, name: str) -> str:
    """The kind of what is live under a name, unless something waits to replace it."""
    with system_errors(learned.live_folder(project.root)):
        if learned.proposal(project.root, name) is not None:
            return ""
        return next((one.kind for one in learned.live(project.root) if one.name == name), "")


def _let_live(project: Project, name: str, who: str, now: float, known: Mapping[str, str]) -> str:
    found = waiting(project, name)
    learned_rules.check(name, found.files)
    judged = judged_now(project, found, known)
    require_none(found, judged)
    data = {"digest": found.digest, "kind": found.kind, "impact": judged.level}
    record(project, learned.INSTALLED, name, who=who, data=data, now=now)
    settle(project.root)
    return found.kind


def require_none(found: Proposal, judged: Judged) -> None:
    """Raise GsdError `needs_approval` for what only a person may let go live."""
    if found.kind == learned.SKILL and judged.level == impact.LOW:
        return
    reasons = "; ".join(judged.reasons)
    raise GsdError(
        f"{found.name!r} needs a person's approval: {reasons}",
        reason="needs_approval",
        hint=f"ask one to look at it with: gsd-install skills approve {found.name}",
    )
