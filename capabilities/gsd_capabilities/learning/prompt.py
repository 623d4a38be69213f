"""The prompt of a job: what was found in the records, and what to do with it.

A distillation gets the learning habits and the evidence of one task, or the excerpt of one conversation. A
consolidation goes over the memory and gets neither.
"""

from __future__ import annotations

from gsd_capabilities.learning.habits import for_scenario
from gsd_capabilities.learning.jobs import CONSOLIDATION
from gsd_capabilities.learning.limits import DISTIL_PROMPT_CHARS
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.learning.jobs import Job
    from gsd_capabilities.work.model import Task, Work
    from gsd_install.kernel.fragment import Fragment

_CUT = "\n[the rest is left out]\n"
_LESSONS = """\
# Look back at finished work

This is job {id}, a distillation. The work is done: do not go on with it, and change nothing of the project
outside its memory. Ask what the next one who does such work should know, and record only that.

1. Read the evidence below, and what it refers to, before you judge. Most work teaches nothing new: say so.
2. Search first (`{tool} memory search WORDS`). A fact: `{tool} memory save --title TITLE --text TEXT`.
   Seen once, perhaps a pattern: `{tool} memory observe TEXT --theme THEME`.
3. A way of working that others should follow: write a SKILL.md and propose it with
   `{tool} skill propose NAME --from DIR`. A proposal is not live; its impact decides who must approve it.
4. Close the job: `{tool} learn done {id} --note "what was recorded"`, or
   `{tool} learn failed {id} --note "why"`.
"""
_MEMORY = """\
# Tidy the memory

This is job {id}, a consolidation. It is about no task: go over what is recorded, and leave less of it and
better.

1. `{tool} learn tidy` lets state expire and lists suggestions with their evidence. They are suggestions: what
   they would change, a person decides.
2. `{tool} memory show knowledge`: join what says the same (`{tool} memory update TITLE`), shorten what is
   long, and do not lose a fact.
3. `{tool} memory show observations`: a theme that came back three times is worth one section of knowledge.
4. Close the job: `{tool} learn done {id} --note "what changed"`, or `{tool} learn failed {id} --note "why"`.
"""


def written(
    project: Project,
    job: Job,
    payload_root: str | None,
    environ: Mapping[str, str] | None = None,
    *,
    habits: bool = True,
) -> str:
    """The prompt of a job, in at most 32,000 characters. With `environ` paths are as texts write them.

    Without `habits` it is for an agent whose own prompt has them. Raises GsdError `no_task`, `no_session`,
    `foreign_session`, and as `habits.text`.
    """
    from gsd_capabilities.companion.payload import launcher
    from gsd_install.kernel.compose import compose
    from gsd_install.kernel.measure import CHARACTERS

    known = for_scenario(job.scenario, payload_root) if habits else ""
    pieces = _pieces(project, job, known, launcher(payload_root, environ))
    return compose(pieces, DISTIL_PROMPT_CHARS, CHARACTERS, mode="optimise", separator="\n").text


def _pieces(project: Project, job: Job, habits: str, tool: str) -> Iterator[Fragment]:
    from gsd_install.kernel.fragment import verbatim

    told = _MEMORY if job.kind == CONSOLIDATION else _LESSONS
    yield verbatim("task", told.format(id=job.id, tool=tool), isolate=True)
    if habits:
        yield verbatim("habits", f"{habits.rstrip()}\n", isolate=True)
    if job.kind == CONSOLIDATION:
        return
    if job.session:
        yield from _conversation(project, job)
    elif job.task:
        yield from _evidence(project, job)


def _conversation(project: Project, job: Job) -> Iterator[Fragment]:
    """The excerpt that was kept; its oldest messages go first."""
    from gsd_capabilities.learning import recall
    from gsd_install.kernel.fragment import drop, verbatim

    found = recall.read(project, job.session)
    recall.refuse_foreign(found, job.holder, job.session)
    yield verbatim("evidence", f"# The conversation {job.session}\n")
    for number, one in enumerate(found, 1):
        said = one.text if one.text.endswith("\n") else f"{one.text}\n"
        yield drop(f"message {number}", f"## {number}. {one.role}\n\n{said}", priority=number)


def _evidence(project: Project, job: Job) -> Iterator[Fragment]:
    """What is recorded of a task. Under pressure notes go before feedback, and older ones before newer."""
    from gsd_capabilities.work.ledger import known_task, ledger
    from gsd_install.kernel.fragment import proportional_truncate, verbatim

    work = ledger(project)
    task = known_task(work, job.task)
    made = [*_deliverables(task, work), *_conversations(project, task)]
    yield verbatim("evidence", f"# Evidence: task {task.id}\n")
    yield proportional_truncate("about", _about(task, job), tier=1, boundary="word", ending=_CUT)
    yield from _listed("feedback", "What reviews said", _feedback(task), tier=2)
    yield from _listed("references", "What it left behind", made, tier=2)
    yield from _listed(
        "notes", "Notes", [f"{one.who or 'somebody'}: {one.text}" for one in task.notes], tier=3
    )


def _about(task: Task, job: Job) -> str:
    calls = "not counted" if task.calls is None else str(task.calls)
    rows = [
        f"- title: {task.title}",
        f"- ended as {task.state} after {task.round} {'round' if task.round == 1 else 'rounds'}",
        f"- tool calls: {calls}",
        f"- looked back at because of: {', '.join(job.reasons)}",
    ]
    named = (("project", task.project), ("assignee", task.assignee), ("skills", ", ".join(task.skills)))
    rows += [f"- {name}: {value}" for name, value in named if value]
    return "\n".join([*rows, ""])


def _feedback(task: Task) -> list[str]:
    return [f"round {one.round}, {one.verdict}: {one.notes}" for one in task.verdicts if one.notes]


def _deliverables(task: Task, work: Work) -> list[str]:
    """By the names of their artifacts: what stands in them is not repeated here."""
    made = [one for one in work.deliverables.values() if one.task == task.id]
    return [f"{one.title} (version {one.version}): {one.reference or one.body}" for one in made]


def _conversations(project: Project, task: Task) -> list[str]:
    """The conversation in which our own agent did the task has its name; its owner can read it."""
    from gsd_capabilities.learning import recall

    return [f"the conversation about it: learn recall {task.id}"] if recall.exists(project, task.id) else []


def _listed(name: str, title: str, items: list[str], tier: int) -> Iterator[Fragment]:
    """A list under a heading; the older items go first, and the heading only after all of them."""
    from gsd_install.kernel.fragment import drop

    if items:
        yield drop(name, f"## {title}\n", tier=tier, priority=len(items))
    for number, item in enumerate(items):
        one = f"{name} {number + 1}"
        yield drop(one, f"- {item.rstrip()}\n", tier=tier, priority=number, requires=(name,))
