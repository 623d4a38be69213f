"""Do the planning files fit together? Every place where they do not, with how to mend it.

Nothing is changed, and one damaged file hides no finding about another.
"""

from __future__ import annotations

import functools
import os
import re

from gsd_capabilities.companion import config, phases, planning_text, roadmap, state
from gsd_capabilities.companion.validate_phase import Finding, folder_findings, found_in, is_further
from gsd_capabilities.companion.validate_phase import of_error as of_error
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gsd_capabilities.companion.config_schema import Key
    from gsd_capabilities.companion.phases import Phase
    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.companion.roadmap import Roadmap, Row
    from gsd_capabilities.companion.state import Value

_FOLDER_NAME = re.compile(r"[0-9]{2,}(?:\.[0-9]+)?-[a-z0-9]+(?:-[a-z0-9]+)*")
_COUNT = re.compile(r"([0-9]+)/([0-9]+)")
_PLAN = re.compile(r"(?:[0-9]+ of [0-9]+)?")
_DATE = re.compile(r"(?:[0-9]{4}-[0-9]{2}-[0-9]{2})?")


def validate(
    project: Project,
    environ: Mapping[str, str] | None = None,
    schema: Mapping[str, Key] = config.SCHEMA,
) -> tuple[Finding, ...]:
    """All findings, by file and line; `schema` are the settings there are. Raises GsdError `no_project`."""
    from gsd_capabilities.companion.project import require

    require(project)
    found = [
        *_layout(project),
        *found_in(
            functools.partial(_config, project, environ if environ is not None else os.environ, schema)
        ),
        *found_in(functools.partial(_roadmap, project)),
        *found_in(functools.partial(_state, project)),
        *_folders(project),
        *found_in(functools.partial(_phases, project)),
    ]
    return tuple(sorted(dict.fromkeys(found), key=lambda finding: (finding.file, finding.line or 0)))


def _layout(project: Project) -> Iterator[Finding]:
    shown = project.shown(project.path("PROJECT.md"))
    shared = os.path.join(project.shared, "PROJECT.md")
    if not os.path.isfile(shared):
        shown = project.shown(shared)
        yield Finding(shown, None, "missing", "there is no PROJECT.md", "write it, from its template")
    active = os.path.join(project.shared, "workstreams", "ACTIVE")
    if os.path.exists(active) and project.workstream is None:
        message = "this names no folder beside it"
        yield Finding(project.shown(active), 1, "bad_workstream", message, "write the name of a workstream")


def _config(project: Project, environ: Mapping[str, str], schema: Mapping[str, Key]) -> Iterator[Finding]:
    for name, where in config.resolve(project, environ, schema=schema).unknown:
        file, _, line = where.rpartition(":")
        guess = planning_text.nearest(name, schema)
        fix = f"did you mean {guess!r}?" if guess else "delete it, or see `config list` for what there is"
        yield Finding(file, int(line), "unknown_key", f"there is no setting {name!r}", fix)


def _roadmap(project: Project) -> Iterator[Finding]:
    path = project.path(roadmap.FILE)
    file = project.shown(path)
    text = planning_text.read_optional(project, path)
    if text is None:
        return
    found = roadmap.parse(text, file)
    yield from _twice(file, found)
    for at, row in enumerate(found.rows):
        yield from _row(file, found, row)
        yield from _depends(file, found, row, {each.number for each in found.rows[:at]})
    listed = {row.number for row in found.rows}
    for section in found.sections:
        if section.number not in listed:
            message = f"phase {section.number} has a section and no row in the table"
            yield Finding(file, section.line, "no_row", message, "add its row")


def _twice(file: str, found: Roadmap) -> Iterator[Finding]:
    for what, parts in (("row", found.rows), ("section", found.sections)):
        seen: set[str] = set(found.removed)
        for part in parts:
            if part.number in seen:
                message = f"the number {part.number} has a {what} already, or is of a phase that is gone"
                fix = "give the later phase a number that was never used"
                yield Finding(file, part.line, "number_twice", message, fix)
            seen.add(part.number)


