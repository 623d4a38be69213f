"""The checks that gates of features ask for: each holds, or is an error that says what does not.

    gsd-tools check tdd 3          each task of kind tdd has a failing test before its code
    gsd-tools check security 3     no declared or found threat is open, and the audit is of this code
    gsd-tools check review 3       no blocker is open, and a large change has been reviewed

Forms of tasks, threats and findings are those of the templates `plan`, `security` and `review`; scopes of
commits those of the reference `commits`.
"""

from __future__ import annotations

import functools
import re

from gsd_capabilities.companion import project as projects
from gsd_capabilities.companion.request import Verb
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from gsd_capabilities.companion.phases import Phase
    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.companion.request import Request

# From so many changed lines on, a phase without a review is worth a word.
LARGE = 200

_ID = re.compile(r"\bTH-[0-9]+\b")
_THREAT = re.compile(r"^- (TH-[0-9]+)\b", re.MULTILINE)
_ROW = re.compile(r"^\| *(TH-[0-9]+) *\|.*\| *(\w+) *\|\s*$", re.MULTILINE)
_HEADING = re.compile(r"^### ((?:TH-|R)[0-9]+)(?: [^:\n]*)?: .*\((\w+)\)\s*$")
_SEVERITY = re.compile(r"^- severity: *(\w+)")
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_FIELD = "^{}: *(.+?) *$"


class Found(NamedTuple):
    """One finding of a REVIEW or SECURITY file."""

    id: str
    state: str
    severity: str


def findings(text: str) -> Iterator[Found]:
    """The findings that have a heading of their own, `### R1: ... (open)`, with the severity below it.

    The severity of one that says none is empty.
    """
    found: Found | None = None
    for line in text.splitlines():
        severity = _SEVERITY.match(line)
        if line.startswith("#"):
            if found:
                yield found
            head = _HEADING.match(line)
            found = Found(head[1], head[2].lower(), "") if head else None
        elif severity and found and not found.severity:
            found = found._replace(severity=severity[1].lower())
    if found:
        yield found


def open_threats(text: str) -> tuple[str, ...]:
    """Threats of a SECURITY file that keep it from passing: declared and open, or found and not minor."""
    declared = [id_ for id_, state in _ROW.findall(text) if state.lower() == "open"]
    added = [each.id for each in findings(text) if each.state == "open" and each.severity != "minor"]
    return tuple(dict.fromkeys(declared + added))


def security(project: Project, phase: Phase) -> list[str]:
    """What keeps the threats of `phase` from being closed, a sentence each."""
    from gsd_capabilities.companion import phases, planning_text

    declared = [id_ for plan in phase.plans for id_ in _THREAT.findall(_threats(project, plan.path))]
    path = phase.file("SECURITY")
    if path is None:
        names = ", ".join(dict.fromkeys(declared))
        return [f"{names}: declared, and nobody has looked whether it is countered"] if declared else []
    text = planning_text.read(project, path)
    problems = [f"{id_} is open" for id_ in open_threats(text)]
    audited = set(_ID.findall(text))
    problems += [
        f"{id_} is declared and not audited" for id_ in dict.fromkeys(declared) if id_ not in audited
    ]
    if not problems and phases.status_in(project, path) != "passed":
        problems.append("its status is not `passed`")
    head = _field(text, "head")
    if not _COMMIT.fullmatch(head):
        return [*problems, "its head is not the hash of a commit"]
    changed = _changed_since(project, head)
    if changed:
        problems.append(f"the audit is older than {changed[0]}" + _and_more(len(changed) - 1))
    return problems


def review(project: Project, phase: Phase) -> list[str]:
    """What speaks against shipping `phase` by its review, a sentence each."""
    from gsd_capabilities.companion import planning_text

    path = phase.file("REVIEW")
    if path is None:
        lines = changed_lines(project, phase)
        return [f"{lines} lines have changed and nobody has reviewed them"] if lines > LARGE else []
    found = findings(planning_text.read(project, path))
    return [f"{each.id} is open" for each in found if each.state == "open" and each.severity == "blocker"]


def tdd(project: Project, phase: Phase) -> list[str]:
    """Executed plans with fewer red-then-green pairs of commits than tasks of kind `tdd`."""
    from gsd_capabilities.companion import planning_text
    from gsd_capabilities.companion.history import pairs

    problems = []
    for plan in phase.plans:
        if plan.summary is None:
            continue
        tasks = planning_text.read(project, plan.path).count("- **Kind:** tdd")
        made = pairs(project, plan.id) if tasks else 0
        if made < tasks:
            problems.append(f"plan {plan.id} has {tasks} tasks of kind tdd and {made} red-then-green pairs")
    return problems


def changed_lines(project: Project, phase: Phase) -> int:
    """How many lines the commits of `phase` add and remove outside the planning files."""
    from gsd_capabilities.companion import history

    return sum(count for _, count in history.numbers(project, phase.key))


def _threats(project: Project, path: str) -> str:
    """The section of a plan that declares threats."""
    from gsd_capabilities.companion import planning_text

    _, _, after = planning_text.read(project, path).partition("\n## Threats")
    return after.partition("\n## ")[0]


def _changed_since(project: Project, head: str) -> list[str]:
    """Files outside the planning files that differ between the commit `head` and HEAD."""
    from gsd_capabilities.companion.commits import git

    names = git(project, "diff", "--name-only", "-z", f"{head}..HEAD").split("\0")
    return [name for name in names if name and not name.startswith(f"{projects.FOLDER}/")]


def _field(text: str, name: str) -> str:
    found = re.search(_FIELD.format(name), text, re.MULTILINE)
    return found[1] if found else ""


def _and_more(count: int) -> str:
    return f" and {count} more" if count > 0 else ""


_HINTS = {
    "tdd": "quote the failing run in the SUMMARY where it was seen, or write the test that fails without it",
    "security": "counter it and audit again, or have a person accept it with a reason",
    "review": "code-review with --fix repairs blockers; without a review, code-review comes first",
}


def _check(name: str, look: Callable[[Project, Phase], list[str]], request: Request) -> object:
    from gsd_capabilities.companion import phases, state

    if len(request.words) > 1:
        raise UsageError("wrong number of arguments", reason="usage", hint=f"gsd-tools check {name} [PHASE]")
    project = projects.require(projects.find(request.cwd))
    number = request.words[0] if request.words else state.read(project).get("phase", "")
    phase = phases.phase(project, number)
    problems = look(project, phase)
    if problems:
        message = f"phase {phase.number}: {'; '.join(problems)}"
        raise GsdError(message, reason="not_held", hint=_HINTS[name])
    return {"holds": True, "check": name, "phase": phase.number}


VERBS: Mapping[str, Verb] = {
    f"check {name}": Verb(functools.partial(_check, name, look), f"check {name} [PHASE]")
    for name, look in (("tdd", tdd), ("security", security), ("review", review))
}
