"""Findings inside the folder of one phase: its plans, their waves, and the status words of its files."""

from __future__ import annotations

import functools
import os
import re

from gsd_capabilities.companion import phases
from gsd_capabilities.companion.roadmap import STATUSES
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gsd_capabilities.companion.phases import Fields, Phase, Plan
    from gsd_capabilities.companion.project import Project

# The status words of files, from the reference `planning-files`.
WORDS = {
    "SUMMARY": phases.SUMMARY_STATUSES,
    "VERIFICATION": ("passed", "human-needed", "gaps"),
    "UAT": ("open", "passed", "issues"),
    "REVIEW": ("clean", "findings", "fixed"),
    "SECURITY": ("passed", "open"),
    "SPEC": ("draft", "agreed"),
}

_FILE = re.compile(
    r"(?P<key>[0-9]{2,}(?:\.[0-9]+)?)-(?:(?P<plan>[0-9]{2,})-)?(?P<kind>[A-Z][A-Z-]*)(?:\.undone)?\.md"
)


class Finding(NamedTuple):
    """Something that does not fit: where, a stable word, what, and what to do about it."""

    file: str
    line: int | None
    reason: str
    message: str
    fix: str


def of_error(error: GsdError) -> Finding:
    """The finding that an error amounts to."""
    return Finding(error.file or "", error.line, error.reason, error.message, error.hint or "repair it")


def found_in(look: Callable[[], Iterable[Finding]]) -> list[Finding]:
    """What `look` finds; an error that ends it is a finding too."""
    found: list[Finding] = []
    try:
        found.extend(look())
    except GsdError as error:
        found.append(of_error(error))
    return found


def is_further(status: str, than: str) -> bool:
    """Whether a phase with `status` is past `than`; a blocked one is past nothing."""
    order = STATUSES[: STATUSES.index("blocked")]
    return status in order and order.index(status) > order.index(than)


def folder_findings(project: Project, phase: Phase) -> list[Finding]:
    """Everything about the folder of `phase`."""
    if phase.directory is None:
        return []
    return [*_names(project, phase), *_holes(project, phase), *_plans(project, phase)]


def _names(project: Project, phase: Phase) -> Iterator[Finding]:
    directory = phase.directory or ""
    plans = {plan.number for plan in phase.plans}
    for name in sorted(os.listdir(directory)):
        path = os.path.join(directory, name)
        shown = project.shown(path)
        match = _FILE.fullmatch(name)
        if match is None:
            continue
        if match["key"] != phase.key:
            message = f"this file is of phase {match['key']}, its folder of {phase.key}"
            yield Finding(shown, None, "wrong_folder", message, f"name it {phase.key}-..., or move it")
        if match["kind"] == "SUMMARY" and match["plan"] not in plans and ".undone." not in name:
            message = "this is the summary of a plan that is not there"
            yield Finding(shown, None, "no_plan", message, "restore the plan, or delete the summary")
        words = WORDS.get(match["kind"], ())
        if words and ".undone." not in name:
            yield from found_in(functools.partial(_status, project, path, words))


def _status(project: Project, path: str, words: tuple[str, ...]) -> Iterator[Finding]:
    status = phases.status_in(project, path)
    if status not in words:
        fix = f"it is one of: {', '.join(words)}"
        yield Finding(project.shown(path), 1, "bad_status", f"{status!r} is not a status of this file", fix)


def _holes(project: Project, phase: Phase) -> Iterator[Finding]:
    numbers = [int(plan.number) for plan in phase.plans]
    for plan, number, expected in zip(phase.plans, numbers, range(1, len(numbers) + 1), strict=True):
        if number != expected:
            message = f"plan {expected:02} of phase {phase.number} is missing before {plan.id}"
            fix = "restore it, or number the plans without a hole"
            yield Finding(project.shown(plan.path), None, "plan_hole", message, fix)
            return


def _plans(project: Project, phase: Phase) -> list[Finding]:
    """Findings about single plans, and about waves when every plan can be read."""
    found: list[Finding] = []
    read: list[tuple[Plan, Fields]] = []
    for plan in phase.plans:
        try:
            read.append((plan, phases.fields(project, plan)))
        except GsdError as error:
            found.append(of_error(error))
    for plan, fields in read:
        found.extend(_header(project, phase, plan, fields))
    if not found:
        found.extend(_waves(project, read))
        found.extend(_files(project, read))
    return found


def _header(project: Project, phase: Phase, plan: Plan, fields: Fields) -> Iterator[Finding]:
    """Whether a plan says the numbers that its name has."""
    for name, told, own in (("phase", fields.phase, phase.key), ("plan", fields.plan, plan.number)):
        if told != own:
            message = f"{name} is {told!r} here and {own!r} in the name of the file"
            fix = f'write `{name}: "{own}"`'
            yield Finding(project.shown(plan.path), fields.lines.get(name, 1), "wrong_plan", message, fix)


def _waves(project: Project, plans: list[tuple[Plan, Fields]]) -> Iterator[Finding]:
    waves = {plan.number: fields.wave for plan, fields in plans}
    for plan, fields in plans:
        line = fields.lines.get("depends_on", 1)
        for name in fields.depends_on:
            wave = waves.get(name.rpartition("-")[2])
            if wave is None or name not in (plan.number, name.rpartition("-")[2], _own(plan, name)):
                message = f"plan {plan.id} depends on plan {name}, which this phase does not have"
                fix = "name plans of this phase, as 01"
                yield Finding(project.shown(plan.path), line, "unknown_plan", message, fix)
            elif wave >= fields.wave:
                message = f"plan {plan.id} is in wave {fields.wave}, plan {name}, which it needs, in {wave}"
                fix = f"give it wave {wave + 1}"
                yield Finding(project.shown(plan.path), fields.lines["wave"], "wave_order", message, fix)
    present = set(waves.values())
    for plan, fields in plans:
        if fields.wave > 1 and fields.wave - 1 not in present:
            message = f"no plan is in wave {fields.wave - 1}, but {plan.id} is in wave {fields.wave}"
            fix = "number the waves without a hole"
            yield Finding(project.shown(plan.path), fields.lines["wave"], "wave_hole", message, fix)


def _own(plan: Plan, name: str) -> str:
    """The id in the phase of `plan` that ends as `name` does."""
    return f"{plan.id.rpartition('-')[0]}-{name.rpartition('-')[2]}"


def _files(project: Project, plans: list[tuple[Plan, Fields]]) -> Iterator[Finding]:
    taken: dict[tuple[int, str], str] = {}
    for plan, fields in plans:
        for name in dict.fromkeys(fields.files):
            other = taken.setdefault((fields.wave, name), plan.id)
            if other != plan.id:
                message = f"plan {plan.id} changes {name} in the same wave as plan {other}"
                line = fields.lines.get("files", 1)
                fix = "make one depend on the other, in a later wave"
                yield Finding(project.shown(plan.path), line, "file_twice", message, fix)
