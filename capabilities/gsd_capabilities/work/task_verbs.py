"""`gsd-tools task ...`: the verbs about tasks."""

from __future__ import annotations

from gsd_capabilities.companion.request import Verb
from gsd_capabilities.work import answers, tasks
from gsd_capabilities.work.asked import (
    WHEN,
    WHEN_USAGE,
    listed,
    number_of,
    option_text,
    project_of,
    task_of,
    text_of,
    words_of,
)
from gsd_capabilities.work.clock import now_of, who_of
from gsd_capabilities.work.model import STATES
from gsd_install.kernel.errors import UsageError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gsd_capabilities.companion.request import Request
    from gsd_capabilities.work.model import Task

_TEXTS = ("title", "project", "predecessor")
_LISTS = ("tags", "skills")
_DESCRIBED = frozenset({"requirement", "project", "predecessor", *_LISTS})
_DESCRIBED_USAGE = "[--requirement TEXT|-] [--project NAME] [--predecessor ID] [--tags A,B] [--skills A,B]"


def _add(request: Request) -> object:
    words = words_of(request, 1, None, VERBS["task add"].usage)
    described = {**_described(request), "title": text_of(request, words)}
    to = request.options.get("to", "")
    made = tasks.add(project_of(request), described, to=to, who=who_of(request), now=now_of(request))
    return answers.whole(made)


def _update(request: Request) -> object:
    (task_id,) = words_of(request, 1, 1, VERBS["task update"].usage)
    described = _described(request)
    if not described:
        usage = f"gsd-tools {VERBS['task update'].usage}"
        raise UsageError("nothing to change is named", reason="usage", hint=usage)
    found = tasks.update(project_of(request), task_id, described, who=who_of(request), now=now_of(request))
    return answers.whole(found)


def _described(request: Request) -> dict[str, object]:
    made: dict[str, object] = {name: request.options[name] for name in _TEXTS if name in request.options}
    requirement = option_text(request, "requirement")
    if requirement is not None:
        made["requirement"] = requirement
    for name in _LISTS:
        found = listed(request, name)
        if found is not None:
            made[name] = found
    return made


def _list(request: Request) -> object:
    words_of(request, 0, 0, VERBS["task list"].usage)
    state = request.options.get("state")
    if state is not None and state not in STATES:
        raise UsageError(
            f"{state!r} is no state", reason="bad_state", hint=f"it is one of: {', '.join(STATES)}"
        )
    wanted = {name: value for name, value in request.options.items() if name in _FILTERS}
    found = tasks.all_tasks(project_of(request))
    return [answers.brief(one) for one in found if all(getattr(one, name) == wanted[name] for name in wanted)]


_FILTERS = frozenset({"state", "assignee", "project"})


def _get(request: Request) -> object:
    (task_id,) = words_of(request, 1, 1, VERBS["task get"].usage)
    return answers.whole(tasks.task(project_of(request), task_id))


def _assign(request: Request) -> object:
    task_id, *name = words_of(request, 1, 2, VERBS["task assign"].usage)
    who = who_of(request)
    to = name[0] if name else who
    return answers.whole(tasks.assign(project_of(request), task_id, to, who=who, now=now_of(request)))


def _start(request: Request) -> object:
    (task_id,) = words_of(request, 1, 1, VERBS["task start"].usage)
    found = tasks.start(
        project_of(request),
        task_id,
        skills=listed(request, "skills") or (),
        who=who_of(request),
        now=now_of(request),
    )
    return {"task": answers.brief(found.task), "context": found.context, "feedback": found.feedback}


def _call(request: Request) -> object:
    words_of(request, 0, 0, VERBS["task call"].usage)
    count = number_of(request.options.get("count", "1"), "--count")
    found = tasks.count_call(
        project_of(request), task_of(request), count, who=who_of(request), now=now_of(request)
    )
    return {"id": found.id, "calls": found.calls}


def _note(request: Request) -> object:
    text = text_of(request, words_of(request, 1, None, VERBS["task note"].usage))
    found = tasks.note(project_of(request), task_of(request), text, who=who_of(request), now=now_of(request))
    return answers.whole(found)


def _reasoned(request: Request, verb: str, change: Callable[..., Task]) -> object:
    """What a verb does to a task for a reason, which its words or standard input give."""
    task_id, *reason = words_of(request, 2, None, VERBS[verb].usage)
    text = text_of(request, tuple(reason))
    return answers.brief(change(project_of(request), task_id, text, who=who_of(request), now=now_of(request)))


