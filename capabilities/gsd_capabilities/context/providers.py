"""Where the state comes from. Every source is a function; these read the planning folder and the machine."""

from __future__ import annotations

import os

from gsd_capabilities.context.sections import section
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from gsd_capabilities.context.git import Changes, Git
    from gsd_capabilities.context.history import Message
    from gsd_capabilities.context.plan import Plan
    from gsd_capabilities.context.sections import Section

_SKIPPED = frozenset({"node_modules", "__pycache__", "venv", "dist", "build", "target"})


class Providers(NamedTuple):
    """The sources of state; None for one that is switched off. `session_name` is shown in pointers."""

    plan: Callable[[], Plan] | None = None
    session: Callable[[], list[Message] | None] | None = None
    git: Callable[[int], Changes] | None = None
    tree: Callable[[], Section | None] | None = None
    environment: Callable[[], Section] | None = None
    session_name: str = "session.jsonl"


def standard(project: str, planning: str, *, session: str = "", tree: bool = False) -> Providers:
    """The sources of a project on disk; the session log is `.planning/session.jsonl` unless named."""
    from gsd_capabilities.context import git, history, plan

    log = session or os.path.join(planning, "session.jsonl")
    run = git.runner(project)
    return Providers(
        plan=lambda: plan.current(planning),
        session=lambda: history.messages(log),
        git=lambda lines: git.changes(run, lines),
        tree=(lambda: file_tree(project, run)) if tree else None,
        environment=environment,
        session_name=os.path.relpath(log, project),
    )


def environment() -> Section:
    """Interpreter and system, for debugging."""
    import platform

    text = f"- Python {platform.python_version()}\n- {platform.system()} {platform.machine()}"
    return section("environment", "environment", text)


def file_tree(project: str, git: Git) -> Section | None:
    """The files git knows or would add; without git, those outside hidden and generated folders."""
    listed = git(["ls-files", "--cached", "--others", "--exclude-standard"])
    names = sorted(set(listed.splitlines())) if listed is not None else _walked(project)
    return section("tree", "tree", "\n".join(names), source="the project folder") if names else None


def _walked(project: str) -> list[str]:
    found = []
    for folder, folders, files in os.walk(project):
        folders[:] = [name for name in folders if name not in _SKIPPED and not name.startswith(".")]
        below = os.path.relpath(folder, project).replace(os.sep, "/")
        found += [name if below == "." else f"{below}/{name}" for name in files if not name.startswith(".")]
    return sorted(found)
