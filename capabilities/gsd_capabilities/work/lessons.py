"""After a task was completed: ask the learning loop whether there is something to learn from it."""

from __future__ import annotations

from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_capabilities.companion.project import Project


def considered(project: Project, task_id: str, *, now: float) -> dict[str, object]:
    """The id of the job that was queued, None where none was.

    Beside that the `problem` that kept it from the queue, if one did, and the command that asks `again`.
    The completion stands in the ledger already, and nothing that happens here may take it back.
    """
    try:
        from gsd_capabilities.learning import jobs

        job = jobs.consider(project, task_id, now=now)
    except Exception as error:  # noqa: BLE001 - whatever is wrong with learning, the task is completed
        problem = f"{type(error).__name__}: {error}"
        return {"job": None, "problem": problem, "again": f"gsd-tools learn consider {task_id}"}
    return {"job": None if job is None else job.id}
