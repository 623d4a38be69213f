"""`gsd-tools learn ...`, `skill use` and `skill stats`: what finished work taught, and how skills fare."""

from __future__ import annotations

from gsd_capabilities.companion.request import Verb
from gsd_capabilities.learning.skill_verbs import VERBS as PROPOSALS
from gsd_capabilities.work.asked import WHEN, WHEN_USAGE, number_of, project_of, words_of
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.companion.request import Request


def jobs(request: Request) -> object:
    """Every job with its state, and how many tasks led to none because an agent had five that day."""
    from gsd_capabilities.learning import jobs as queue
    from gsd_capabilities.work.events import events

    _none(request, "learn jobs")
    project = project_of(request)
    known = queue.jobs(project)
    return {
        "waiting": sum(1 for one in known if one.state == queue.WAITING),
        "skipped": len({event.subject for event in events(project, (queue.SKIPPED_EVENT,))}),
        "jobs": [one.as_json() for one in known],
    }


def consider(request: Request) -> object:
    """Ask once more whether a completed task is worth a job; one that it has already stays its only one."""
    from gsd_capabilities.learning import jobs as queue
    from gsd_capabilities.work import ledger, model

    task = _word(request, "learn consider")
    project, _, now = _asked(request)
    state = ledger.known_task(ledger.ledger(project), task).state
    if state != model.COMPLETED:
        hint = "only a completed task leads to a job: gsd-tools task complete, or a review"
        raise GsdError(f"task {task} is {state}", reason="not_completed", hint=hint)
    opened = queue.consider(project, task, now=now)
    return {"job": None if opened is None else opened.id}


def next(request: Request) -> object:  # noqa: A001 - it is the verb's name
    """Begin a job: its id, its scenario and its prompt; with `--text` the prompt alone."""
    from gsd_capabilities.learning import jobs as queue

    _none(request, "learn next")
    project, who, now = _asked(request)
    begun = queue.next(project, who=who, now=now)
    if begun is None:
        return "no lesson waits\n" if "text" in request.options else {"job": None, "prompt": ""}
    try:
        told = queue.prompt(project, begun, _payload(request), request.environ)
    except GsdError as error:
        queue.release(project, begun.id, who=who, now=now)
        raise _unmade(begun.id, error) from error
    return told if "text" in request.options else {"job": begun.as_json(), "prompt": told}


def _unmade(job: str, error: GsdError) -> GsdError:
    """The same failure, with the job that it keeps everybody from."""
    hint = f"{error.hint or 'see to that'}; or end the job: gsd-tools learn failed {job} --note WHY"
    message = f"{job} cannot be begun: {error.message}"
    return GsdError(message, reason=error.reason, file=error.file, line=error.line, hint=hint)


def done(request: Request) -> object:
    """End a job: what there was to learn is recorded, or there was nothing."""
    return _ended(request, "done")


def failed(request: Request) -> object:
    """End a job that could not be done."""
    return _ended(request, "failed")


def consolidate(request: Request) -> object:
    """Open a job about the memory itself."""
    from gsd_capabilities.learning import jobs as queue

    if request.words:
        message = "a consolidation is about the memory and not about a task"
        hint = "what a task taught is a distillation: learn jobs"
        raise UsageError(message, reason="no_task_input", hint=hint)
    project, who, now = _asked(request)
    return queue.open_consolidation(project, who=who, now=now).as_json()


def tidy(request: Request) -> object:
    """Let state expire, and say what a librarian would suggest."""
    from gsd_capabilities.learning.librarian import suggestions
    from gsd_capabilities.learning.shelf import shelf
    from gsd_capabilities.memory.expire import expire

    _none(request, "learn tidy")
    project, _, now = _asked(request)
    over = expire(project, now)
    found = suggestions(shelf(project), now=now)
    return {"expired": list(over.expired), "suggestions": [one._asdict() for one in found]}


def announce(request: Request) -> object:
    """Tell the team about a skill, or about each that went live since the last time."""
    from gsd_capabilities.learning import fanout

    project, who, now = _asked(request)
    everybody = "all" in request.options
    news = fanout.announce(project, request.words, everybody=everybody, who=who, now=now)
    return {
        "announced": {name: list(to) for name, to in news.announced.items()},
        "notices": [{**one._asdict(), "skills": list(one.skills)} for one in news.notices],
        "waiting": {name: list(named) for name, named in news.waiting.items()},
    }


def metrics(request: Request) -> object:
    """How many tasks used a skill, passed at once, and led to a job."""
    from gsd_capabilities.learning.metrics import rates

    _none(request, "learn metrics")
    return rates(project_of(request))


def remember(request: Request) -> object:
    """Seed a conversation of its own with the end of a transcript, and open a job about it."""
    from gsd_capabilities.learning import remember as remembering

    _none(request, "learn remember")
    project, who, now = _asked(request)
    note = request.options.get("note", "")
    made = remembering.remember(project, _transcript(request), note=note, who=who, now=now)
    return {**made._asdict(), "job": made.job.as_json()}


