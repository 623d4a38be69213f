"""The commands in a line for a shell, as far as they can be told without running it."""

from __future__ import annotations

import re

_WORD = re.compile(
    r"""(?:\\.|"(?:\\.|[^"\\])*"|'[^']*'|[^\s;|&()<>"'\\]|["'\\])+|[;|&()\n]+|[<>]+""", re.DOTALL
)
_ENDS = frozenset(";|&()\n")
_PREFIXES = frozenset({"sudo", "env", "command", "time", "nohup", "exec"})


def commands(line: str) -> list[list[str]]:
    """The words of each simple command, quotes removed; assignments and `sudo` in front are dropped.

    A `<` stands as a word of its own. Nothing is expanded: `$(...)` stays as it is inside double quotes.
    """
    found: list[list[str]] = [[]]
    for match in _WORD.finditer(line):
        if _ENDS.issuperset(match[0]):
            found.append([])
        else:
            found[-1].append(_bare(match[0]))
    return [stripped for words in found if (stripped := _stripped(words))]


def _stripped(words: list[str]) -> list[str]:
    at = 0
    while at < len(words) and (words[at] in _PREFIXES or re.match(r"[A-Za-z_]\w*=", words[at])):
        at += 1
    return words[at:]


def _bare(word: str) -> str:
    """A word without its quotes."""
    parts = re.findall(r"""\\(.)|"((?:\\.|[^"\\])*)"|'([^']*)'|([^"'\\]+|["'\\])""", word, re.DOTALL)
    return "".join(plain or re.sub(r"\\([\"$`\\])", r"\1", double) or single or other
                   for plain, double, single, other in parts)  # fmt: skip
