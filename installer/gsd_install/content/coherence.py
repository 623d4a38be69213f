"""Do capabilities go together: what they require, their settings, and the order of their steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gsd_install.content.feature import Capability, Contribution, Gate, Setting, Step
from gsd_install.content.model import TIERS
from gsd_install.content.order import at_point
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.points import POINTS

# Capabilities by id, in the order in which they are declared: of two that clash, the later one is at fault.
Found = Mapping[str, Capability]


def faults(found: Found, files: Mapping[str, str], gone: Iterable[str] = ()) -> dict[str, GsdError]:
    """What is wrong with each capability that cannot be used, by id.

    `files` are their manifests, for messages. What requires one that is at fault, or one of those that are
    `gone` already, is at fault too.
    """
    wrong: dict[str, GsdError] = {}
    while True:
        alive = {name: said for name, said in found.items() if name not in wrong}
        known = frozenset(found).union(gone)
        new = dict(_alone(alive, known, files)) or dict(_circles(alive, files)) or dict(_stuck(alive, files))
        if not new:
            return wrong
        wrong |= new


def reachable(name: str, found: Found) -> tuple[str, ...]:
    """The ids that a capability requires, directly or not, and its own."""
    seen: list[str] = []
    pending = [name]
    while pending:
        at = pending.pop()
        if at not in seen and at in found:
            seen.append(at)
            pending += found[at].requires
    return tuple(seen)


def _alone(alive: Found, known: frozenset[str], files: Mapping[str, str]) -> Iterator[tuple[str, GsdError]]:
    """The first fault of each one, seen among those before it."""
    taken: dict[str, str] = {}
    launched: dict[str, str] = {}
    for name, said in alive.items():
        fault = (
            _required(said, alive, known)
            or _launchers(said, launched)
            or _settings(said, taken)
            or _conditions(said, alive)
        )
        if fault is None:
            taken |= dict.fromkeys((setting.key for setting in said.settings), name)
            launched |= dict.fromkeys(_launched(said), name)
        else:
            fault.file = files[name]
            yield name, fault


def _required(said: Capability, alive: Found, known: frozenset[str]) -> GsdError | None:
    for name in said.requires:
        if name not in alive:
            why = "is left out itself" if name in known else "is not installed"
            return GsdError(f"requires {name!r}, which {why}", reason="unresolved", hint=f"install {name}")
        other = alive[name]
        if other.role == "feature" and TIERS.index(other.tier) > TIERS.index(said.tier):
            return GsdError(
                f"requires {name!r}, whose tier is {other.tier}, and its own is {said.tier}",
                reason="bad_value",
                hint="a profile that holds one must hold the other: raise its own tier",
            )
    return None


def _launched(said: Capability) -> tuple[str, ...]:
    """What only one capability can bring: each launcher, and to be the one that renders."""
    names = [f"the launcher {name!r}" for name, _ in said.launchers]
    return (*names, "a launcher that renders") if said.render else tuple(names)


def _launchers(said: Capability, launched: Mapping[str, str]) -> GsdError | None:
    clash = next((what for what in _launched(said) if what in launched), None)
    if clash is None:
        return None
    message = f"the capability {launched[clash]!r} brings {clash} already"
    return GsdError(message, reason="capability_clash", hint="rename it, or uninstall one of the two")


def _settings(said: Capability, taken: Mapping[str, str]) -> GsdError | None:
    keys = [setting.key for setting in said.settings]
    for key in keys:
        for other in (*taken, *(own for own in keys if own != key)):
            if key == other or other.startswith(f"{key}.") or key.startswith(f"{other}."):
                owner = f"the capability {taken[other]!r}" if other in taken else "this capability"
                return GsdError(
                    f"the setting {key!r} clashes with {other!r} of {owner}",
                    reason="capability_clash",
                    hint="rename one of the two",
                )
    return None


def _conditions(said: Capability, alive: Found) -> GsdError | None:
    """Whether each `when` is a switch that comes along."""
    mine: dict[str, Setting] = {
        setting.key: setting for name in reachable(said.id, alive) for setting in alive[name].settings
    }
    hooks: tuple[Step | Contribution | Gate, ...] = (*said.steps, *said.contributions, *said.gates)
    for hook in hooks:
        if hook.when and (hook.when not in mine or mine[hook.when].type != "boolean"):
            return GsdError(
                f"when = {hook.when!r} is no boolean setting of its own or of what it requires",
                reason="unresolved",
                hint=f'add [config."{hook.when}"]',
            )
    return None


def _circles(alive: Found, files: Mapping[str, str]) -> Iterator[tuple[str, GsdError]]:
    """Capabilities that require each other."""
    for name, said in alive.items():
        if any(name in reachable(other, alive) for other in said.requires):
            yield (
                name,
                GsdError(
                    f"requires itself, by way of {', '.join(said.requires)}",
                    reason="capability_cycle",
                    file=files[name],
                    hint="move what both need to a third one",
                ),
            )


def _stuck(alive: Found, files: Mapping[str, str]) -> Iterator[tuple[str, GsdError]]:
    """Capabilities whose steps wait for each other."""
    for point in POINTS:
        cyclic = at_point(alive.values(), point).cyclic
        names = " and ".join(f"{item.capability}/{item.id}" for item in cyclic)
        for item in cyclic:
            yield (
                item.capability,
                GsdError(
                    f"at {point} the steps {names} wait for each other",
                    reason="capability_cycle",
                    file=files[item.capability],
                    hint="correct what they produce and consume",
                ),
            )
