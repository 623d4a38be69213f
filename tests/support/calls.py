"""The lines that installed texts tell an agent to run: found, filled in, held against the verbs there are.

A call is the launcher with words behind it, on one line of a fence or in one code span.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from importlib import import_module
from typing import NamedTuple

from gsd_capabilities.companion import config_schema, main, state
from gsd_capabilities.companion.request import Verb
from gsd_capabilities.companion.roadmap import STATUSES
from gsd_install.kernel import markdown
from gsd_install.kernel.errors import GsdError, UsageError

LAUNCHER = re.compile(r"(?:~/|/)?(?:[^\s`\"'(<>]+/)?bin/gsd-tools\b")
PLACEHOLDER = re.compile(r"<[A-Za-z][^<>]*>")
# What stands in for a placeholder that nobody has filled in.
OPEN = "\x01"
_SPAN = re.compile(r"(`+)(.+?)(?<!`)\1(?!`)")


class Call(NamedTuple):
    """One line to run, as it is written, and its line in the text (1-based)."""

    text: str
    line: int


class Shape(NamedTuple):
    """How many words a verb takes (`most` is None where there is no end), and what it cannot do without."""

    least: int
    most: int | None
    options: tuple[str, ...]
    literals: tuple[tuple[int, tuple[str, ...]], ...]


def calls(text: str) -> list[Call]:
    """Every call of a text, in its order. A launcher that stands alone is a mention and no call."""
    found = []
    for number, line in enumerate(markdown.scan(text, frontmatter=False), 1):
        row = text[line.start : line.end].rstrip("\r\n")
        if line.kind == "fence":
            pieces = [row.strip()]
        else:
            pieces = [match[2].strip() for match in _SPAN.finditer(row)]
        found += [Call(piece, number) for piece in pieces if _is_call(piece)]
    return found


def stray(text: str) -> int:
    """How often the launcher stands in a text and neither begins a call nor stands alone in a code span."""
    alone = len(re.findall(rf"`{LAUNCHER.pattern}`", text))
    return len(LAUNCHER.findall(text)) - alone - len(calls(text))


def _is_call(piece: str) -> bool:
    match = LAUNCHER.match(piece)
    return match is not None and piece[match.end() :].startswith(" ")


def words(call: Call, values: Mapping[str, str] | None = None) -> list[str]:
    """The words of a call behind the launcher, as a shell would read them; comment and redirection are gone.

    `values` fills in placeholders by name; without it each is OPEN. Raises KeyError for one that is missing.
    """

    def filled(match: re.Match[str]) -> str:
        return OPEN if values is None else values[match[0][1:-1]]

    read = shlex.split(PLACEHOLDER.sub(filled, call.text), comments=True)[1:]
    return read[: read.index(">")] if ">" in read else read


def fault(call: Call) -> str | None:
    """What is wrong with a call, by the table of verbs; None where nothing is."""
    try:
        _check(words(call))
    except GsdError as error:
        return f"{call.text}: {error.message}"
    except ValueError as error:
        return f"{call.text}: {error}"
    return None


def _check(argv: list[str]) -> None:
    name, verb = _verb(argv)
    rest = argv[len(name.split()) :]
    options, left = main.parse(rest, verb.values, verb.flags, passes=verb.passes, hint=verb.usage)
    shape = shape_of(verb.usage.removeprefix(name))
    if len(left) < shape.least or (shape.most is not None and len(left) > shape.most):
        raise UsageError(f"{name} does not take {len(left)} words")
    for option in shape.options:
        if option not in options:
            raise UsageError(f"{name} needs --{option}")
    for at, allowed in shape.literals:
        if left[at] not in allowed:
            raise UsageError(f"{name} has no {left[at]!r}")
    _check_values(name, left)


def _verb(argv: list[str]) -> tuple[str, Verb]:
    first = argv[0] if argv else ""
    if first not in main.TABLE:
        raise UsageError(f"there is no verb {first!r}")
    module, _, attribute = main.TABLE[first].partition(":")
    verbs: Mapping[str, Verb] = getattr(import_module(module), attribute)
    for count in (2, 1):
        name = " ".join(argv[:count])
        if name in verbs:
            return name, verbs[name]
    raise UsageError(f"there is no verb {' '.join(argv[:2])!r}")


def shape_of(usage: str) -> Shape:
    """What a usage line says behind the verb: `NUMBER before|after NUMBER [--goal TEXT]`."""
    least, most, options, literals = 0, 0, [], []
    endless = False
    for inner in re.findall(r"\[([^\]]*)\]", usage):
        if not inner.startswith("--"):
            most += 1
            endless = endless or "ARGS" in inner
    tokens = re.sub(r"\[[^\]]*\]", "", usage).split()
    for at, token in enumerate(tokens):
        if token == "...":
            endless = True
        elif token.startswith("--"):
            if "|" not in (tokens[at - 1], *tokens[at + 1 : at + 2]):
                options.append(token.removeprefix("--"))
        elif token != "|" and not tokens[at - 1].startswith("--"):
            if token == token.lower():
                literals.append((least, tuple(token.split("|"))))
            least, most = least + 1, most + 1
    return Shape(least, None if endless else most, tuple(options), tuple(literals))


def _check_values(name: str, left: tuple[str, ...]) -> None:
    """Names that a verb takes and that are written out: settings, fields of STATE, statuses."""
    if name.startswith("config ") and left and OPEN not in left[0]:
        key = config_schema.known(left[0])
        if len(left) == 2 and OPEN not in left[1] and key.kind in ("boolean", "integer", "choice"):
            config_schema.parse(left[0], left[1])
    fields = left if name == "state get" else [word.partition("=")[0] for word in left]
    if name in ("state get", "state set"):
        for field in fields:
            if OPEN not in field:
                state.known_field(field)
    if name == "state set" and not all("=" in word for word in left):
        raise UsageError("a field without a value")
    if name == "phase status" and OPEN not in left[1] and left[1] not in STATUSES:
        raise UsageError(f"{left[1]!r} is not the status of a phase")
