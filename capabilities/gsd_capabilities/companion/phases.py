"""The phases of the roadmap, each with its folder and plans.

Listing reads ROADMAP.md and names of files; the fields of a plan are read only when they are asked for, so
that a damaged plan of one phase does not stop work on another.
"""

from __future__ import annotations

import os
import re

from gsd_capabilities.companion import planning_text, roadmap
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.companion.project import Project
    from gsd_install.kernel.frontmatter import Field

FOLDER = "phases"
SUMMARY_STATUSES = ("done", "partial", "blocked")

_FOLDER_NAME = re.compile(r"([0-9]{2,}(?:\.[0-9]+)?)-([a-z0-9]+(?:-[a-z0-9]+)*)")
_PLAN_NAME = re.compile(r"([0-9]{2,}(?:\.[0-9]+)?)-([0-9]{2,})-PLAN\.md")
_SLUG_CHARACTERS = 40


class Plan(NamedTuple):
    """One plan of a phase: `number` is `02`, `id` is `03-02`; `summary` is a path where one is written."""

    number: str
    id: str
    path: str
    summary: str | None


class Fields(NamedTuple):
    """What the frontmatter of a plan says; `lines` has the line of each field."""

    phase: str
    plan: str
    title: str
    wave: int
    depends_on: tuple[str, ...]
    files: tuple[str, ...]
    requirements: tuple[str, ...]
    criteria: tuple[str, ...]
    autonomous: bool
    repairs: tuple[str, ...]
    lines: Mapping[str, int]


class Phase(NamedTuple):
    """One phase: number `3.1` and key `03.1`; `directory` is absolute, None until something is in it."""

    number: str
    key: str
    title: str
    slug: str
    directory: str | None
    goal: str
    status: str
    mode: str
    closes: tuple[str, ...]
    plans: tuple[Plan, ...]
    depends: tuple[str, ...]
    requirements: tuple[str, ...]
    criteria: tuple[tuple[str, str], ...]

    def file(self, name: str) -> str | None:
        """Where the phase has its file `name`, say `CONTEXT` for `03-CONTEXT.md`; None if it has none."""
        path = os.path.join(self.directory or "", f"{self.key}-{name}.md")
        return path if self.directory and os.path.isfile(path) else None


def phases(project: Project) -> tuple[Phase, ...]:
    """All phases in the order of the roadmap; none where there is no roadmap.

    Raises GsdError as `roadmap.read`, and `two_folders` where the folder of a phase is in doubt.
    """
    path = project.path(roadmap.FILE)
    text = planning_text.read_optional(project, path)
    if text is None:
        return ()
    found = roadmap.parse(text, project.shown(path))
    folders = directories(project)
    return tuple(_phase(project, row, found.section(row.number), folders) for row in found.rows)


def phase(project: Project, number: str) -> Phase:
    """The phase called `3`, `03` or `3.1`. Raises GsdError `bad_number`, `unknown_phase`, or as `phases`."""
    wanted = roadmap.number_of(number)
    known = phases(project)
    for each in known:
        if each.number == wanted:
            return each
    names = ", ".join(each.number for each in known)
    hint = f"the phases are: {names}" if known else "there is no roadmap yet; start with new-project"
    shown = project.shown(project.path(roadmap.FILE))
    raise GsdError(f"there is no phase {wanted}", reason="unknown_phase", file=shown, hint=hint)


def fields(project: Project, plan: Plan) -> Fields:
    """The frontmatter of a plan. Raises GsdError `bad_plan` and those of `kernel.frontmatter`."""
    file = project.shown(plan.path)
    values, lines = _frontmatter(project, plan.path)
    wave = values.get("wave")
    if not isinstance(wave, int) or isinstance(wave, bool) or wave < 1:
        hint = "write `wave: 1`, or one more than the highest wave it depends on"
        message = f"the wave of plan {plan.id} is not a number from 1"
        raise GsdError(message, reason="bad_plan", file=file, line=lines.get("wave", 1), hint=hint)
    names = ("depends_on", "files", "requirements", "criteria", "repairs")
    lists = {name: _texts(values.get(name, []), name, file, lines) for name in names}
    return Fields(
        phase=str(values.get("phase", "")),
        plan=str(values.get("plan", "")),
        title=str(values.get("title", "")),
        wave=wave,
        depends_on=lists["depends_on"],
        files=lists["files"],
        requirements=lists["requirements"],
        criteria=lists["criteria"],
        autonomous=values.get("autonomous") is not False,
        repairs=lists["repairs"],
        lines=lines,
    )


