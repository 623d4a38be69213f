"""Before a tool reads: a file that holds secrets is not read unless the user says so."""

from __future__ import annotations

from gsd_capabilities.hooks.envelopes import Answer
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_capabilities.hooks.event import Asked

_PATTERN_FIRST = frozenset({"grep", "egrep", "fgrep", "rg", "ag", "sed", "awk", "gawk"})
_READERS = _PATTERN_FIRST | {
    "cat", "tac", "nl", "less", "more", "most", "head", "tail", "bat", "batcat", "strings", "xxd", "od",
    "hexdump", "base64", "cut", "sort", "type", "get-content", "gc",
}  # fmt: skip
_OTHER_ACTIONS = frozenset({"write", "edit", "find", "web", "ask", "dispatch", "todo"})


def answer(asked: Asked) -> Answer | None:
    """A question to the user (a veto where the host cannot ask), or None."""
    from gsd_capabilities.hooks.secrets import is_secret

    found = _read(asked.command) if asked.command else ""
    if not found and asked.action not in _OTHER_ACTIONS and is_secret(asked.path):
        found = asked.path
    if not found:
        return None
    return Answer(
        "ask",
        f"{found} may hold secrets, which should not enter the conversation. Read it only if the user agrees;"
        " to learn which names it defines, ask the user, or read its example file.",
    )


def _read(line: str) -> str:
    """The first file of secrets that a command line would print; empty when there is none."""
    from gsd_capabilities.hooks.secrets import is_secret
    from gsd_capabilities.hooks.shell import commands

    for program, *words in commands(line):
        name = program.rpartition("/")[2].lower()
        inputs = [words[at + 1] for at, word in enumerate(words[:-1]) if word == "<"]
        if name in _READERS:
            plain = [word for word in words if not word.startswith(("-", "<", ">"))]
            inputs += plain[name in _PATTERN_FIRST :] if not _in_place(name, words) else []
        found = next((word for word in inputs if is_secret(word)), "")
        if found:
            return found
    return ""


def _in_place(name: str, words: list[str]) -> bool:
    """Whether `sed` edits the file and prints nothing."""
    return name == "sed" and any(word.startswith(("-i", "--in-place")) for word in words)
