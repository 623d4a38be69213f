"""The session so far, in rounds: a round starts where the user speaks.

The log is JSON lines, `{"role": "user", "text": "..."}`. The newest rounds are injected whole and older ones
as a line each. Under pressure the inner messages of all but the very newest rounds go first, and the first
and last message of each round stay.
"""

from __future__ import annotations

import os

from gsd_capabilities.context.sections import section
from gsd_capabilities.context.summary import first_sentence, summarised
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gsd_capabilities.context.sections import Section

# The oldest rounds give way first; all of them stand between the plan and the changes.
_NEWEST, _LEAST = 70, 61


class Message(NamedTuple):
    """One message: who said it, and what."""

    role: str
    text: str


def messages(path: str) -> list[Message] | None:
    """The messages of a log; None where there is no file.

    Raises GsdError (reason `bad_session`) with the line that is no message.
    """
    import json

    if not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        rows = file.read().split(b"\n")
    found = []
    for number, row in enumerate(rows, 1):
        if row.strip():
            try:
                value = json.loads(row)
                found.append(Message(str(value["role"]), str(value["text"])))
            except (ValueError, KeyError, TypeError) as error:
                hint = 'one JSON object a line: {"role": "user", "text": "..."}'
                raise GsdError("this line is no message", reason="bad_session", file=path, line=number,
                               hint=hint) from error  # fmt: skip
    return found


def rounds(found: Iterable[Message]) -> list[list[Message]]:
    """The messages by round."""
    result: list[list[Message]] = []
    for message in found:
        if message.role == "user" or not result:
            result.append([])
        result[-1].append(message)
    return result


def sections(
    found: Sequence[Message], source: str, *, whole: int, kept: int, compact: bool = False
) -> tuple[Section, ...]:
    """The last `whole` rounds and a summary of those before; the last `kept` of them are not cut first.

    With `compact` the inner messages of older rounds are summarised right away.
    """
    every = rounds(found)
    first = max(len(every) - whole, 0)
    made = []
    if first:
        lines = [f"- round {number}: {_gist(one)}" for number, one in enumerate(every[:first], 1)]
        text = "\n".join([f"Earlier, {first} rounds in short:", *lines])
        made.append(section("history:earlier", "history", text, source=source, priority=_LEAST))
    for number, one in enumerate(every[first:], first + 1):
        age = len(every) - number
        made.extend(_round(number, one, source, age=age, old=age >= kept, compact=compact))
    return tuple(made)


def _round(
    number: int, one: list[Message], source: str, *, age: int, old: bool, compact: bool
) -> list[Section]:
    if not old or len(one) < 3:
        parts = [("", one)]
    else:
        parts = [(":first", one[:1]), (":middle", one[1:-1]), (":last", one[-1:])]
    made = []
    for name, part in parts:
        middle = name == ":middle"
        text = "\n\n".join(f"**{message.role}:** {message.text}" for message in part)
        if middle and compact:
            text = summarised(text)
        title = f"round {number}{name.replace(':', ', ')}"
        made.append(
            section(
                f"history:{number}{name}",
                "history",
                text,
                title=title,
                priority=max(_NEWEST - age, _LEAST),
                source=source,
                middle=middle,
            )
        )
    return made


def _gist(one: list[Message]) -> str:
    asked = first_sentence(one[0].text)
    return asked if len(one) == 1 else f"{asked} -> {first_sentence(one[-1].text)}"
