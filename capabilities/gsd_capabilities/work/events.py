"""What happened, in the order it happened: one line an event, added and never changed.

`.planning/work/events.jsonl` is the only record of tasks, reviews, deliverables, messages, calls and
learning; what is true now is folded from it. Several processes append at once; whoever must look before it
appends holds the lock of the project (`companion.guard.locked`) around both.
"""

from __future__ import annotations

import time

from gsd_capabilities.companion.planning_text import inside, system_errors
from gsd_capabilities.companion.project import require
from gsd_install.kernel import events as lines
from gsd_install.kernel.events import Event as Event
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from gsd_capabilities.companion.project import Project


def path(project: Project) -> str:
    """The file of events."""
    return lines.path(project.shared)


def record(
    project: Project,
    kind: str,
    subject: str = "",
    *,
    who: str = "",
    data: Mapping[str, object] | None = None,
    now: float | None = None,
) -> Event:
    """Add an event. Raises GsdError `no_project`, `outside`, `bad_value`, and what the system refuses."""
    event = Event(kind, subject, who, time.time() if now is None else now, dict(data or {}))
    inside(project, path(require(project)))
    with system_errors(project, path(project)):
        lines.append(project.shared, event)
    return event


def events(project: Project, kinds: Collection[str] = ()) -> list[Event]:
    """Events in their order, of all kinds or of these. A line that is no event is passed over."""
    with system_errors(project, path(project)):
        return list(lines.read(project.shared, kinds))
