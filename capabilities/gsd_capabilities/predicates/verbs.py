"""The verbs of `gsd-tools` about predicates."""

from __future__ import annotations

import os

from gsd_capabilities.companion.request import Verb
from gsd_capabilities.predicates import select, sources
from gsd_install.kernel import predicates
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.companion.request import Request

INDEX = os.path.join("docs", "CONTEXT-INDEX.json")
_FILTERS = ("class", "prefix", "contains")


def query(request: Request) -> dict[str, object]:
    """The predicates that meet every filter given, with their lines.

    Raises UsageError `no_filter` or `empty_filter`, and GsdError `fail_context_missing`.
    """
    _no_words(request)
    given = {name: request.options[name] for name in _FILTERS if name in request.options}
    if not given:
        raise UsageError(
            "nothing is asked for", reason="no_filter", hint="--class X, --prefix X.y or --contains TEXT"
        )
    for name, value in given.items():
        if not value or value.startswith("="):
            message = f"--{name} is empty" if not value else f"--{name} begins with a second equals sign"
            raise UsageError(message, reason="empty_filter", hint=f"--{name} TEXT or --{name}=TEXT")
    path = _source(request)
    found = select.select(
        predicates.read(sources.text(path)).predicates,
        klass=given.get("class"),
        prefix=given.get("prefix"),
        contains=given.get("contains"),
    )
    return {"source": path, "matched": len(found), "predicates": [entry._asdict() for entry in found]}


def index(request: Request) -> dict[str, object]:
    """Check the committed index, or write it.

    Raises UsageError `check_or_write`, and GsdError `malformed_predicate` or as `index.index` and
    `index.check`.
    """
    from gsd_capabilities.predicates import index as indexes

    _no_words(request)
    if ("check" in request.options) == ("write" in request.options):
        raise UsageError("say what to do", reason="check_or_write", hint="either --check or --write")
    source = os.path.join(request.cwd, request.options.get("source") or _project_file(request))
    target = os.path.join(request.cwd, request.options.get("index") or _beside(_project_file(request)))
    reading = predicates.read(sources.text(source))
    _check_form(reading, source)
    text = indexes.index(reading, file=source)
    if "check" in request.options:
        indexes.check(text, target)
        return {"ok": True, "reason": "ok_up_to_date", "index": target, "count": len(reading.predicates)}
    return {"ok": True, "reason": _written(text, target), "index": target, "count": len(reading.predicates)}


def _written(text: str, target: str) -> str:
    from gsd_install.kernel.files import write_atomic

    if os.path.isfile(target):
        with open(target, "rb") as stream:
            if stream.read() == text.encode():
                return "ok_up_to_date"
    try:
        write_atomic(target, text.encode())
    except OSError as error:
        hint = "its folder must be there and writable; --index FILE names another place"
        raise GsdError(
            f"cannot be written: {error.strerror}", reason="fail_write_error", file=target, hint=hint
        ) from error
    return "ok_written"


def _check_form(reading: predicates.Reading, file: str) -> None:
    for line, text, reason in reading.malformed:
        hint = "an id is CLASS.word.word, the class in capitals; the value follows the first equals sign"
        raise GsdError(
            f"{text!r} is no predicate: {reason}",
            reason="malformed_predicate",
            file=file,
            line=line,
            hint=hint,
        )


def _source(request: Request) -> str:
    """The file to read: the one named, else the project's, else that of the installed content."""
    if named := request.options.get("source"):
        return os.path.join(request.cwd, named)
    own = _project_file(request)
    if os.path.isfile(own):
        return own
    from gsd_capabilities.companion import payload

    root = payload.root(request.payload, request.cwd, request.environ)
    shipped = sources.present(content.context for content in payload.contents(root))
    return shipped[0] if shipped else own


def _project_file(request: Request) -> str:
    from gsd_capabilities.companion import project

    return sources.of_project(project.find(request.cwd).root)


def _beside(source: str) -> str:
    return os.path.join(os.path.dirname(source), INDEX)


def _no_words(request: Request) -> None:
    if request.words:
        message = f"{request.words[0]!r} is not expected here"
        raise UsageError(message, reason="unexpected_word", hint="quote a text that has blanks in it")


VERBS: Mapping[str, Verb] = {
    "query context-predicates": Verb(
        query,
        "query context-predicates [--class X] [--prefix X.y] [--contains TEXT] [--source FILE]",
        values=frozenset({*_FILTERS, "source"}),
    ),
    "predicates index": Verb(
        index,
        "predicates index --check | --write [--source FILE] [--index FILE]",
        values=frozenset({"source", "index"}),
        flags=frozenset({"check", "write"}),
    ),
}
