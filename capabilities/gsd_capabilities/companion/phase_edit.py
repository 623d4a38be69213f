"""Changes to the list of phases, by the rules of the workflow `phase`.

Numbers are names: none is given twice, not even that of a phase that is gone, and none ever changes. What
was executed stays as it was recorded.
"""

from __future__ import annotations

import os
import re

from gsd_capabilities.companion import guard, phase_numbers, phase_text, phases, planning_text, roadmap, state
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.companion.phase_text import New
    from gsd_capabilities.companion.phases import Phase
    from gsd_capabilities.companion.project import Project

NOT_BEGUN = ("pending", "discussed", "planned")
FREE_FIELDS = {"mode": "Mode", "notes": "Notes"}
BOUND_FIELDS = {"goal": "Goal", "depends": "Depends on", "requirements": "Requirements"}

_GAP = re.compile(r"^### ([GU][0-9]+):.*\(([a-z]+)[^()]*\)[ \t]*\r?$", re.MULTILINE)


def add(project: Project, new: New) -> Phase:
    """Append a phase with the next whole number. Raises GsdError as `phases.phases`, and `bad_value`."""
    with guard.locked(project):
        checked = _checked(project, new)

        def change(text: str) -> str:
            found = roadmap.parse(text, _shown(project))
            number = str(phase_numbers.next_whole(project, found))
            return phase_text.inserted(text, found, number, checked, len(found.rows))

        planning_text.edit(project, project.path(roadmap.FILE), change)
        return phases.phases(project)[-1]


def insert(project: Project, parent: str, new: New, closes: tuple[str, ...] = ()) -> Phase:
    """Put a phase behind `parent`, numbered by its next free decimal; with `closes`, one for open gaps.

    Raises GsdError `unknown_phase`, `unknown_gap`, `bad_value`, or as `phases.phases`.
    """
    with guard.locked(project):
        base = phases.phase(project, parent)
        whole = base.number.partition(".")[0]
        _check_open(project, base, closes)
        line = f"{', '.join(closes)} of phase {base.number}" if closes else ""
        checked = _checked(project, new._replace(depends=f"phase {base.number}", closes=line))
        made = ""

        def change(text: str) -> str:
            nonlocal made
            found = roadmap.parse(text, _shown(project))
            made = f"{whole}.{phase_numbers.next_part(project, found, whole)}"
            family = [at for at, row in enumerate(found.rows) if row.number.partition(".")[0] == whole]
            return phase_text.inserted(text, found, made, checked, family[-1] + 1)

        planning_text.edit(project, project.path(roadmap.FILE), change)
        return phases.phase(project, made)


def rename(project: Project, number: str, title: str) -> Phase:
    """Give a phase another name; its folder keeps its own. Raises GsdError `phase_closed` or as `phase`."""
    with guard.locked(project):
        old = phases.phase(project, number)
        _refuse_closed(old)
        title = _title(title)
        current = _current(project)

        def change(text: str) -> str:
            section = roadmap.parse(text, _shown(project)).section(old.number)
            if section:
                text = roadmap.replaced(text, section.title, title)
            return roadmap.set_cell(text, old.number, "name", title, _shown(project))

        planning_text.edit(project, project.path(roadmap.FILE), change)
        if current == old.number:
            state.update_locked(project, {"phase_name": title})
        return phases.phase(project, number)


def edit(project: Project, number: str, fields: Mapping[str, str]) -> Phase:
    """Change fields of the section of a phase: `goal`, `depends`, `requirements`, `mode`, `notes`.

    Goal, dependencies and requirements are bound once a plan was executed. Raises GsdError `phase_closed`,
    `phase_executed`, `unknown_phase`, `bad_value`, `bad_roadmap`, or as `phases.phase`.
    """
    with guard.locked(project):
        old = phases.phase(project, number)
        values = _values(project, old, fields)

        def change(text: str) -> str:
            for name, value in values.items():
                text = phase_text.with_field(text, old.number, name, value, _shown(project))
            if "requirements" in fields:
                value = values["Requirements"]
                text = roadmap.set_cell(text, old.number, "requirements", value, _shown(project))
            return text

        planning_text.edit(project, project.path(roadmap.FILE), change)
        if old.status == "planned" and set(fields) & BOUND_FIELDS.keys():
            _set_status(project, old, "discussed" if old.file("CONTEXT") else "pending")
        return phases.phase(project, number)


def remove(project: Project, number: str, reason: str, today: str) -> Phase:
    """Take a phase off the roadmap, its tracked folder with it; `today` and `reason` go into the log.

    Raises GsdError `phase_begun`, `phase_needed`, `phase_current`, `folder_in_use`, or as `phases.phase`.
    """
    with guard.locked(project):
        old = phases.phase(project, number)
        _refuse_removal(project, old)
        state.read(project)
        entry = planning_text.one_line(
            f"{today} phase {old.number} removed, {old.title}: {reason}", "a reason"
        )
        _remove_folder(project, old)

        def change(text: str) -> str:
            return phase_text.without(text, old.number, _shown(project))

        planning_text.edit(project, project.path(roadmap.FILE), change)
        state.update_locked(project, {}, entry)
        return old


def set_status(project: Project, number: str, status: str) -> Phase:
    """Set the status of a phase in its row, count its plans there, and make STATE.md agree.

    Raises GsdError `bad_value` for a word that is no status, or as `phases.phase`.
    """
    planning_text.known_word(status, roadmap.STATUSES, "status of a phase")
    with guard.locked(project):
        _set_status(project, phases.phase(project, number), status)
        return phases.phase(project, number)


