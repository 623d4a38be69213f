"""When an agent wakes: its rhythm, the beats in a row that had nothing to do, and the wake-ups it planned.

`.planning/work/heartbeat.json` holds it for every agent by name. Times are in seconds of the epoch. Whoever
changes it holds the lock of the project. Source: context economics and learning loop, sections 3 and 8.
"""

from __future__ import annotations

import contextlib
import json
import os

from gsd_capabilities.companion.guard import locked
from gsd_capabilities.companion.planning_text import system_errors
from gsd_capabilities.learning import limits
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from gsd_capabilities.companion.project import Project

_VERSION = 1


class Wakeup(NamedTuple):
    """A moment that an agent wants to be woken at, and why."""

    id: str
    at: float
    reason: str


class Rhythm(NamedTuple):
    """`base` is what the agent set, `interval` what holds now; `next` is when the next beat is due.

    `idle` counts beats in a row with nothing to do. `planned` numbers the wake-ups there ever were. Until
    `held` a beat is under way that may call, and until `talking` a conversation with a person, unless they
    were killed; 0 where there is none.
    """

    base: int = limits.HEARTBEAT_SECONDS
    interval: int = limits.HEARTBEAT_SECONDS
    idle: int = 0
    next: float = 0.0
    wakeups: tuple[Wakeup, ...] = ()
    planned: int = 0
    held: float = 0.0
    talking: float = 0.0

    @property
    def asleep(self) -> bool:
        """Whether beats make no call any more."""
        return self.idle >= limits.DEEP_SLEEP_IDLE_HEARTBEATS


def busy(rhythm: Rhythm, now: float) -> Rhythm:
    """After a beat with something to do: awake, in the rhythm that was set."""
    return rhythm._replace(idle=0, interval=rhythm.base, next=now + rhythm.base)


def quiet(rhythm: Rhythm, now: float) -> Rhythm:
    """After one that had nothing to do; from the third in a row on, the next one comes twice as late."""
    after = rhythm._replace(idle=rhythm.idle + 1)
    interval = rhythm.interval
    if after.asleep:
        interval = max(interval, min(2 * interval, limits.HEARTBEAT_MOST_SECONDS))
    return after._replace(interval=interval, next=now + interval)


def taken(rhythm: Rhythm, now: float) -> Rhythm:
    """While a beat is under way."""
    return rhythm._replace(held=now + limits.HEARTBEAT_HOLD_SECONDS)


def released(rhythm: Rhythm, held: float) -> Rhythm:
    """After the beat that held it until `held`; where that lasted too long, it is another one's by now."""
    return rhythm._replace(held=0.0) if rhythm.held == held else rhythm


@contextlib.contextmanager
def conversation(project: Project, who: str, now: float) -> Iterator[None]:
    """While a person speaks with an agent, which its beats yield to. Raises as `change`."""
    until = now + limits.HEARTBEAT_HOLD_SECONDS
    change(project, who, lambda one: one._replace(talking=until))
    try:
        yield
    finally:
        change(project, who, lambda one: one._replace(talking=0.0) if one.talking == until else one)


def due(rhythm: Rhythm, now: float) -> tuple[Wakeup, ...]:
    """Wake-ups whose time has come."""
    return tuple(one for one in rhythm.wakeups if one.at <= now)


def over(rhythm: Rhythm, done: Collection[Wakeup]) -> Rhythm:
    """Without wake-ups that were acted on."""
    return rhythm._replace(wakeups=tuple(one for one in rhythm.wakeups if one not in done))


def planned(rhythm: Rhythm, at: float, reason: str) -> Rhythm:
    """With one more wake-up, the last of its list."""
    number = rhythm.planned + 1
    return rhythm._replace(planned=number, wakeups=(*rhythm.wakeups, Wakeup(f"w{number}", at, reason)))


def cancelled(rhythm: Rhythm, name: str) -> Rhythm:
    """Without a wake-up. Raises GsdError `no_wakeup`."""
    left = tuple(one for one in rhythm.wakeups if one.id != name)
    if len(left) == len(rhythm.wakeups):
        known = ", ".join(one.id for one in rhythm.wakeups)
        hint = f"there are {known}" if known else "none is planned"
        raise GsdError(f"there is no wake-up {name!r}", reason="no_wakeup", hint=hint)
    return rhythm._replace(wakeups=left)


def every(rhythm: Rhythm, seconds: int) -> Rhythm:
    """In another rhythm. Raises GsdError `bad_interval`."""
    least, most = limits.HEARTBEAT_LEAST_SECONDS, limits.HEARTBEAT_MOST_SECONDS
    if not least <= seconds <= most:
        message = f"a heartbeat every {seconds} seconds is too often or too rare"
        raise GsdError(message, reason="bad_interval", hint=f"{least} to {most} seconds")
    return rhythm._replace(base=seconds, interval=seconds)


def load(project: Project, who: str) -> Rhythm:
    """The rhythm of an agent. Raises GsdError `bad_state` for a file that is not ours."""
    return _rhythms(project).get(who, Rhythm())


def change(project: Project, who: str, how: Callable[[Rhythm], Rhythm]) -> Rhythm:
    """Keep what `how` makes of a rhythm, under the lock. Raises what `how` and `load` raise."""
    with locked(project):
        found = _rhythms(project)
        found[who] = how(found.get(who, Rhythm()))
        _save(project, found)
        return found[who]


def replaced(project: Project, who: str, seen: Rhythm, after: Rhythm) -> bool:
    """Keep `after`, where the rhythm is still as it was seen; whether it was. Raises as `load`."""
    with locked(project):
        found = _rhythms(project)
        if found.get(who, Rhythm()) != seen:
            return False
        _save(project, {**found, who: after})
        return True


def _path(project: Project) -> str:
    return os.path.join(project.shared, "work", "heartbeat.json")


def _rhythms(project: Project) -> dict[str, Rhythm]:
    path = _path(project)
    with system_errors(project, path):
        try:
            with open(path, "rb") as stream:
                data = stream.read()
        except FileNotFoundError:
            return {}
    try:
        found = json.loads(data)
        if found["version"] != _VERSION:
            raise ValueError(found["version"])
        return {who: _rhythm(fields) for who, fields in found["agents"].items()}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        message = "this is no state of heartbeats"
        hint = "remove it: heartbeats begin anew, wake-ups that were planned are lost"
        raise GsdError(message, reason="bad_state", file=project.shown(path), hint=hint) from error


def _rhythm(fields: dict[str, object]) -> Rhythm:
    wakeups = fields.pop("wakeups")
    if not (isinstance(wakeups, list) and all(type(value) in (int, float) for value in fields.values())):
        raise TypeError(fields)
    return Rhythm(**fields, wakeups=tuple(map(_wakeup, wakeups)))  # type: ignore[arg-type]


def _wakeup(fields: dict[str, object]) -> Wakeup:
    made = Wakeup(**fields)  # type: ignore[arg-type]
    if not (isinstance(made.id, str) and isinstance(made.reason, str) and type(made.at) in (int, float)):
        raise TypeError(fields)
    return made


def _save(project: Project, found: dict[str, Rhythm]) -> None:
    from gsd_capabilities.work.unshared import prepare
    from gsd_install.kernel.files import write_atomic

    path = _path(project)
    agents = {
        who: {**one._asdict(), "wakeups": [wakeup._asdict() for wakeup in one.wakeups]}
        for who, one in found.items()
    }
    text = json.dumps({"version": _VERSION, "agents": agents}, ensure_ascii=False, indent=2)
    with system_errors(project, path):
        prepare(project, path)
        write_atomic(path, f"{text}\n".encode(), mode=0o600)
