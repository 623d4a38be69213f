"""In which order the steps of one loop point come: first what makes a file, then what reads it.

The order is that of A. B. Kahn, "Topological sorting of large networks", CACM 5 (1962): again and again the
first step, by capability and then by id, that waits for no other.
"""

from __future__ import annotations

from collections.abc import Iterable

from gsd_install.content.feature import Capability, Step
from gsd_install.kernel.record import NamedTuple


class Placed(NamedTuple):
    """A step of a capability, known by the ids of both."""

    capability: str
    id: str
    step: Step


class Ordered(NamedTuple):
    """`steps` in their order; `cyclic` are those that wait for each other in a circle, sorted."""

    steps: tuple[Placed, ...]
    cyclic: tuple[Placed, ...] = ()


def at_point(capabilities: Iterable[Capability], point: str) -> Ordered:
    """The steps that capabilities have at a point."""
    found = (Placed(said.id, step.id, step) for said in capabilities for step in said.steps)
    return ordered(item for item in found if item.step.point == point)


def ordered(steps: Iterable[Placed]) -> Ordered:
    """Steps of one point in their order, those in a circle and behind one at the end."""
    left = sorted(steps, key=lambda item: (item.capability, item.id))
    done: list[Placed] = []
    while left:
        ready = next((item for item in left if not any(_waits(item, other) for other in left)), None)
        if ready is None:
            return Ordered((*done, *left), _circle(left))
        done.append(ready)
        left.remove(ready)
    return Ordered(tuple(done))


def _waits(item: Placed, other: Placed) -> bool:
    return item is not other and not set(item.step.consumes).isdisjoint(other.step.produces)


def _circle(left: list[Placed]) -> tuple[Placed, ...]:
    """Those that others wait for in turn: without the steps that only come behind a circle."""
    inside = list(left)
    while True:
        waited_for = [item for item in inside if any(_waits(other, item) for other in inside)]
        if len(waited_for) == len(inside):
            return tuple(inside)
        inside = waited_for
