"""What was noticed, raw: a buffer of lines that is searched and counted, and never put into a prompt whole.

The oldest leave it into a file below `archive/` when there are too many.
"""

from __future__ import annotations

import json
import os

from gsd_capabilities.companion.planning_text import inside, one_line, system_errors
from gsd_capabilities.learning.limits import OBSERVATIONS_KEPT
from gsd_capabilities.memory import layout, sections
from gsd_install.kernel.appending import Log, rewrite
from gsd_install.kernel.events import is_moment
from gsd_install.kernel.files import make_folder
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gsd_capabilities.companion.project import Project


class Observation(NamedTuple):
    """One of them; `theme` may be empty, `at` is in seconds of the epoch."""

    text: str
    theme: str
    who: str
    at: float


class Observed(NamedTuple):
    """How many are in the buffer `store` now, and how many left it into `archive`."""

    store: str
    kept: int
    archived: int
    archive: str


def observations(project: Project) -> tuple[Observation, ...]:
    """The buffer, oldest first. A line that is no observation is passed over."""
    file = layout.path(project, layout.OBSERVATIONS)
    with system_errors(project, file):
        return tuple(_read(Log(file).fresh()))


def observe_locked(project: Project, text: str, *, theme: str, who: str, now: float) -> Observed:
    """Add one, and let the oldest leave when there are too many. The lock is held."""
    made = Observation(sections.body(text), one_line(theme, "a theme"), one_line(who, "a name"), now)
    file = layout.path(project, layout.OBSERVATIONS)
    inside(project, file)
    with system_errors(project, file):
        make_folder(os.path.dirname(file))
        Log(file).append(_line(made))
        lines = Log(file).fresh()
        gone = len(lines) - OBSERVATIONS_KEPT
        if gone > 0:
            _archive(project, lines[:gone])
            rewrite(file, lines[gone:])
    return Observed(
        layout.shown(project, layout.OBSERVATIONS),
        min(len(lines), OBSERVATIONS_KEPT),
        max(gone, 0),
        layout.shown(project, layout.ARCHIVE, layout.OBSERVATIONS),
    )


def _archive(project: Project, lines: Iterable[bytes]) -> None:
    file = layout.path(project, layout.ARCHIVE, layout.OBSERVATIONS)
    inside(project, file)
    make_folder(os.path.dirname(file))
    log = Log(file)
    for line in lines:
        log.append(line)


def _line(made: Observation) -> bytes:
    return json.dumps(made._asdict(), ensure_ascii=False, sort_keys=True).encode()


def _read(lines: Iterable[bytes]) -> Iterator[Observation]:
    for line in lines:
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and found.keys() == set(Observation._fields):
            texts = (found["text"], found["theme"], found["who"])
            if all(isinstance(text, str) for text in texts) and is_moment(found["at"]):
                yield Observation(**found)
