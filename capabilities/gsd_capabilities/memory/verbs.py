"""`gsd-tools memory show | save | update | remove | search | observe | note | state | expire | migrate`.

The first of them in a project takes an old MEMORY.md over; none of them ever writes it.
"""

from __future__ import annotations

from gsd_capabilities.companion.request import Verb
from gsd_capabilities.learning.limits import OBSERVATIONS_SHOWN, OBSERVATIONS_SHOWN_MOST
from gsd_capabilities.memory import layout
from gsd_capabilities.work.asked import decoded, project_of, words_of
from gsd_capabilities.work.clock import now_of, who_of
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.companion.request import Request
    from gsd_capabilities.memory.store import Entry

_STORES: Mapping[str, str] = {
    "knowledge": layout.KNOWLEDGE,
    "state": layout.STATE,
    "notebook": layout.NOTEBOOK,
}


def show(request: Request) -> object:
    """What there is, or one store."""
    from gsd_capabilities.companion.planning_text import known_word
    from gsd_capabilities.memory import migrate, report

    project, now = project_of(request), now_of(request)
    name = words_of(request, 0, 1, VERBS["memory show"].usage)
    migrate.loaded(project, now)
    if not name:
        return report.overview(project, now)
    store = known_word(name[0], (*_STORES, "observations"), "store of memory")
    if store == "knowledge":
        return report.knowledge(project)
    if store == "state":
        return report.state(project, now)
    if store == "notebook":
        return report.notebook(project, request.options.get("as", ""))
    return report.observations(project, _last(request), request.options.get("theme", ""))


def save(request: Request) -> object:
    """Add an entry to knowledge."""
    from gsd_capabilities.memory import store

    words_of(request, 0, 0, VERBS["memory save"].usage)
    return store.save(project_of(request), _entry(request), now=now_of(request))._asdict()


def update(request: Request) -> object:
    """Replace the text of an entry of knowledge."""
    from gsd_capabilities.memory import store

    title, *text = words_of(request, 1, 2, VERBS["memory update"].usage)
    given = text[0] if text else request.options.get("text") or decoded(request.stdin())
    return store.update(project_of(request), store.Entry(title, given), now=now_of(request))._asdict()


def remove(request: Request) -> object:
    """Move an entry into the archive of its store."""
    from gsd_capabilities.companion.planning_text import known_word
    from gsd_capabilities.memory import store

    (title,) = words_of(request, 1, 1, VERBS["memory remove"].usage)
    name = known_word(request.options.get("store", "knowledge"), tuple(_STORES), "store of entries")
    return store.remove(project_of(request), title, now=now_of(request), name=_STORES[name])._asdict()


def search(request: Request) -> object:
    """Entries of all stores that hold every word."""
    from gsd_capabilities.memory import store

    found = store.search(project_of(request), request.words, now=now_of(request))
    return [{"store": hit.store, "title": hit.title, "lines": list(hit.lines)} for hit in found]


def observe(request: Request) -> object:
    """Add an observation to the buffer."""
    from gsd_capabilities.memory import store

    (text,) = words_of(request, 1, 1, VERBS["memory observe"].usage)
    theme, now = request.options.get("theme", ""), now_of(request)
    done = store.observe(project_of(request), text, theme=theme, who=who_of(request), now=now)
    return {name: value for name, value in done._asdict().items() if done.archived or name != "archive"}


def note(request: Request) -> object:
    """Write an entry of the notebook."""
    from gsd_capabilities.memory import notebook

    (text,) = words_of(request, 1, 1, VERBS["memory note"].usage)
    title, now = request.options.get("title", ""), now_of(request)
    return notebook.write(project_of(request), text, who=who_of(request), now=now, title=title)._asdict()


def state(request: Request) -> object:
    """Write down how something stands now."""
    from gsd_capabilities.memory import store

    title, text = words_of(request, 2, 2, VERBS["memory state"].usage)
    return store.snapshot(project_of(request), title, text, now=now_of(request))._asdict()


def expire(request: Request) -> object:
    """Move entries of state whose time is over into the archive."""
    from gsd_capabilities.memory.expire import expire as expired

    words_of(request, 0, 0, VERBS["memory expire"].usage)
    return expired(project_of(request), now_of(request))._asdict()


def migrate(request: Request) -> object:
    """Take an old MEMORY.md over."""
    from gsd_capabilities.memory.migrate import migrate as migrated

    words_of(request, 0, 0, VERBS["memory migrate"].usage)
    done = migrated(project_of(request), now_of(request))
    return {"migrated": done.reason == "migrated", **done._asdict()}


def _entry(request: Request) -> Entry:
    """The entry that the options or one JSON object on standard input describe."""
    import json

    from gsd_capabilities.memory.store import Entry

    if request.options.keys() & {"title", "text"}:
        return Entry(request.options.get("title", ""), request.options.get("text", ""))
    try:
        found = json.loads(decoded(request.stdin()))
    except (ValueError, RecursionError):
        found = None
    hint = 'send {"title": "...", "text": "..."}, or use --title and --text'
    if not isinstance(found, dict) or found.keys() != {"title", "text"}:
        message = "standard input must be one JSON object with title and text"
        raise GsdError(message, reason="bad_value", hint=hint)
    title, text = found["title"], found["text"]
    if not (isinstance(title, str) and isinstance(text, str)):
        raise GsdError("title and text must be texts", reason="bad_value", hint=hint)
    return Entry(title, text)


def _last(request: Request) -> int:
    """How many observations are asked for. Raises UsageError."""
    text = request.options.get("last", str(OBSERVATIONS_SHOWN))
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0
    if 0 < number <= OBSERVATIONS_SHOWN_MOST:
        return number
    hint = f"say a number from 1 to {OBSERVATIONS_SHOWN_MOST}; search finds older ones"
    raise UsageError(f"--last takes no {text!r}", reason="usage", hint=hint)


_AT = frozenset({"at"})
_BY = frozenset({"at", "as"})

VERBS: Mapping[str, Verb] = {
    "memory show": Verb(
        show,
        "memory show [knowledge|state|notebook|observations] [--as NAME] [--theme T] [--last N] [--at TIME]",
        values=frozenset({"as", "theme", "last", "at"}),
        spills=True,
    ),
    "memory save": Verb(
        save, "memory save [--title T] [--text X] [--at TIME]", values=frozenset({"title", "text", "at"})
    ),
    "memory update": Verb(
        update, "memory update TITLE [TEXT] [--text X] [--at TIME]", values=frozenset({"text", "at"})
    ),
    "memory remove": Verb(
        remove,
        "memory remove TITLE [--store knowledge|state|notebook] [--at TIME]",
        values=frozenset({"store", "at"}),
    ),
    "memory search": Verb(search, "memory search WORDS ... [--at TIME]", values=_AT, spills=True),
    "memory observe": Verb(
        observe, "memory observe TEXT [--theme T] [--as NAME] [--at TIME]", values=_BY | {"theme"}
    ),
    "memory note": Verb(note, "memory note TEXT [--title T] [--as NAME] [--at TIME]", values=_BY | {"title"}),
    "memory state": Verb(state, "memory state TITLE TEXT [--at TIME]", values=_AT),
    "memory expire": Verb(expire, "memory expire [--at TIME]", values=_AT),
    "memory migrate": Verb(migrate, "memory migrate [--at TIME]", values=_AT),
}
