"""Telling whoever listens about each decision, once.

A reporter is handed in by its owner, never found in a global. Where there is none, or none in scope, the
decision is the same and nothing is told.
"""

from __future__ import annotations

from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Protocol

    from gsd_capabilities.artifacts.diagnostics import Diagnostics

    class Reporter(Protocol):
        """Takes events for one agent of a workflow; `depth` is 0 for the root agent.

        `next_sequence` counts on through the whole workflow: root, children and grandchildren share it.
        """

        @property
        def workflow_id(self) -> str: ...

        @property
        def agent_id(self) -> str: ...

        @property
        def depth(self) -> int: ...

        def next_sequence(self) -> int: ...

        def report(self, event: Event) -> None: ...

    # Gives the reporter whose scope is active, or None.
    Reporters = Callable[[], Reporter | None]


class Event(NamedTuple):
    """One decision as it is reported; `timestamp` is in seconds since 1970.

    `diagnostics` is the very object that the outcome of the decision has.
    """

    timestamp: float
    workflow_id: str
    agent_id: str
    parent_agent_id: str | None
    depth: int
    sequence: int
    diagnostics: Diagnostics

    def as_json(self) -> dict[str, object]:
        """The fields, for JSON."""
        return {**self._asdict(), "diagnostics": self.diagnostics.as_json()}


class Scope:
    """A reporter that hands events to a function, and makes reporters for children."""

    __slots__ = ("_numbers", "_parent_agent_id", "_sink", "agent_id", "depth", "workflow_id")

    def __init__(self, workflow_id: str, agent_id: str, sink: Callable[[Event], None]) -> None:
        from itertools import count

        self.workflow_id, self.agent_id, self.depth = workflow_id, agent_id, 0
        self._sink = sink
        self._parent_agent_id: str | None = None
        self._numbers: Iterator[int] = count(1)

    def child(self, agent_id: str) -> Scope:
        """The reporter of an agent that this one started."""
        made = Scope(self.workflow_id, agent_id, self._sink)
        made.depth, made._parent_agent_id, made._numbers = self.depth + 1, self.agent_id, self._numbers
        return made

    def next_sequence(self) -> int:
        """The next number of the workflow."""
        return next(self._numbers)

    def report(self, event: Event) -> None:
        """Pass an event on."""
        self._sink(event)


def tell(reporters: Reporters | None, diagnostics: Diagnostics) -> None:
    """Report a decision to the reporter in scope, if there is one."""
    reporter = reporters() if reporters is not None else None
    if reporter is None:
        return
    import time

    reporter.report(
        Event(
            time.time(),
            reporter.workflow_id,
            reporter.agent_id,
            # Only reporters that know a parent have this; the protocol does not ask for it.
            getattr(reporter, "_parent_agent_id", None),
            reporter.depth,
            reporter.next_sequence(),
            diagnostics,
        )
    )
