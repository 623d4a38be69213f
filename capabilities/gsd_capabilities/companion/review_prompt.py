"""The prompt for an outside reviewer of the plans of a phase, within the tokens that reviewer can take.

The ladder of gsd-core's review: instructions and roadmap are never trimmed; the project text falls back to
its first 40 lines; plans are cut in proportion, none below 1,024 characters; then context, research and
requirements go, in this order. What was trimmed is said behind the instructions.
"""

from __future__ import annotations

from gsd_capabilities.companion.request import Verb
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gsd_capabilities.companion.phases import Phase
    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.companion.request import Request
    from gsd_install.kernel.composition import Composition
    from gsd_install.kernel.fragment import Fragment
    from gsd_install.kernel.measure import Measure

MARGIN = 10
NOTE_TOKENS = 80
PLAN_CHARACTERS = 1_024
PROJECT_LINES = 40
CUT = "[the rest of this plan is left out]\n"

INSTRUCTIONS = """\
# Review of plans before they are executed

You get plans that somebody will carry out exactly as they are written. Find reasons why the goal would not be
reached, or why harm would be done. Answer with at most ten findings, the worst first. For each one:

- plan and task it is about;
- what is wrong, and what follows from it;
- the smallest change that would put it right;
- severity: blocker, major or minor.

No praise, no summary, no remarks about style. Decisions under "Context" are settled: speak of one only if it
cannot be carried out. If you find nothing serious, answer: nothing serious.
"""


class Texts(NamedTuple):
    """What a reviewer may see; `plans` are pairs of a file name and its text."""

    roadmap: str
    project: str
    plans: tuple[tuple[str, str], ...]
    context: str
    research: str
    requirements: str


def review_prompt(request: Request) -> str:
    """The prompt for the phase that is named.

    Raises UsageError `missing_phase` or `bad_budget`, GsdError `no_plans`, and BudgetError where even the
    plans at their shortest are too much.
    """
    from gsd_capabilities.companion import phases, project
    from gsd_capabilities.companion.render import tokens

    limit = request.options.get("max-tokens")
    if len(request.words) != 1 or limit is None:
        hint = "review-prompt 3 --max-tokens 24000"
        raise UsageError("a phase and a limit are needed", reason="missing_phase", hint=hint)
    here = project.require(project.find(request.cwd))
    return compose(gathered(here, phases.phase(here, request.words[0])), tokens(limit)).text


def compose(texts: Texts, limit: int) -> Composition:
    """Put the texts together within `limit` estimated tokens, less a margin. Raises BudgetError."""
    from gsd_install.kernel.compose import compose as composed
    from gsd_install.kernel.measure import estimated

    measure = estimated()
    return composed(
        _fragments(texts, measure),
        limit,
        measure,
        mode="ladder",
        reserve=min(NOTE_TOKENS, limit * (100 - MARGIN) // 100),
        margin=MARGIN,
        separator="\n",
        note_after="instructions",
    )


def gathered(project: Project, phase: Phase) -> Texts:
    """Read what there is about a phase. Only plans that were not executed are reviewed."""
    from gsd_capabilities.companion import planning_text

    def text(path: str | None) -> str:
        return (planning_text.read_optional(project, path) or "") if path else ""

    plans = tuple((f"{plan.id}-PLAN.md", text(plan.path)) for plan in phase.plans if plan.summary is None)
    if not plans:
        raise GsdError(
            f"phase {phase.number} has no plan that is not executed",
            reason="no_plans",
            hint=f"plan-phase {phase.number} comes first",
        )
    return Texts(
        roadmap=_roadmap(project, phase),
        project=text(_shared(project, "PROJECT.md")),
        plans=plans,
        context=text(phase.file("CONTEXT")),
        research=text(phase.file("RESEARCH")),
        requirements=_requirements(text(project.path("REQUIREMENTS.md")), phase.requirements),
    )


def _fragments(texts: Texts, measure: Measure) -> Iterator[Fragment]:
    from gsd_install.kernel.fragment import drop, head_shrink, proportional_truncate, verbatim

    yield verbatim("instructions", INSTRUCTIONS, isolate=True)
    yield verbatim("roadmap", texts.roadmap, wrapper="# Roadmap\n\n")
    yield head_shrink("project", texts.project, PROJECT_LINES, wrapper="# Project\n\n")
    yield verbatim("plans", "# Plans\n")
    for name, plan in texts.plans:
        yield proportional_truncate(
            f"plan:{name}",
            plan,
            group="plans",
            wrapper=f"## {name}\n\n",
            floor=_floor(plan, measure),
            ending=CUT,
        )
    yield drop("context", texts.context, wrapper="# Context\n\n")
    yield drop("research", texts.research, wrapper="# Research\n\n")
    yield drop("requirements", texts.requirements, wrapper="# Requirements\n\n")


def _floor(plan: str, measure: Measure) -> int:
    """What 1,024 characters of a plan and the mark of a cut cost; one more, because costs are rounded."""
    if len(plan) <= PLAN_CHARACTERS:
        return measure.cost(plan)
    return measure.cost(plan[:PLAN_CHARACTERS]) + measure.cost(CUT) + 1


def _roadmap(project: Project, phase: Phase) -> str:
    """The section of the phase in the roadmap."""
    from gsd_capabilities.companion import planning_text, roadmap

    path = project.path(roadmap.FILE)
    text = planning_text.read(project, path)
    section = roadmap.parse(text, project.shown(path)).section(phase.number)
    return text[section.start : section.end] if section else f"Phase {phase.number}: {phase.title}\n"


def _requirements(text: str, ids: tuple[str, ...]) -> str:
    """The lines that name a requirement of the phase; everything where the phase names none."""
    if not ids:
        return text
    return "".join(line for line in text.splitlines(keepends=True) if any(name in line for name in ids))


def _shared(project: Project, name: str) -> str:
    import os

    return os.path.join(project.shared, name)


VERBS: Mapping[str, Verb] = {
    "review-prompt": Verb(
        review_prompt,
        "review-prompt PHASE --max-tokens N",
        values=frozenset({"max-tokens"}),
    )
}
