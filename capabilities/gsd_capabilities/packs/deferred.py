"""The list of tools that wait to be discovered, for the volatile end of a prompt or of a result."""

from __future__ import annotations

from gsd_capabilities.learning.limits import DEFERRED_BLURB_CHARS, DEFERRED_CATALOG_MAX_CHARS
from gsd_install.kernel.compose import compose
from gsd_install.kernel.compose_note import Trimmed
from gsd_install.kernel.fragment import Rendition, drop, proportional_truncate
from gsd_install.kernel.measure import CHARACTERS
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gsd_capabilities.packs.tool import Tool
    from gsd_install.kernel.fragment import Fragment


def listing(tools: Iterable[Tool]) -> str:
    """One line a tool, with a few words about it as long as there is room, within 1,500 characters.

    Later tools lose their words and then their line first; how many are not listed stands at the end.
    """
    lines = [_line(tool) for tool in {tool.name: tool for tool in tools}.values()]
    done = compose(lines, DEFERRED_CATALOG_MAX_CHARS, CHARACTERS, mode="optimise", separator="\n", note=_note)
    return done.text


def _line(tool: Tool) -> Fragment:
    bare = Rendition("shrunk", tool.name)
    words = " ".join(tool.description.split())
    if not words:
        return drop(tool.name, tool.name)
    return drop(tool.name, f"{tool.name}: {_blurb(words)}", (bare,))


def _blurb(words: str) -> str:
    """The first words of a description, at most 40 characters of it."""
    piece = proportional_truncate("blurb", words, boundary="word", ending="…")
    return compose([piece], DEFERRED_BLURB_CHARS, CHARACTERS, note=None).text.strip()


def _note(trimmed: Trimmed) -> str:
    gone = len(trimmed.omitted)
    return f"and {gone} more: ask with a query" if gone else ""
