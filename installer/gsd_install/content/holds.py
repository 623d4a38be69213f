"""What a budget may do to a region of text: `<!-- gsd:keep -->` and its kin.

The markers stand alone on their lines in workflows and agents and disappear. `keep` is load-bearing: never
omitted, shrunk or moved. `isolate` is kept, and leads the document, so that its bytes are the same for every
runtime, invocation and budget. `shrink lines="N"` may fall back to its first N lines and `drop` may be left
out, both only when nothing lossless is enough, and never silently.
"""

from __future__ import annotations

import re

from gsd_install.kernel import markdown
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import NamedTuple

KEEP, ISOLATE = "keep", "isolate"

_MARKER = re.compile(
    r'<!-- (?:/gsd:(keep|isolate|drop|shrink)|gsd:(keep|isolate|drop|shrink lines="[1-9][0-9]*")) -->[ \t]*'
)
WORDS = ("gsd:keep", "gsd:isolate", "gsd:drop", "gsd:shrink")


class Held(NamedTuple):
    """A stretch of text from `line` of its file on; `hold` is its rule (`shrink:12`: 12 lines) or empty."""

    text: str
    hold: str
    line: int


def split(text: str, *, file: str, line: int) -> tuple[Held, ...]:
    """The stretches of `text`, which starts at `line` of `file`, in order and without the marker lines.

    Raises GsdError (reason `bad_hold`) for a region that does not close, does not open, nests, or is
    isolated and not first.
    """
    if not any(word in text for word in WORDS):
        return (Held(text, "", line),) if text else ()
    found: list[Held] = []
    position, hold, opened = 0, "", line
    for start, end, closing, name in _markers(text):
        at = line + text.count("\n", 0, start)
        _check(
            closing,
            name,
            hold,
            any(held.text.strip() for held in found) or bool(text[:start].strip()),
            file,
            at,
        )
        # Blank lines above the isolated prefix belong to it: it is the first thing in its document.
        above = ISOLATE if name == ISOLATE and not closing else hold
        found.append(Held(text[position:start], above, line + text.count("\n", 0, position)))
        position, hold, opened = end, ("" if closing else name), at
    if hold:
        raise GsdError(
            f"this {hold} region is not closed",
            reason="bad_hold",
            file=file,
            line=opened,
            hint=f"end it with a line <!-- /gsd:{hold.partition(':')[0]} -->",
        )
    found.append(Held(text[position:], "", line + text.count("\n", 0, position)))
    return tuple(held for held in found if held.text)


def _markers(text: str) -> list[tuple[int, int, bool, str]]:
    found = []
    for line in markdown.scan(text, frontmatter=False):
        if line.kind == "comment" and not line.inner:
            match = _MARKER.fullmatch(text[line.start : line.end].rstrip("\r\n"))
            if match:
                rule = (match[1] or match[2]).replace(' lines="', ":").rstrip('"')
                found.append((line.start, line.end, match[1] is not None, rule))
    return found


def _check(closing: bool, name: str, hold: str, behind_text: bool, file: str, line: int) -> None:  # noqa: FBT001
    if closing and name != hold.partition(":")[0]:
        raise GsdError(f"this closes no {name} region", reason="bad_hold", file=file, line=line)
    if not closing and hold:
        raise GsdError(f"this opens inside a {hold} region", reason="bad_hold", file=file, line=line)
    if not closing and name == ISOLATE and behind_text:
        raise GsdError(
            "an isolate region must lead its document",
            reason="bad_hold",
            file=file,
            line=line,
            hint="put it right below the frontmatter",
        )
