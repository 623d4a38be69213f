"""Fragments that rely on others: what is relied on stays at least as long as what relies on it."""

from __future__ import annotations

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gsd_install.kernel.compose_units import Problem, Unit
    from gsd_install.kernel.fragment import Fragment


def link(units: list[Unit], fragments: Sequence[Fragment]) -> None:
    """Connect units to what they require, which becomes as important as they are.

    Raises GsdError (reason `unknown_requirement`, `requirement_cycle` or `over_ceiling`).
    """
    owners = {fragments[number].id: unit for unit in units for number in unit.members}
    for unit in units:
        names = dict.fromkeys(name for number in unit.members for name in fragments[number].requires)
        for name in names:
            if name not in owners:
                by = fragments[unit.members[0]].id
                raise GsdError(f"{by!r} requires {name!r}, which is not there", reason="unknown_requirement")
            if owners[name] is not unit:
                unit.requires.append(owners[name])
                owners[name].dependents.append(unit)
    for unit in _dependents_first(units, fragments):
        for required in unit.requires:
            _lean(required, unit, fragments)


def _lean(required: Unit, unit: Unit, fragments: Sequence[Fragment]) -> None:
    required.tier = min(required.tier, unit.tier)
    required.priority = max(required.priority, unit.priority)
    for each in (required, unit):
        if each.share:
            each.share.present = True
    if not unit.omittable:
        required.pin()
    for number, (rendition, _) in zip(required.members, required.levels[0], strict=True):
        if fragments[number].source and not rendition.text:
            raise over_ceiling(fragments[number].id)


def _dependents_first(units: list[Unit], fragments: Sequence[Fragment]) -> list[Unit]:
    """The units in an order where each comes behind all that require it."""
    waiting = {unit: len(unit.dependents) for unit in units}
    ready = [unit for unit in units if not unit.dependents]
    for unit in ready:
        for required in unit.requires:
            waiting[required] -= 1
            if not waiting[required]:
                ready.append(required)
    if len(ready) < len(units):
        stuck = next(unit for unit in units if waiting[unit])
        raise GsdError(
            f"{fragments[stuck.members[0]].id!r} requires itself by way of others",
            reason="requirement_cycle",
            hint="fragments that need each other form a group",
        )
    return ready


def in_front(problem: Problem, moves: list[int]) -> list[int]:
    """The same moves, those of dependents in front of the one that leaves out what they rely on."""
    if not any(unit.requires for unit in problem.units):
        return moves
    placed: dict[int, None] = {}
    for move in moves:
        stack = [move]
        while stack:
            waiting = [other for other in _before(problem, stack[-1]) if other not in placed]
            if waiting:
                stack.extend(reversed(waiting))
            else:
                placed[stack.pop()] = None
    return list(placed)


def _before(problem: Problem, move: int) -> list[int]:
    """The moves that must be made before `move`."""
    step = problem.steps.get(move)
    if step is None:
        return []
    before = step.unit.moves[: step.unit.moves.index(move)]
    if step.omits:
        before = [*before, *(other for unit in step.unit.dependents for other in unit.moves)]
    return before


def over_ceiling(name: str) -> GsdError:
    """The error for a fragment of which nothing keeps its ceiling."""
    return GsdError(
        f"no rendition of {name!r} keeps its ceiling",
        reason="over_ceiling",
        hint="raise the ceiling, or give it a shorter rendition",
    )