def _set_status(project: Project, old: Phase, status: str) -> None:
    count = f"{phases.done(project, old.plans)}/{len(old.plans)}"
    file = _shown(project)
    current = _current(project)

    def change(text: str) -> str:
        text = roadmap.set_cell(text, old.number, "status", status, file)
        return roadmap.set_cell(text, old.number, "plans", count, file)

    planning_text.edit(project, project.path(roadmap.FILE), change)
    if current == old.number:
        state.update_locked(project, {"status": status})


def _shown(project: Project) -> str:
    return project.shown(project.path(roadmap.FILE))


def _current(project: Project) -> str | None:
    """The phase that STATE.md names; None when there is none, or no STATE.md."""
    path = project.path(state.FILE)
    text = planning_text.read_optional(project, path)
    if text is None:
        return None
    file = project.shown(path)
    return state.current_phase(state.parse(text, file), file)


def _checked(project: Project, new: New) -> New:
    """`new` as it is written, every text on one line. Raises GsdError `bad_value` or `unknown_phase`."""
    planning_text.known_word(new.mode, roadmap.MODES, "mode")
    _check_depends(project, new.depends, None)
    one = planning_text.one_line
    return new._replace(
        title=_title(new.title),
        goal=one(new.goal, "the goal"),
        requirements=one(new.requirements, "the list of requirements"),
        criteria=tuple(one(text, "a criterion") for text in new.criteria),
    )


def _title(title: str) -> str:
    bare = planning_text.one_line(title, "the name of a phase")
    if not bare or bare.endswith("#"):
        raise GsdError(f"{title!r} is not a name for a phase", reason="bad_value", hint="write one sentence")
    return bare


def _check_depends(project: Project, text: str, own: str | None) -> None:
    known = {phase.number for phase in phases.phases(project)} - {own}
    for number in roadmap.numbers_in(planning_text.one_line(text, "depends on")):
        if number not in known:
            message = f"there is no phase {number} to depend on"
            raise GsdError(message, reason="unknown_phase", file=_shown(project), hint="name other phases")


def _check_open(project: Project, base: Phase, ids: tuple[str, ...]) -> None:
    """Raises GsdError `unknown_gap` unless each id is an open gap or issue of `base`."""
    states: dict[str, str] = {}
    for name in ("VERIFICATION", "UAT"):
        path = base.file(name)
        text = planning_text.read(project, path) if path else ""
        states |= dict(_GAP.findall(text))
    for each in ids:
        if states.get(each) != "open":
            known = ", ".join(name for name, word in states.items() if word == "open")
            message = f"{each} is not an open gap or issue of phase {base.number}"
            hint = f"open are: {known}" if known else "nothing is open there"
            raise GsdError(message, reason="unknown_gap", file=_shown(project), hint=hint)


def _refuse_closed(old: Phase) -> None:
    if old.status == "complete":
        hint = "insert a phase behind it instead"
        raise GsdError(f"phase {old.number} is complete", reason="phase_closed", hint=hint)


def _values(project: Project, old: Phase, fields: Mapping[str, str]) -> dict[str, str]:
    """The fields as the section calls them. Raises what `edit` says."""
    _refuse_closed(old)
    names = FREE_FIELDS | BOUND_FIELDS
    values = {}
    for name, value in fields.items():
        planning_text.known_word(name, tuple(names), "field of a phase")
        bare = planning_text.one_line(value, f"the field {name}")
        if name in BOUND_FIELDS and any(plan.summary for plan in old.plans):
            hint = "insert a phase for what is to be different"
            message = f"phase {old.number} has executed plans, its {name} cannot change"
            raise GsdError(message, reason="phase_executed", hint=hint)
        values[names[name]] = bare
    if "mode" in fields:
        planning_text.known_word(values["Mode"], roadmap.MODES, "mode")
    _check_depends(project, fields.get("depends", ""), old.number)
    return values


def _refuse_removal(project: Project, old: Phase) -> None:
    if old.status not in NOT_BEGUN or any(plan.summary for plan in old.plans):
        hint = "undo its work first, or finish it with smaller criteria"
        raise GsdError(f"work on phase {old.number} has begun", reason="phase_begun", hint=hint)
    needing = [each.number for each in phases.phases(project) if old.number in each.depends]
    if needing:
        hint = "change what they depend on first"
        message = f"phase {old.number} is needed by {', '.join(needing)}"
        raise GsdError(message, reason="phase_needed", hint=hint)
    if _current(project) == old.number:
        hint = "set `phase`, `phase_name` and `status` of STATE.md to another phase first"
        raise GsdError(f"phase {old.number} is the current one", reason="phase_current", hint=hint)


def _remove_folder(project: Project, old: Phase) -> None:
    """Let git take the folder away; what git could not bring back is not touched."""
    from gsd_capabilities.companion import commits

    if old.directory is None:
        return
    shown = project.shown(old.directory)
    present = {
        project.shown(os.path.join(at, name)) for at, _, names in os.walk(old.directory) for name in names
    }
    foreign = present - commits.tracked(project, shown)
    if foreign or not present:
        what = ", ".join(sorted(foreign)) or "nothing"
        message = f"the folder of phase {old.number} holds {what}, which git does not have"
        hint = "look at it, delete the folder yourself, then try again"
        raise GsdError(message, reason="folder_in_use", file=shown, hint=hint)
    commits.git(project, "rm", "-r", "-q", "--", shown)
