"""The tools that a bundle's documents name, as actions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gsd_install.content.bundles.author import ACTIONS
from gsd_install.kernel.record import NamedTuple

# One name, with a rule in parentheses that may hold commas: `Bash(git add:*, git commit:*)`.
_NAME = re.compile(r"([\w*-]+)(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?")


class Tools(NamedTuple):
    """What a list of tools says: `actions`, each once, and the names that are no action."""

    actions: tuple[str, ...]
    unknown: tuple[str, ...]


def read(value: object) -> Tools:
    """The tools of `allowed-tools: Read, Bash(git:*)` or `tools: [Read]`; `*` names none in particular."""
    names = list(dict.fromkeys(_names(value)))
    actions = dict.fromkeys(ACTIONS[name] for name in names if name in ACTIONS)
    return Tools(tuple(actions), tuple(name for name in names if name not in ACTIONS and name != "*"))


def _names(value: object) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _names(item)
    elif isinstance(value, str):
        yield from (match[1] for match in _NAME.finditer(value))
