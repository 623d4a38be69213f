"""The verbs of `gsd-tools` for settings."""

from __future__ import annotations

from gsd_capabilities.companion import config, config_schema, features
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
    schema = features.schema(features.of(request))
    found = config.resolve(projects.find(request.cwd), request.environ, schema=schema)
    key = config_schema.known(name, schema)
    return {
        "key": name,
        "value": found.get(name),
        "source": found.source(name),
        "default": key.default,
        "meaning": key.meaning,
    }


def _set(request: Request) -> object:
    name, text = _words(request, 2, VERBS["config set"].usage)
    schema = features.schema(features.of(request))
    value = config_schema.parse(name, text, schema)
    changed = config.config_set(projects.find(request.cwd), name, value, schema)
    return {"key": name, "value": value, "changed": changed}


def _reset(request: Request) -> object:
    (name,) = _words(request, 1, VERBS["config reset"].usage)
    schema = features.schema(features.of(request))
    changed = config.config_reset(projects.find(request.cwd), name, schema)
    return {"key": name, "value": config_schema.known(name, schema).default, "changed": changed}


def _list(request: Request) -> object:
    from gsd_capabilities.companion.planning_text import nearest

    _words(request, 0, VERBS["config list"].usage)
    installed = features.of(request)
    schema = features.schema(installed)
    found = config.resolve(projects.find(request.cwd), request.environ, schema=schema)
    settings = {name: {"value": found.get(name), "source": found.source(name)} for name in schema}
    unknown = [
        {"key": name, "where": where, "nearest": nearest(name, schema)} for name, where in found.unknown
    ]
    return {"settings": settings, "unknown": unknown, "problems": list(features.problems(installed))}


VERBS: Mapping[str, Verb] = {
    "config get": Verb(_get, "config get KEY"),
    "config set": Verb(_set, "config set KEY VALUE"),
    "config reset": Verb(_reset, "config reset KEY"),
    "config list": Verb(_list, "config list"),
}
