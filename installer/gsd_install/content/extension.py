"""The part of `capability.toml` that extends the loop: settings, steps, contributions and gates."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gsd_install.content.feature import Contribution, Gate, Setting, Step
from gsd_install.content.toml import Table
from gsd_install.kernel.points import POINTS
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

SETTING_KEYS = ("type", "default", "meaning", "values")
STEP_KEYS = (
    "id", "point", "agent", "skill", "command", "read", "text", "produces", "consumes", "on_error", "when",
)  # fmt: skip
CONTRIBUTION_KEYS = ("point", "into", "read", "text", "when")
GATE_KEYS = (
    "id", "point", "blocking", "on_error", "query", "predicate", "agent", "message", "when",
)  # fmt: skip
_TYPES = ("boolean", "string", "number", "enum")
_ON_ERROR = ("skip", "halt")

_KEY = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+")
_KEY_HINT = "a setting is a dotted name of small letters, such as workflow.research"
_FILE = re.compile(r"[A-Z0-9]+(-[A-Z0-9]+)*")
_FILE_HINT = "name a kind of planning file in capitals, such as RESEARCH"
_PREDICATE = re.compile(r"[A-Z][A-Z0-9_-]*(\.[A-Za-z0-9_-]+)*")
_PREDICATE_HINT = "write the id of a predicate, such as PLAN.SIZE"
_HOLE = re.compile(r"\{[^{}]*\}?|\}")


def settings(table: Table) -> tuple[Setting, ...]:
    """Every `[config."key"]`. Raises GsdError."""
    found = Table(table.values.get("config", {}), "config", table.file)
    return tuple(
        _setting(key, Table(value, f"config {key}", table.file)) for key, value in found.values.items()
    )


def steps(table: Table) -> tuple[Step, ...]:
    """Every `[[step]]`. Raises GsdError."""
    found = tuple(_step(item) for item in table.tables("step"))
    _unlike(table, "step", (step.id for step in found))
    return found


def contributions(table: Table) -> tuple[Contribution, ...]:
    """Every `[[contribution]]`. Raises GsdError."""
    return tuple(_contribution(item) for item in table.tables("contribution"))


def gates(table: Table) -> tuple[Gate, ...]:
    """Every `[[gate]]`. Raises GsdError."""
    found = tuple(_gate(item) for item in table.tables("gate"))
    _unlike(table, "gate", (gate.id for gate in found))
    return found


def _setting(key: str, table: Table) -> Setting:
    table.known(SETTING_KEYS)
    if not _KEY.fullmatch(key):
        raise table.bad(f"{key!r} cannot be the name of a setting", _KEY_HINT)
    kind = table.word("type", _TYPES)
    values = _values(table, kind)
    default = table.values.get("default")
    if not _fits(kind, default, values):
        raise table.bad(f"default cannot be {default!r}", f"it is a value of the type {kind}")
    return Setting(key, kind, default, table.text("meaning"), values)


def _values(table: Table, kind: str) -> tuple[str, ...]:
    values = table.values.get("values", [])
    given = isinstance(values, list) and all(isinstance(item, str) and item for item in values)
    if not given or len(set(values)) < len(values) or bool(values) != (kind == "enum"):
        raise table.bad(f"values cannot be {values!r}", "an enum, and nothing else, lists different texts")
    return tuple(values)


def _fits(kind: str, value: Any, values: tuple[str, ...]) -> bool:
    if kind == "boolean":
        return isinstance(value, bool)
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, str) and (kind == "string" or value in values)


def _step(table: Table) -> Step:
    table.known(STEP_KEYS)
    kind = table.only_one(("agent", "skill", "command"))
    read, text = _told(table)
    return Step(
        id=table.name("id"),
        point=table.word("point", POINTS),
        kind=kind,
        target=table.name(kind),
        read=read,
        text=text,
        produces=table.names("produces", _FILE, _FILE_HINT),
        consumes=table.names("consumes", _FILE, _FILE_HINT),
        on_error=table.word("on_error", _ON_ERROR, "skip"),
        when=_when(table),
    )


def _contribution(table: Table) -> Contribution:
    table.known(CONTRIBUTION_KEYS)
    read, text = _told(table)
    return Contribution(table.word("point", POINTS), table.name("into"), read, text, _when(table))


def _gate(table: Table) -> Gate:
    table.known(GATE_KEYS)
    by = table.only_one(("query", "predicate", "agent"))
    blocking = table.flag("blocking", default=False)
    on_error = table.word("on_error", _ON_ERROR, "halt" if blocking else "skip")
    if blocking and by != "query":
        raise table.bad(f"what an agent judges by {by} may not block", "write blocking = false, or a query")
    if blocking and on_error == "skip":
        raise table.bad("on_error cannot be 'skip' where blocking is true", 'write on_error = "halt"')
    return Gate(
        id=table.name("id"),
        point=table.word("point", POINTS),
        blocking=blocking,
        on_error=on_error,
        query=_query(table) if by == "query" else "",
        predicate=table.matched("predicate", _PREDICATE, _PREDICATE_HINT) if by == "predicate" else "",
        agent=table.name("agent") if by == "agent" else "",
        message=table.text("message"),
        when=_when(table),
    )


def _query(table: Table) -> str:
    query = table.text("query")
    holes = set(_HOLE.findall(query)) - {"{phase}"}
    if holes or "\n" in query:
        raise table.bad(
            f"query cannot be {query!r}", "it is one line, and {phase} the only thing put into it"
        )
    return query


def _told(table: Table) -> tuple[str, str]:
    """The document to read and the text, one of which is empty."""
    if table.only_one(("read", "text")) == "read":
        return table.text("read"), ""
    text = table.text("text").strip()
    if "{gsd:" in text:
        raise table.bad(
            "text holds a placeholder, and nothing is put into it", "put it into a document: read = ..."
        )
    return "", text


def _when(table: Table) -> str:
    return table.matched("when", _KEY, _KEY_HINT) if "when" in table.values else ""


def _unlike(table: Table, what: str, ids: Iterable[str]) -> None:
    """Refuse two entries of one id."""
    seen: set[str] = set()
    for name in ids:
        if name in seen:
            raise table.bad(f"two entries of [[{what}]] have the id {name!r}", "rename one of the two")
        seen.add(name)