def _row(file: str, found: Roadmap, row: Row) -> Iterator[Finding]:
    status = row.cells["status"].value
    if status not in roadmap.STATUSES:
        fix = f"it is one of: {', '.join(roadmap.STATUSES)}"
        yield Finding(file, row.line, "bad_status", f"{status!r} is not the status of a phase", fix)
    if not _COUNT.fullmatch(row.cells["plans"].value):
        message = f"{row.cells['plans'].value!r} is not a count of plans"
        yield Finding(file, row.line, "bad_count", message, "write <executed>/<all>, such as 0/0")
    section = found.section(row.number)
    if section is None:
        fix = f"add `## Phase {row.number}: <name>` below"
        yield Finding(file, row.line, "no_section", f"phase {row.number} has no section", fix)
        return
    if section.title.value != row.name:
        message = f"the table calls it {row.name!r}, its section {section.title.value!r}"
        yield Finding(file, section.line, "name_differs", message, "use one name")
    if not section.field("goal"):
        fix = "add a line `**Goal:** <an outcome>`"
        yield Finding(file, section.line, "no_goal", f"phase {row.number} has no goal", fix)
    if (mode := section.field("mode") or "standard") not in roadmap.MODES:
        fix = f"it is one of: {', '.join(roadmap.MODES)}"
        yield Finding(file, section.fields["mode"].line, "bad_mode", f"{mode!r} is not a mode", fix)
    ids = [name for name, _ in section.criteria]
    if ids != list(dict.fromkeys(ids)):
        message = f"a criterion of phase {row.number} stands there twice"
        yield Finding(file, section.line, "id_twice", message, "number the criteria C1, C2, ...")


def _depends(file: str, found: Roadmap, row: Row, earlier: set[str]) -> Iterator[Finding]:
    section = found.section(row.number)
    if section is None or "depends on" not in section.fields:
        return
    line = section.fields["depends on"].line
    listed = {each.number for each in found.rows}
    for number in roadmap.numbers_in(section.field("depends on")):
        if number not in listed:
            message = f"phase {row.number} depends on phase {number}, which is not on the roadmap"
            yield Finding(file, line, "unknown_phase", message, "name a phase that is, or `nothing`")
        elif number not in earlier:
            message = f"phase {row.number} depends on phase {number}, which comes later"
            yield Finding(file, line, "wrong_order", message, "change the order of the table")


def _state(project: Project) -> Iterator[Finding]:
    path = project.path(state.FILE)
    file = project.shown(path)
    values = state.parse(planning_text.read(project, path), file)
    for name in state.FIELDS:
        if name not in values:
            yield Finding(file, 1, "no_field", f"the field {name!r} is missing", f"add a line `{name}:`")
    for name, value in values.items():
        if name not in state.FIELDS:
            guess = planning_text.nearest(name, state.FIELDS)
            fix = f"did you mean {guess!r}?" if guess else "move it below the fields"
            yield Finding(file, value.line, "unknown_field", f"there is no field {name!r}", fix)
    yield from _state_words(file, values)
    yield from _state_phase(project, file, values)


def _state_words(file: str, values: Mapping[str, Value]) -> Iterator[Finding]:
    words = (*roadmap.STATUSES, *state.MILESTONE_STATUSES)
    status = values.get("status")
    if status and status.text not in words:
        fix = f"it is one of: {', '.join(words)}"
        yield Finding(file, status.line, "bad_status", f"{status.text!r} is not a status", fix)
    for name, shape, fix in (("plan", _PLAN, "write `2 of 4`"), ("updated", _DATE, "write 2026-01-31")):
        value = values.get(name)
        if value and not shape.fullmatch(value.text):
            yield Finding(file, value.line, "bad_field", f"{value.text!r} is not a {name} value", fix)