def status_in(project: Project, path: str) -> str:
    """The word behind `status:` of a summary, verification or the like. Raises GsdError `bad_status`."""
    values, _ = _frontmatter(project, path)
    status = values.get("status")
    if not isinstance(status, str) or not status:
        hint = "add a line `status: <word>` to its frontmatter"
        message = "the file says no status"
        raise GsdError(message, reason="bad_status", file=project.shown(path), line=1, hint=hint)
    return status


def done(project: Project, plans: tuple[Plan, ...]) -> int:
    """How many of the plans have a summary with status `done`."""
    return sum(plan.summary is not None and status_in(project, plan.summary) == "done" for plan in plans)


def directories(project: Project) -> dict[str, list[tuple[str, str]]]:
    """Folders of phases by key, each as (slug, absolute path)."""
    base = project.path(FOLDER)
    found: dict[str, list[tuple[str, str]]] = {}
    try:
        names = sorted(os.listdir(base))
    except (FileNotFoundError, NotADirectoryError):
        return found
    for name in names:
        match = _FOLDER_NAME.fullmatch(name)
        if match:
            found.setdefault(match[1], []).append((match[2], os.path.join(base, name)))
    return found


def slug(title: str) -> str:
    """The name of a folder made of a title: lower-case ASCII words and hyphens, at most 40 characters."""
    import unicodedata

    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    made = ""
    for word in re.findall(r"[a-z0-9]+", plain):
        longer = f"{made}-{word}" if made else word[:40]
        if len(longer) > _SLUG_CHARACTERS:
            break
        made = longer
    return made or "phase"


def _phase(
    project: Project,
    row: roadmap.Row,
    section: roadmap.Section | None,
    folders: dict[str, list[tuple[str, str]]],
) -> Phase:
    key = roadmap.key_of(row.number)
    own = folders.get(key, [])
    if len(own) > 1:
        hint = f"keep one of: {', '.join(os.path.basename(path) for _, path in own)}"
        message = f"phase {row.number} has more than one folder"
        raise GsdError(message, reason="two_folders", file=project.shown(own[1][1]), hint=hint)
    title = row.name
    name, directory = own[0] if own else (slug(title), None)
    closes = section.field("closes") if section else ""
    return Phase(
        number=row.number,
        key=key,
        title=title,
        slug=name,
        directory=directory,
        goal=section.field("goal") if section else "",
        status=row.cells["status"].value,
        mode=(section.field("mode") if section else "") or "standard",
        closes=roadmap.listed(closes.partition(" of ")[0]),
        plans=_plans(key, directory),
        depends=roadmap.numbers_in(section.field("depends on")) if section else (),
        requirements=roadmap.listed(row.cells["requirements"].value),
        criteria=section.criteria if section else (),
    )


def _plans(key: str, directory: str | None) -> tuple[Plan, ...]:
    if directory is None:
        return ()
    names = set(os.listdir(directory))
    plans = []
    for name in sorted(names):
        match = _PLAN_NAME.fullmatch(name)
        if match and match[1] == key:
            own = f"{key}-{match[2]}"
            summary = f"{own}-SUMMARY.md"
            path = os.path.join(directory, summary) if summary in names else None
            plans.append(Plan(match[2], own, os.path.join(directory, name), path))
    return tuple(sorted(plans, key=lambda plan: int(plan.number)))


def _frontmatter(project: Project, path: str) -> tuple[dict[str, Field], dict[str, int]]:
    from gsd_install.kernel import frontmatter

    found = frontmatter.split(planning_text.read(project, path), file=project.shown(path))
    return found.fields, found.lines


def _texts(value: Field, name: str, file: str, lines: Mapping[str, int]) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(value)
    message = f"{name} is not a list"
    hint = f"write `{name}: [..]`"
    raise GsdError(message, reason="bad_plan", file=file, line=lines[name], hint=hint)
