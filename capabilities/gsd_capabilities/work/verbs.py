"""`gsd-tools task | review | deliverable | message`: the work of a project."""

from __future__ import annotations

from gsd_capabilities.companion.request import Verb
from gsd_capabilities.work import answers, task_verbs
from gsd_capabilities.work.asked import (
    WHEN,
    WHEN_USAGE,
    body_of,
    listed,
    number_of,
    option_text,
    project_of,
    task_of,
    text_of,
    words_of,
)
from gsd_capabilities.work.clock import now_of, who_of
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.companion.request import Request
    from gsd_capabilities.work.deliverables import Store
    from gsd_capabilities.work.model import Change


def _submit(request: Request) -> object:
    from gsd_capabilities.work import reviews

    summary = text_of(request, words_of(request, 0, None, VERBS["review submit"].usage))
    found = reviews.submit(
        project_of(request),
        task_of(request),
        summary,
        deliverables=listed(request, "deliverables") or (),
        who=who_of(request),
        now=now_of(request),
    )
    return answers.review(found)


def _verdict(request: Request) -> object:
    from gsd_capabilities.work import reviews

    task_id, word = words_of(request, 2, 2, VERBS["review verdict"].usage)
    notes = option_text(request, "notes") or ""
    done = reviews.verdict(
        project_of(request), task_id, word, notes, who=who_of(request), now=now_of(request)
    )
    return {"review": answers.review(done.task), "learning": done.lesson}


def _show(request: Request) -> object:
    from gsd_capabilities.work import tasks

    (task_id,) = words_of(request, 1, 1, VERBS["review show"].usage)
    return answers.review(tasks.task(project_of(request), task_id))


def _create(request: Request) -> object:
    from gsd_capabilities.work import deliverables
    from gsd_capabilities.work.running import TASK

    title = " ".join(words_of(request, 1, None, VERBS["deliverable create"].usage))
    task = request.options.get("task", request.environ.get(TASK, ""))
    made = deliverables.create(
        _store(request), title, body_of(request), task=task, who=who_of(request), now=now_of(request)
    )
    return answers.deliverable(made)


def _update(request: Request) -> object:
    from gsd_capabilities.work import deliverables

    (deliverable_id,) = words_of(request, 1, 1, VERBS["deliverable update"].usage)
    base = request.options.get("base")
    done = deliverables.update(
        _store(request),
        deliverable_id,
        body_of(request),
        base=None if base is None else number_of(base, "--base"),
        title=request.options.get("title", ""),
        summary=request.options.get("summary", ""),
        who=who_of(request),
        now=now_of(request),
    )
    return {**answers.deliverable(done.deliverable), "changed": done.changed}


def _get(request: Request) -> object:
    from gsd_capabilities.work import deliverables

    (deliverable_id,) = words_of(request, 1, 1, VERBS["deliverable get"].usage)
    store = _store(request)
    found = deliverables.deliverable(store.project, deliverable_id)
    wanted = request.options.get("version")
    change = deliverables.version(found, None if wanted is None else number_of(wanted, "--version"))
    body = deliverables.body(store, change)
    if "text" in request.options:
        return body
    shown = {**answers.deliverable(found), "version": change.version, "newest": found.version}
    return {**shown, "reference": change.reference, "size": change.size, **_shown_body(change, body)}


def _shown_body(change: Change, body: bytes) -> dict[str, object]:
    """The body as text, or for one that would fill a conversation how to read parts of it."""
    from gsd_capabilities.artifacts.verbs import GET_BUDGET

    if len(body) <= GET_BUDGET:
        return {"body": body.decode("utf-8", "replace")}
    how = f"gsd-tools artifact get {change.reference} --lines FIRST-LAST"
    return {"body": None, "note": f"{len(body):,} bytes; read a part with {how}, or all of it with --text"}


def _deliverables(request: Request) -> object:
    from gsd_capabilities.work import deliverables

    words_of(request, 0, 0, VERBS["deliverable list"].usage)
    found = deliverables.all_deliverables(project_of(request), request.options.get("task", ""))
    return [answers.deliverable(one) for one in found]


def _store(request: Request) -> Store:
    from gsd_capabilities.work.deliverables import Store

    return Store(project_of(request), request.environ)


def _send(request: Request) -> object:
    from gsd_capabilities.work import messages

    to, *words = words_of(request, 2, None, VERBS["message send"].usage)
    sent = messages.send(
        project_of(request),
        to,
        text_of(request, tuple(words)),
        human="human" in request.options,
        task=request.options.get("task", ""),
        who=who_of(request),
        now=now_of(request),
    )
    return answers.message(sent)


def _messages(request: Request) -> object:
    from gsd_capabilities.work import messages

    words_of(request, 0, 0, VERBS["message list"].usage)
    project, who = project_of(request), who_of(request)
    found = messages.inbox(project, who, everything="all" in request.options)
    return {"human": messages.human_waits(project, who), "messages": [answers.message(one) for one in found]}


def _read(request: Request) -> object:
    from gsd_capabilities.work import messages

    (message_id,) = words_of(request, 1, 1, VERBS["message read"].usage)
    see = messages.focus if "focus" in request.options else messages.read
    return answers.message(see(project_of(request), message_id, who=who_of(request), now=now_of(request)))


_BODY = frozenset({"body", "from"})
_BODY_USAGE = "[--body TEXT | --from FILE]"

VERBS: Mapping[str, Verb] = {
    **task_verbs.VERBS,
    "review submit": Verb(
        _submit,
        f"review submit [SUMMARY|-] [--task ID] [--deliverables A,B] {WHEN_USAGE}",
        WHEN | {"task", "deliverables"},
    ),
    "review verdict": Verb(
        _verdict,
        "review verdict ID approved | approved_with_notes | rejected [--notes TEXT|-] --as NAME [--at TIME]",
        WHEN | {"notes"},
    ),
    "review show": Verb(_show, "review show ID"),
    "deliverable create": Verb(
        _create, f"deliverable create TITLE {_BODY_USAGE} [--task ID] {WHEN_USAGE}", WHEN | _BODY | {"task"}
    ),
    "deliverable update": Verb(
        _update,
        f"deliverable update ID --base VERSION {_BODY_USAGE} [--title TEXT] [--summary TEXT] {WHEN_USAGE}",
        WHEN | _BODY | {"base", "title", "summary"},
    ),
    "deliverable get": Verb(
        _get, "deliverable get ID [--version N] [--text]", frozenset({"version"}), frozenset({"text"})
    ),
    "deliverable list": Verb(_deliverables, "deliverable list [--task ID]", frozenset({"task"})),
    "message send": Verb(
        _send,
        f"message send NAME TEXT|- [--human] [--task ID] {WHEN_USAGE}",
        WHEN | {"task"},
        frozenset({"human"}),
    ),
    "message list": Verb(
        _messages, "message list [--all] [--as NAME]", frozenset({"as"}), frozenset({"all"})
    ),
    "message read": Verb(_read, f"message read ID [--focus] {WHEN_USAGE}", WHEN, frozenset({"focus"})),
}
