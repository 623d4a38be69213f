"""How well learning works, as three shares of the tasks that were completed; from the events alone."""

from __future__ import annotations

from gsd_capabilities.learning.jobs import folded as jobs_of
from gsd_capabilities.learning.limits import DISTIL_SHARE_HIGH, DISTIL_SHARE_LOW
from gsd_capabilities.learning.stats import folded as history_of
from gsd_capabilities.work.events import events
from gsd_capabilities.work.model import COMPLETED
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.work.events import Event


def rates(project: Project) -> dict[str, object]:
    """The shares of a project: see `of`."""
    return of(events(project))


def of(happened: Iterable[Event]) -> dict[str, object]:
    """`reuse`: a skill was used; `first_pass`: no review rejected it; `distillation`: it led to a job.

    Each is a count, of how many completed tasks, and their rate, which is 0 where there are none. Beside the
    last one stands, as information, between which shares it usually is.
    """
    known = list(happened)
    found = history_of(known)
    completed = [task for task in found.tasks.values() if task.state == COMPLETED]
    about = {job.task for job in jobs_of(known).values()}
    counts = {
        "reuse": sum(1 for task in completed if found.active.get(task.id)),
        "first_pass": sum(1 for task in completed if not task.rejected),
        "distillation": sum(1 for task in completed if task.id in about),
    }
    shares: dict[str, dict[str, object]] = {
        name: {"count": count, "of": len(completed), "rate": _rate(count, len(completed))}
        for name, count in counts.items()
    }
    shares["distillation"]["usual"] = [DISTIL_SHARE_LOW, DISTIL_SHARE_HIGH]
    return {"completed": len(completed), **shares}


def _rate(count: int, of: int) -> float:
    return round(count / of, 4) if of else 0.0
