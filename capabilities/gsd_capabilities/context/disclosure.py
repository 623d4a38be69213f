"""Which references an invocation needs: rules with a closed vocabulary, applied before anything is loaded.

A rule has one trigger: `mode:review`, `step:verify`, `task-tag:database`, `diff-glob:tests/*` or
`mention:billing`. There are no operators, negations or lists; two triggers are two rules.
"""

from __future__ import annotations

import re

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

TRIGGERS = ("mode", "step", "task-tag", "diff-glob", "mention")

_VALUE = re.compile(r"[^\s|&!,;()]+")
_DOC = re.compile(r"(?:^|(?<=\s))@doc\s+(\S+)")


class Rule(NamedTuple):
    """Load the reference `load` when `kind` is `value`."""

    kind: str
    value: str
    load: str


class Facts(NamedTuple):
    """What triggers are compared with."""

    mode: str
    step: str = ""
    tags: frozenset[str] = frozenset()
    paths: tuple[str, ...] = ()
    request: str = ""


def rule(when: str, load: str, *, file: str | None = None) -> Rule:
    """The rule for a trigger. Raises GsdError (reason `unknown_trigger` or `bad_trigger`)."""
    kind, colon, value = when.partition(":")
    if kind not in TRIGGERS or not colon:
        hint = f"one of {', '.join(f'{known}:' for known in TRIGGERS)}"
        raise GsdError(f"unknown trigger {when!r}", reason="unknown_trigger", file=file, hint=hint)
    if not _VALUE.fullmatch(value):
        hint = "one word without operators; write a rule for each"
        raise GsdError(f"{when!r} is no single trigger", reason="bad_trigger", file=file, hint=hint)
    if not load:
        raise GsdError(f"the rule {when!r} loads nothing", reason="bad_trigger", file=file, hint="name it")
    return Rule(kind, value, load)


def rules(entries: Iterable[Mapping[str, object]], *, file: str | None = None) -> tuple[Rule, ...]:
    """The rules of a list of `{"when": ..., "load": ...}`. Raises GsdError as `rule` does."""
    made = []
    for entry in entries:
        if not isinstance(entry, dict) or set(entry) != {"when", "load"}:
            hint = 'exactly {"when": ..., "load": ...}'
            raise GsdError(f"{entry!r} is no rule", reason="bad_trigger", file=file, hint=hint)
        made.append(rule(str(entry["when"]), str(entry["load"]), file=file))
    return tuple(made)


def disclosed(given: Iterable[Rule], facts: Facts) -> tuple[str, ...]:
    """The references that the rules call for, and those the request mentions as `@doc NAME`; each once."""
    names = [one.load for one in given if _holds(one, facts)]
    return tuple(dict.fromkeys([*names, *mentioned(facts.request)]))


def mentioned(request: str) -> tuple[str, ...]:
    """What the request asks for as `@doc NAME` or `@doc ADDRESS`; a stop behind it is not part of it."""
    return tuple(dict.fromkeys(name.rstrip(".,;:!?)") for name in _DOC.findall(request)))


def _holds(one: Rule, facts: Facts) -> bool:
    if one.kind == "mode":
        return one.value == facts.mode
    if one.kind == "step":
        return one.value == facts.step
    if one.kind == "task-tag":
        return one.value.lower() in facts.tags
    if one.kind == "diff-glob":
        from fnmatch import fnmatchcase

        return any(fnmatchcase(path, one.value) for path in facts.paths)
    return re.search(rf"(?i)(?<!\w){re.escape(one.value)}(?!\w)", facts.request) is not None
