"""What was rejected is not proposed again, unless it changed: the answer is the reason of then.

Two texts are nearly the same when the runs of three words in them, in small letters and without everything
that is no word, are the same to nine tenths.
"""

from __future__ import annotations

import os
import re

from gsd_capabilities.learning.limits import SHINGLE_WORDS, SIMILAR_SHARE
from gsd_install.kernel import learned
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.learned_moves import past_place
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gsd_install.kernel.events import Event
    from gsd_install.kernel.learned import File

_WORD = re.compile(r"\w+")


def refuse_rejected(root: str, digest: str, files: Mapping[str, File], history: Iterable[Event]) -> None:
    """Raise GsdError `rejected_before` for what is the same as a rejected proposal, or nearly so."""
    found = rejected_like(root, digest, files, history)
    if found is None:
        return
    reason = found.data.get("reason", "")
    raise GsdError(
        f"this is as good as {found.subject!r}, which {found.who or 'somebody'} rejected: {reason}",
        reason="rejected_before",
        hint="do what the reason asks for, then propose it again",
    )


def rejected_like(
    root: str, digest: str, files: Mapping[str, File], history: Iterable[Event]
) -> Event | None:
    """The newest rejection of a proposal that is the same, or nearly so."""
    words = shingles(text_of(files))
    rejected = [event for event in learned.decisions(history).values() if event.kind == learned.REJECTED]
    for event in sorted(rejected, key=lambda event: event.at, reverse=True):
        other = str(event.data.get("digest", ""))
        if other == digest or similarity(words, shingles(_kept(root, event.subject, other))) >= SIMILAR_SHARE:
            return event
    return None


def similarity(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of runs of words that two texts have in common, of all that either has."""
    return len(one & other) / len(one | other) if one and other else 0.0


def shingles(text: str) -> frozenset[str]:
    """Every run of words of a text; a text of fewer words is one run."""
    words = _WORD.findall(text.casefold())
    last = max(len(words) - SHINGLE_WORDS, 0)
    return frozenset(" ".join(words[at : at + SHINGLE_WORDS]) for at in range(last + 1) if words)


def text_of(files: Mapping[str, File]) -> str:
    """The texts of a proposal, one after the other."""
    return "\n".join(file.data.decode("utf-8", "replace") for _, file in sorted(files.items()))


def _kept(root: str, name: str, digest: str) -> str:
    """The text of a rejected proposal; empty where a person has removed it since."""
    folder = past_place(root, name, digest)
    return text_of(learned.files_in(folder)) if os.path.isdir(folder) else ""