def _state_phase(project: Project, file: str, values: Mapping[str, Value]) -> Iterator[Finding]:
    """Whether STATE and ROADMAP say the same of the current phase."""
    number, status = values.get("phase"), values.get("status")
    text = planning_text.read_optional(project, project.path(roadmap.FILE))
    if number is None or status is None:
        return
    if text is None or not number.text:
        if status.text != "idle":
            message = f"the status is {status.text!r}, but there is no phase"
            yield Finding(file, status.line, "no_phase", message, "set it to idle, or name the phase")
        return
    found = roadmap.parse(text, project.shown(project.path(roadmap.FILE)))
    row = found.row(state.current_phase(values, file) or "")
    if row is None:
        message = f"there is no phase {number.text} on the roadmap"
        yield Finding(file, number.line, "unknown_phase", message, "name a phase of the roadmap")
        return
    own, name = row.cells["status"].value, values.get("phase_name")
    if status.text in roadmap.STATUSES and status.text != own:
        message = f"the status is {status.text!r} here and {own!r} in the roadmap"
        fix = f"look which one is right: phase status {row.number} <status>"
        yield Finding(file, status.line, "status_differs", message, fix)
    if name and name.text != row.name:
        message = f"the phase is called {row.name!r} in the roadmap"
        yield Finding(file, name.line, "name_differs", message, "use that name")
    unfinished = [each.number for each in found.rows if each.cells["status"].value != "complete"]
    if status.text == "milestone-done" and unfinished:
        message = f"the milestone is not done: {', '.join(unfinished)} are not complete"
        yield Finding(file, status.line, "not_done", message, "complete or remove these phases")


def _folders(project: Project) -> Iterator[Finding]:
    """Folders whose name is wrong or taken, and those of no phase."""
    base = project.path(phases.FOLDER)
    names = sorted(os.listdir(base)) if os.path.isdir(base) else []
    for name in names:
        shown = project.shown(os.path.join(base, name))
        if os.path.isdir(os.path.join(base, name)) and not _FOLDER_NAME.fullmatch(name):
            fix = "name it <two digits>-<lower-case words and hyphens>"
            yield Finding(shown, None, "bad_folder", f"{name!r} is not the folder of a phase", fix)


def _phases(project: Project) -> Iterator[Finding]:
    known = phases.phases(project)
    keys = {phase.key for phase in known}
    for key, found in phases.directories(project).items():
        if key not in keys:
            message = f"this folder belongs to phase {roadmap.number_of(key)}, which is not on the roadmap"
            fix = "add the phase again, or move the folder away"
            yield Finding(project.shown(found[0][1]), None, "no_phase", message, fix)
    requirements = planning_text.read_optional(project, project.path("REQUIREMENTS.md"))
    for phase in known:
        yield from folder_findings(project, phase)
        yield from found_in(functools.partial(_progress, project, phase))
        yield from _requirements(project, phase, requirements)


def _progress(project: Project, phase: Phase) -> Iterator[Finding]:
    """Whether the row of a phase says what its folder shows."""
    path = project.path(roadmap.FILE)
    file = project.shown(path)
    row = roadmap.read(project).row(phase.number)
    line = row.line if row else None
    count = f"{phases.done(project, phase.plans)}/{len(phase.plans)}"
    told = row.cells["plans"].value if row else count
    if told != count and _COUNT.fullmatch(told):
        fix = f"set it by: phase status {phase.number} {phase.status}"
        yield Finding(file, line, "count_differs", f"plans {told} here, {count} in the folder", fix)
    if is_further(phase.status, "discussed") and not phase.plans:
        message = f"phase {phase.number} is {phase.status} and has no plan"
        yield Finding(file, line, "no_plans", message, "plan it, or set its status back")
    if is_further(phase.status, "executing"):
        missing = [plan.id for plan in phase.plans if plan.summary is None]
        if missing:
            message = f"phase {phase.number} is {phase.status}, but {', '.join(missing)} have no summary"
            yield Finding(file, line, "no_summary", message, "execute them, or set the status back")
    if is_further(phase.status, "executed"):
        verification = phase.file("VERIFICATION")
        if verification is None or phases.status_in(project, verification) == "gaps":
            message = f"phase {phase.number} is {phase.status}, but its verification has not passed"
            yield Finding(file, line, "not_verified", message, "verify it, or set the status back")


def _requirements(project: Project, phase: Phase, text: str | None) -> Iterator[Finding]:
    known = set(re.findall(r"[A-Z][A-Z0-9]*-[0-9]+", text)) if text is not None else None
    for name in phase.requirements:
        if known is not None and name not in known:
            message = f"phase {phase.number} names {name}, which REQUIREMENTS.md does not have"
            row = roadmap.read(project).row(phase.number)
            file = project.shown(project.path(roadmap.FILE))
            fix = "correct the id, or add the requirement"
            yield Finding(file, row.line if row else None, "unknown_requirement", message, fix)
