"""The order of phases: that of the table, whatever their numbers."""

from __future__ import annotations

from gsd_capabilities.companion import guard, phase_text, phases, planning_text, roadmap
from gsd_capabilities.companion.phase_edit import NOT_BEGUN
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_capabilities.companion.phases import Phase
    from gsd_capabilities.companion.project import Project

PLACES = ("before", "after")


def move(project: Project, number: str, where: str, other: str) -> tuple[Phase, ...]:
    """Put a phase `before` or `after` another; all phases in their new order. Numbers stay.

    Raises GsdError `bad_value`, `phase_begun`, `wrong_order` when a phase would come before one that it
    depends on, `bad_roadmap`, or as `phases.phase`.
    """
    planning_text.known_word(where, PLACES, "place")
    path = project.path(roadmap.FILE)
    with guard.locked(project):
        own, base = phases.phase(project, number), phases.phase(project, other)
        _refuse(own, base)
        _check_order(phases.phases(project), own, where, base)
        file = project.shown(path)
        planning_text.edit(
            project, path, lambda text: phase_text.moved(text, own.number, where, base.number, file)
        )
        return phases.phases(project)


def _refuse(own: Phase, base: Phase) -> None:
    if own.number == base.number:
        hint = "name two different phases"
        raise GsdError(f"phase {own.number} cannot stand beside itself", reason="bad_value", hint=hint)
    if own.status not in NOT_BEGUN:
        hint = f"only phases that are {', '.join(NOT_BEGUN)} move"
        raise GsdError(f"phase {own.number} is {own.status}", reason="phase_begun", hint=hint)


def _check_order(known: tuple[Phase, ...], own: Phase, where: str, base: Phase) -> None:
    """Raises GsdError `wrong_order` if the new order breaks a dependency of, or on, `own`."""
    order = [phase for phase in known if phase.number != own.number]
    at = [phase.number for phase in order].index(base.number) + (where == "after")
    late = [phase.number for phase in order[at:] if phase.number in own.depends]
    early = [phase.number for phase in order[:at] if own.number in phase.depends]
    if late or early:
        message = (
            f"phase {own.number} depends on {', '.join(late)}, which would come later"
            if late
            else f"{', '.join(early)} depends on phase {own.number}, which would come later"
        )
        hint = "change the dependency first, or choose another place"
        raise GsdError(message, reason="wrong_order", hint=hint)
