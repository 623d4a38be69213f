"""What the ledger of events folds into: tasks, deliverables and messages. Times are seconds of the epoch."""

from __future__ import annotations

from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

OPEN, ASSIGNED, RUNNING, REVIEW = "open", "assigned", "running", "review"
COMPLETED, FAILED, CANCELLED = "completed", "failed", "cancelled"
STATES = (OPEN, ASSIGNED, RUNNING, REVIEW, COMPLETED, FAILED, CANCELLED)

APPROVED, WITH_NOTES, REJECTED = "approved", "approved_with_notes", "rejected"
VERDICTS = (APPROVED, WITH_NOTES, REJECTED)

SUBTASK_STATES = ("open", "running", "completed")

QUEUED, FOCUSED, READ = "queued", "focused", "read"


class Move(NamedTuple):
    """From which states a task can go where, and how the move is spoken of."""

    sources: tuple[str, ...]
    target: str
    word: str


# By the kind of the event that makes the move.
MOVES: Mapping[str, Move] = {
    "task-assigned": Move((OPEN, ASSIGNED), ASSIGNED, "assigned"),
    "task-started": Move((ASSIGNED,), RUNNING, "started"),
    "task-submitted": Move((RUNNING,), REVIEW, "submitted for review"),
    "task-rejected": Move((REVIEW,), ASSIGNED, "rejected"),
    "task-completed": Move((RUNNING, REVIEW), COMPLETED, "completed"),
    "task-failed": Move((ASSIGNED, RUNNING, REVIEW), FAILED, "failed"),
    "task-cancelled": Move((OPEN, ASSIGNED, RUNNING, REVIEW), CANCELLED, "cancelled"),
}


class Subtask(NamedTuple):
    """A part of a task; numbers count from 1 and are never used again."""

    number: int
    title: str
    state: str = SUBTASK_STATES[0]


class Note(NamedTuple):
    """What somebody wrote down about a task."""

    who: str
    at: float
    text: str


class Verdict(NamedTuple):
    """How a review of one round ended; `notes` are the feedback of a rejection."""

    verdict: str
    notes: str
    who: str
    at: float
    round: int


class Task(NamedTuple):
    """One task.

    `calls` counts tool calls, None where nobody counts them. `round` is 1 plus the number of rejections.
    `blocked` and `reason` (of a failure or a cancellation) are empty where they do not apply. `briefed` are
    the agents that were given the context. `submitted` is the summary of the last submission, `submitter` who
    handed it in. `ended` is None as long as the task has not.
    """

    id: str
    title: str
    project: str = ""
    tags: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    requirement: str = ""
    predecessor: str = ""
    state: str = OPEN
    assignee: str = ""
    round: int = 1
    calls: int | None = None
    blocked: str = ""
    reason: str = ""
    subtasks: tuple[Subtask, ...] = ()
    numbered: int = 0
    notes: tuple[Note, ...] = ()
    briefed: tuple[str, ...] = ()
    submitted: str = ""
    handed: tuple[str, ...] = ()
    submitter: str = ""
    verdicts: tuple[Verdict, ...] = ()
    author: str = ""
    added: float = 0.0
    changed: float = 0.0
    ended: float | None = None

    @property
    def rejected(self) -> bool:
        """Whether a review sent it back: from then on only a review completes it."""
        return any(one.verdict == REJECTED for one in self.verdicts)


class Change(NamedTuple):
    """One version of a deliverable.

    Its body is `reference` in the store of artifacts, or `body` where it is smaller than a reference; `size`
    is in bytes.
    """

    version: int
    reference: str
    body: str
    size: int
    summary: str
    who: str
    at: float


class Deliverable(NamedTuple):
    """Something a task brings forth; `changes` are its newest versions, oldest first, and never empty."""

    id: str
    title: str
    task: str
    changes: tuple[Change, ...]

    @property
    def newest(self) -> Change:
        """The version that counts."""
        return self.changes[-1]

    @property
    def version(self) -> int:
        """The number of the newest version; the first is 1."""
        return self.newest.version

    @property
    def reference(self) -> str:
        """The artifact with the newest body; empty where the body is smaller than a reference."""
        return self.newest.reference

    @property
    def body(self) -> str:
        """The newest body where it is smaller than a reference; else empty."""
        return self.newest.body


class Message(NamedTuple):
    """A message to one agent or person. `human` says that a person sent it; `task` what it is about."""

    id: str
    sender: str
    to: str
    text: str
    at: float
    human: bool = False
    state: str = QUEUED
    task: str = ""


class Work(NamedTuple):
    """Everything that is true now, by id, in the order in which it began."""

    tasks: dict[str, Task]
    deliverables: dict[str, Deliverable]
    messages: dict[str, Message]