def recall(request: Request) -> object:
    """A page of a conversation that was kept."""
    from gsd_capabilities.learning import recall as recalling
    from gsd_capabilities.learning.limits import RECALL_PAGE
    from gsd_capabilities.work.clock import who_of

    session = _word(request, "learn recall")
    numbers = {name: number_of(text, f"--{name}") for name, text in request.options.items() if name != "as"}
    before, limit = numbers.get("before"), numbers.get("limit", RECALL_PAGE)
    project, who = project_of(request), who_of(request)
    return recalling.page(project, session, who=who, before=before, limit=limit).as_json()


def use(request: Request) -> object:
    """Record that a skill is used: in the task of `--task`, of `GSD_TASK`, or the only one of the agent."""
    from gsd_capabilities.companion.planning_text import system_errors
    from gsd_capabilities.learning import stats
    from gsd_capabilities.work import ledger, running

    skill = _skill(_word(request, "skill use"))
    project, who, now = _asked(request)
    task = request.options.get("task", "")
    if task:
        ledger.known_task(ledger.ledger(project), task)
    else:
        file = running.path(project)
        with system_errors(project, file):
            task = running.chosen(running.stored(file), request.environ, who)
    known = stats.activated(project, skill, task=task, who=who, now=now)
    return {"skill": skill, "task": task or None, **known.as_json()}


def statistics(request: Request) -> object:
    """How skills fare: all that were used, or one."""
    from gsd_capabilities.learning import stats

    found = stats.history(project_of(request)).skills
    names = request.words or tuple(sorted(found))
    return {name: found.get(name, stats.Stats()).as_json() for name in names}


def _ended(request: Request, outcome: str) -> object:
    from gsd_capabilities.learning import jobs as queue

    job = _word(request, f"learn {outcome}")
    project, who, now = _asked(request)
    note = request.options.get("note", "")
    return queue.finish(project, job, outcome, note=note, who=who, now=now).as_json()


def _asked(request: Request) -> tuple[Project, str, float]:
    """The project, who asks, and when it is."""
    from gsd_capabilities.work.clock import now_of, who_of

    return project_of(request), who_of(request), now_of(request)


def _payload(request: Request) -> str | None:
    from gsd_capabilities.companion import payload

    return payload.found(request)


def _transcript(request: Request) -> bytes:
    import os

    named = request.options.get("transcript")
    if named is None:
        return request.stdin()
    file = os.path.join(request.cwd, named)
    try:
        with open(file, "rb") as stream:
            return stream.read()
    except OSError as error:
        hint = "name a file with one message a line"
        message = f"the transcript cannot be read: {error.strerror}"
        raise GsdError(message, reason="no_transcript", file=named, hint=hint) from error


def _none(request: Request, verb: str) -> None:
    words_of(request, 0, 0, VERBS[verb].usage)


def _word(request: Request, verb: str) -> str:
    return words_of(request, 1, 1, VERBS[verb].usage)[0]


def _skill(name: str) -> str:
    import re

    if re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", name):
        return name
    hint = "small letters, digits and single hyphens"
    raise UsageError(f"{name!r} is no name of a skill", reason="bad_skill", hint=hint)


VERBS: Mapping[str, Verb] = {
    **PROPOSALS,
    "learn jobs": Verb(jobs, "learn jobs"),
    "learn consider": Verb(consider, "learn consider TASK [--at TIME]", frozenset({"at"})),
    "learn next": Verb(next, f"learn next [--text] {WHEN_USAGE}", WHEN, frozenset({"text"}), spills=True),
    "learn done": Verb(done, f"learn done JOB [--note TEXT] {WHEN_USAGE}", WHEN | {"note"}),
    "learn failed": Verb(failed, f"learn failed JOB [--note TEXT] {WHEN_USAGE}", WHEN | {"note"}),
    "learn consolidate": Verb(consolidate, f"learn consolidate {WHEN_USAGE}", WHEN),
    "learn tidy": Verb(tidy, "learn tidy [--at TIME]", frozenset({"at"})),
    "learn announce": Verb(
        announce, f"learn announce [SKILL ...] [--all] {WHEN_USAGE}", WHEN, frozenset({"all"})
    ),
    "learn metrics": Verb(metrics, "learn metrics"),
    "learn remember": Verb(
        remember,
        f"learn remember [--transcript FILE] [--note TEXT] {WHEN_USAGE}",
        WHEN | {"transcript", "note"},
    ),
    "learn recall": Verb(
        recall,
        "learn recall SESSION [--before NUMBER] [--limit COUNT] [--as NAME]",
        frozenset({"before", "limit", "as"}),
    ),
    "skill use": Verb(use, f"skill use NAME [--task ID] {WHEN_USAGE}", WHEN | {"task"}),
    "skill stats": Verb(statistics, "skill stats [NAME ...]"),
}
