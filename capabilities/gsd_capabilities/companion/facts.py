"""What is true of one invocation: every fact an atom reads is computed here, and only here.

A fact that several things make true is folded into one boolean, so that an atom needs no operators. All of
them belong to one workflow: options count only if its own command has them, and a phase only if it works on
one.
"""

from __future__ import annotations

import os

from gsd_capabilities.companion import config as settings
from gsd_capabilities.companion import features as capabilities
from gsd_capabilities.companion import phases as planned
from gsd_capabilities.companion import project as projects
from gsd_capabilities.companion import repository, roadmap, words
from gsd_install.kernel.applicability import Facts
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.companion.config import Config
    from gsd_capabilities.companion.features import Installed
    from gsd_capabilities.companion.phases import Phase
    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.companion.words import Arguments

# The capability whose step before planning makes a phase one with an interface.
_UI = "ui"


class Situation(NamedTuple):
    """One invocation of a workflow in one project.

    `number` is that of the phase it works on: the one in the arguments, else the current one of STATE;
    None when there is none. `given` says that it stood in the arguments. `features` are the installed
    capabilities.
    """

    workflow: str
    arguments: Arguments
    project: Project
    config: Config
    phases: tuple[Phase, ...]
    number: str | None
    given: bool
    features: tuple[Installed, ...] = ()

    @property
    def phase(self) -> Phase | None:
        """The phase it works on, if the roadmap has it."""
        return next((phase for phase in self.phases if phase.number == self.number), None)


def situation(
    workflow: str,
    hint: str,
    arguments: Arguments,
    cwd: str,
    environ: Mapping[str, str],
    features: tuple[Installed, ...] = (),
) -> Situation:
    """Look at the project. Raises GsdError for planning files and settings that cannot be read."""
    project = projects.find(cwd)
    number = _given(arguments, hint)
    given = number is not None
    elsewhere = words.takes_phase(hint) and bool(arguments.words)
    if number is None and not elsewhere:
        number = current(project)
    config = settings.resolve(project, environ, schema=capabilities.schema(features))
    phases = planned.phases(project)
    return Situation(workflow, arguments, project, config, phases, number, given, features)


def facts(now: Situation) -> Facts:
    """The facts of one invocation."""
    flags, config = now.arguments.flags, now.config
    return Facts(
        flags=flags,
        auto_advance="--auto" in flags or config.get("workflow.auto_advance") is True,
        chunked="--chunked" in flags or config.get("workflow.plan_chunked") is True,
        codebase_map_needed=_lacks_map(now.project) and repository.has_code(now.project.root),
        convergence=not flags.isdisjoint(("--converge", "--cross-ai")),
        fallow_enabled=config.get("code_quality.fallow.enabled") is True,
        gap_closure_phase="." in (now.number or ""),
        git_tags=config.get("git.create_tag") is True,
        monorepo=repository.is_monorepo(now.project.root),
        mvp_phase=now.phase is not None and now.phase.mode == "mvp",
        next_channel=not flags.isdisjoint(("--next", "--rc")),
        prior_phases=_has_earlier(now),
        reviewer_instances=len(_listed(config.get("review.instances"))) > 1,
        ui_phase=_has_interface(now),
        workstream=now.project.workstream is not None,
        worktrees=config.get("workflow.use_worktrees") is True,
    )


def _given(arguments: Arguments, hint: str) -> str | None:
    """The phase number in the arguments of a command that takes one."""
    return _number(arguments.words[0]) if words.takes_phase(hint) and arguments.words else None


def current(project: Project) -> str | None:
    """The phase STATE.md names."""
    from gsd_capabilities.companion import state

    if not os.path.isfile(project.path(state.FILE)):
        return None
    return _number(state.read(project).get("phase", ""))


def _number(text: str) -> str | None:
    """A phase number as the roadmap writes it; None for any other text."""
    try:
        return roadmap.number_of(text)
    except GsdError:
        return None


def _lacks_map(project: Project) -> bool:
    folder = os.path.join(project.shared, "codebase")
    return not (os.path.isdir(folder) and any(name.endswith(".md") for name in os.listdir(folder)))


def _has_earlier(now: Situation) -> bool:
    if now.number is None:
        return False
    order = roadmap.order_of(now.number)
    return any(roadmap.order_of(phase.number) < order for phase in now.phases)


def _has_interface(now: Situation) -> bool:
    """Whether the phase has a specification of its interface; any phase will do where it works on none."""
    steps = capabilities.hooks(now.features, capabilities.STEPS, "plan:pre", now.config)
    if any(hook.capability.id == _UI for hook in steps):
        return True
    looked_at = [now.phase] if now.number else now.phases
    return any(phase is not None and phase.file("UI-SPEC") for phase in looked_at)


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []
