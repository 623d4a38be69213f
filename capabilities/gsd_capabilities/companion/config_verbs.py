"""The verbs of `gsd-tools` for settings."""

from __future__ import annotations

from gsd_capabilities.companion import config, config_schema
from gsd_capabilities.companion import project as projects
from gsd_capabilities.companion.request import Verb
from gsd_install.kernel.errors import UsageError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.companion.request import Request


def _words(request: Request, count: int, usage: str) -> tuple[str, ...]:
    if len(request.words) != count:
        raise UsageError("wrong number of arguments", reason="usage", hint=f"gsd-tools {usage}")
    return request.words


def _get(request: Request) -> object:
    (name,) = _words(request, 1, VERBS["config get"].usage)
    found = config.resolve(projects.find(request.cwd), request.environ)
    key = config_schema.known(name)
    return {
        "key": name,
        "value": found.get(name),
        "source": found.source(name),
        "default": key.default,
        "meaning": key.meaning,
    }


def _set(request: Request) -> object:
    name, text = _words(request, 2, VERBS["config set"].usage)
    value = config_schema.parse(name, text)
    changed = config.config_set(projects.find(request.cwd), name, value)
    return {"key": name, "value": value, "changed": changed}


def _reset(request: Request) -> object:
    (name,) = _words(request, 1, VERBS["config reset"].usage)
    changed = config.config_reset(projects.find(request.cwd), name)
    return {"key": name, "value": config_schema.known(name).default, "changed": changed}


def _list(request: Request) -> object:
    from gsd_capabilities.companion.planning_text import nearest

    _words(request, 0, VERBS["config list"].usage)
    found = config.resolve(projects.find(request.cwd), request.environ)
    settings = {
        name: {"value": found.get(name), "source": found.source(name)} for name in config_schema.SCHEMA
    }
    unknown = [
        {"key": name, "where": where, "nearest": nearest(name, config_schema.SCHEMA)}
        for name, where in found.unknown
    ]
    return {"settings": settings, "unknown": unknown}


VERBS: Mapping[str, Verb] = {
    "config get": Verb(_get, "config get KEY"),
    "config set": Verb(_set, "config set KEY VALUE"),
    "config reset": Verb(_reset, "config reset KEY"),
    "config list": Verb(_list, "config list"),
}
