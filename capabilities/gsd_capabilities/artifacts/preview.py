"""The first and last lines of a body, to stand beside its reference for whoever switches that on.

Off by default: then a conversation holds the reference and nothing of the body.
"""

from __future__ import annotations

MAX_BYTES = 2_000
LINES = 5


def preview(body: bytes, lines: int = LINES, max_bytes: int = MAX_BYTES) -> str:
    """At most `lines` lines from either end, and at most `max_bytes` bytes of UTF-8 in all.

    The beginning is cut as the kernel cuts; from the end only whole lines are taken. Empty for what is not
    text.
    """
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return ""
    from gsd_install.kernel.cut import head, shorten
    from gsd_install.kernel.measure import BYTES

    top = head(text, lines).text
    if BYTES.cost(top) > max_bytes // 2:
        top = shorten(top, max_bytes // 2, BYTES).text
    bottom = _whole_lines_from_the_end(text.removeprefix(top), lines, max_bytes - BYTES.cost(top) - len(_GAP))
    return f"{top}{_GAP}{bottom}" if bottom else top


_GAP = "\n[...]\n"


def _whole_lines_from_the_end(text: str, lines: int, room: int) -> str:
    taken: list[str] = []
    end = len(text)
    while end and len(taken) < lines:
        start = text.rfind("\n", 0, end - 1) + 1
        line = text[start:end]
        room -= len(line.encode())
        if room < 0:
            break
        taken.insert(0, line)
        end = start
    return "".join(taken)
