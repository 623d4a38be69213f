"""What the companion reads about capabilities: their settings, and what they add at each loop point."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gsd_install.content.feature import Capability, Contribution, Gate, Setting, Step
from gsd_install.content.model import Catalog
from gsd_install.content.order import at_point
from gsd_install.kernel.points import POINTS
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

Where = Callable[[str], str]


def table(catalog: Catalog, where: Where) -> list[dict[str, Any]]:
    """An entry for each capability of a catalog; `where` says where a document stands below the payload.

    `rank` is the place of a step among all that may come at its point.
    """
    features = [feature.said for feature in catalog.features]
    ranks = {
        (item.capability, item.id): rank
        for point in POINTS
        for rank, item in enumerate(at_point(features, point).steps)
    }
    return [_capability(catalog, said, ranks, where) for said in features]


def _capability(
    catalog: Catalog, said: Capability, ranks: Mapping[tuple[str, str], int], where: Where
) -> dict[str, Any]:
    steps = sorted(said.steps, key=lambda step: (POINTS.index(step.point), ranks[said.id, step.id]))
    return {
        "id": said.id,
        "title": said.title,
        "tier": said.tier,
        "config": {setting.key: _setting(setting) for setting in said.settings},
        "steps": [_step(catalog, step, ranks[said.id, step.id], where) for step in steps],
        "contributions": [_contribution(item, where) for item in said.contributions],
        "gates": [_gate(catalog, gate) for gate in said.gates],
    }


def _setting(setting: Setting) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "type": setting.type,
        "default": setting.default,
        "meaning": setting.meaning,
    }
    return entry | ({"values": setting.values} if setting.values else {})


def _step(catalog: Catalog, step: Step, rank: int, where: Where) -> dict[str, Any]:
    return {
        "id": step.id,
        "point": step.point,
        "rank": rank,
        "kind": step.kind,
        "target": step.target,
        "name": f"{catalog.prefix}-{step.target}",
        **_told(step, where),
        "produces": step.produces,
        "consumes": step.consumes,
        "on_error": step.on_error,
        "when": step.when,
    }


def _contribution(item: Contribution, where: Where) -> dict[str, Any]:
    return {"point": item.point, "into": item.into, **_told(item, where), "when": item.when}


def _gate(catalog: Catalog, gate: Gate) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "id": gate.id,
        "point": gate.point,
        "blocking": gate.blocking,
        "on_error": gate.on_error,
        "message": gate.message,
        "when": gate.when,
    }
    if gate.query:
        entry["query"] = gate.query
    elif gate.predicate:
        entry["predicate"] = gate.predicate
    else:
        entry["agent"] = f"{catalog.prefix}-{gate.agent}"
    return entry


def _told(hook: Step | Contribution, where: Where) -> dict[str, str]:
    return {"read": where(hook.read)} if hook.read else {"text": hook.text}
