"""What git's history says about a plan or a phase: found by scope, as the reference `commits` writes it."""

from __future__ import annotations

import re

from gsd_capabilities.companion import project as projects
from gsd_capabilities.companion.commits import git
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gsd_capabilities.companion.project import Project

_TYPE = re.compile(r"[a-z]+")
# A red run that a hook did not let be committed alone is quoted in the body of the commit.
_QUOTED_RED = re.compile(r"^Red: ", re.MULTILINE)
_RECORD, _PART = "\x01", "\x00"


def pairs(project: Project, plan: str) -> int:
    """How often a plan's commits go from a failing test to the code that passes it.

    A `test` commit followed by a `feat` or `fix` is one; so is a `feat` or `fix` whose body has a line
    that begins with `Red: `. Raises GsdError `git_failed` or `no_git`.
    """
    count, red = 0, False
    for subject, body in _messages(project, plan):
        found = _TYPE.match(subject)
        kind = found[0] if found else ""
        if kind == "test":
            red = True
        elif kind in ("feat", "fix"):
            count += red or _QUOTED_RED.search(body) is not None
            red = False
    return count


def numbers(project: Project, phase: str) -> Iterator[tuple[str, int]]:
    """Each file that the commits of a phase touch outside the planning files, with its changed lines."""
    scope = f"{_escaped(phase)}(-[0-9]{{2,}})?"
    for line in _log(project, scope, "--format=", "--numstat").splitlines():
        fields = line.split("\t", 2)
        if len(fields) == 3 and not fields[2].startswith(f"{projects.FOLDER}/"):
            # Git writes `-` for the lines of a binary file.
            yield fields[2], sum(int(field) for field in fields[:2] if field.isdigit())


def _messages(project: Project, plan: str) -> Iterator[tuple[str, str]]:
    """Subject and body of the commits of a plan, oldest first."""
    said = _log(project, _escaped(plan), "--reverse", "--format=%s%x00%b%x01")
    for record in said.split(_RECORD):
        subject, sign, body = record.strip("\n").partition(_PART)
        if sign:
            yield subject, body


def _log(project: Project, scope: str, *arguments: str) -> str:
    from gsd_capabilities.companion import state

    base = state.read(project).get("milestone_base", "")
    found = ("-E", f"--grep=^[a-z]+\\({scope}\\)!?:", f"--grep=^Work: {scope}$")
    # What STATE says is never an option.
    return git(project, "log", *arguments, *found, "--end-of-options", f"{base}..HEAD" if base else "HEAD")


def _escaped(number: str) -> str:
    """A number such as `03.1-02` for an extended regular expression; a dot is a dot."""
    return number.replace(".", "\\.")