def _block(request: Request) -> object:
    return _reasoned(request, "task block", tasks.block)


def _unblock(request: Request) -> object:
    (task_id,) = words_of(request, 1, 1, VERBS["task unblock"].usage)
    return answers.brief(
        tasks.block(project_of(request), task_id, "", who=who_of(request), now=now_of(request))
    )


def _complete(request: Request) -> object:
    (task_id,) = words_of(request, 1, 1, VERBS["task complete"].usage)
    done = tasks.complete(project_of(request), task_id, who=who_of(request), now=now_of(request))
    return {"task": answers.brief(done.task), "learning": done.lesson}


def _fail(request: Request) -> object:
    return _reasoned(request, "task fail", tasks.fail)


def _cancel(request: Request) -> object:
    return _reasoned(request, "task cancel", tasks.cancel)


def _context(request: Request) -> object:
    from gsd_capabilities.work.context import package

    (task_id,) = words_of(request, 1, 1, VERBS["task context"].usage)
    return package(project_of(request), task_id)


def _board(request: Request) -> object:
    words_of(request, 0, 0, VERBS["task board"].usage)
    return answers.board(tasks.board(project_of(request)))


def _subtask(request: Request) -> object:
    from gsd_capabilities.work import subtasks

    usage = VERBS["task subtask"].usage
    action, *rest = words_of(request, 1, None, usage)
    project, task_id, who, now = project_of(request), task_of(request), who_of(request), now_of(request)
    if action == "add" and rest:
        made = subtasks.add(project, task_id, text_of(request, tuple(rest)), who=who, now=now)
        warnings = [made.warning] if made.warning else []
        return {"task": task_id, "subtask": answers.subtask(made.subtask), "warnings": warnings}
    if action == "update" and len(rest) == 1:
        number = number_of(rest[0], "a number of a subtask")
        title, state = request.options.get("title"), request.options.get("state")
        found = subtasks.update(project, task_id, number, title=title, state=state, who=who, now=now)
        return answers.subtask(found)
    if action == "delete" and len(rest) == 1:
        number = number_of(rest[0], "a number of a subtask")
        left = subtasks.delete(project, task_id, number, who=who, now=now)
        return [answers.subtask(one) for one in left.subtasks]
    if action == "list" and not rest:
        return [answers.subtask(one) for one in tasks.task(project, task_id).subtasks]
    message = f"a subtask cannot be asked for {' '.join((action, *rest))!r}"
    raise UsageError(message, reason="usage", hint=f"gsd-tools {usage}")


VERBS: Mapping[str, Verb] = {
    "task add": Verb(
        _add, f"task add TITLE|- [--to NAME] {_DESCRIBED_USAGE} {WHEN_USAGE}", WHEN | _DESCRIBED | {"to"}
    ),
    "task update": Verb(
        _update,
        f"task update ID [--title TEXT] {_DESCRIBED_USAGE} {WHEN_USAGE}",
        WHEN | _DESCRIBED | {"title"},
    ),
    "task list": Verb(_list, "task list [--state STATE] [--assignee NAME] [--project NAME]", _FILTERS),
    "task get": Verb(_get, "task get ID"),
    "task assign": Verb(_assign, f"task assign ID [NAME] {WHEN_USAGE}", WHEN),
    "task start": Verb(_start, f"task start ID [--skills A,B] {WHEN_USAGE}", WHEN | {"skills"}),
    "task call": Verb(_call, f"task call [--task ID] [--count N] {WHEN_USAGE}", WHEN | {"task", "count"}),
    "task note": Verb(_note, f"task note TEXT|- [--task ID] {WHEN_USAGE}", WHEN | {"task"}),
    "task block": Verb(_block, f"task block ID REASON|- {WHEN_USAGE}", WHEN),
    "task unblock": Verb(_unblock, f"task unblock ID {WHEN_USAGE}", WHEN),
    "task complete": Verb(_complete, f"task complete ID {WHEN_USAGE}", WHEN),
    "task fail": Verb(_fail, f"task fail ID REASON|- {WHEN_USAGE}", WHEN),
    "task cancel": Verb(_cancel, f"task cancel ID REASON|- {WHEN_USAGE}", WHEN),
    "task context": Verb(_context, "task context ID"),
    "task board": Verb(_board, "task board"),
    "task subtask": Verb(
        _subtask,
        "task subtask add TITLE | update NUMBER [--title TEXT] [--state STATE] | delete NUMBER | list"
        f" [--task ID] {WHEN_USAGE}",
        WHEN | {"task", "title", "state"},
    ),
}
