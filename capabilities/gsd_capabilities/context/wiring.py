"""What the verbs of `context` work with: settings, sources and counters, each from where it belongs."""

from __future__ import annotations

import os

from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.companion.config import Config
    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.companion.request import Request
    from gsd_capabilities.context.engine import Counters, Sources
    from gsd_capabilities.context.monitor import Monitor
    from gsd_capabilities.context.providers import Providers
    from gsd_capabilities.context.references import Loader
    from gsd_capabilities.context.settings import Settings
    from gsd_install.kernel.measure import Measure


# The family whose counts `content.tokens` has.
_EXACT_FAMILY = "openai"
_DESCRIPTION = 500


class SetUp(NamedTuple):
    """The project, its settings as numbers, the hosts that may be asked, and keys that mean nothing."""

    project: Project
    settings: Settings
    hosts: tuple[str, ...]
    unknown: tuple[Mapping[str, str], ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """The unknown keys for a reader: where each is, and which one was probably meant."""
        return tuple(
            f"{row['where']}: the setting {row['key']!r} has no effect"
            + (f"; did you mean {row['nearest']!r}?" if row["nearest"] else "")
            for row in self.unknown
        )


def set_up(request: Request) -> SetUp:
    """What the companion resolves for this project. Raises what `config.resolve` raises."""
    from gsd_capabilities.companion import config, features, project

    found = project.find(request.cwd)
    resolved = config.resolve(found, request.environ, schema=features.schema(features.of(request)))
    hosts = resolved.get("context.url_hosts")
    allowed = tuple(map(str, hosts)) if isinstance(hosts, list) else ()
    unknown = tuple(_unknown(resolved, key, where) for key, where in resolved.unknown)
    return SetUp(found, _configured(resolved), allowed, unknown)


def _unknown(config: Config, key: str, where: str) -> Mapping[str, str]:
    """A key without effect; `nearest` is empty for one that is known and merely stands in the wrong file."""
    from gsd_capabilities.companion.planning_text import nearest

    near = nearest(key, config.schema) if key not in config.schema else None
    return {"key": key, "where": where, "nearest": near or ""}


def _configured(config: Config) -> Settings:
    from gsd_capabilities.context.settings import Settings

    default = config.source("context.soft_limit_tokens") == "default"
    pools = config.get("context.pools")
    made = Settings(
        max_tokens=_whole(config, "max_tokens"),
        reserve_tokens=_whole(config, "reserve_tokens"),
        soft_limit=None if default else _whole(config, "soft_limit_tokens"),
        history_rounds=_whole(config, "history_rounds"),
        diff_lines=_whole(config, "diff_lines"),
    )
    return made._replace(pools=pools) if isinstance(pools, dict) else made


def _whole(config: Config, name: str) -> int:
    """A number among the settings; their schema has checked it."""
    return int(str(config.get(f"context.{name}")))


def names(text: str) -> tuple[str, ...]:
    """What an option lists, between commas."""
    return tuple(name for part in text.split(",") if (name := part.strip()))


def sources(request: Request, found: SetUp) -> Sources:
    """Where everything comes from, as the options say. Raises UsageError."""
    from gsd_capabilities.context.engine import Sources
    from gsd_capabilities.context.providers import standard

    session = request.options.get("session", "")
    state = standard(
        found.project.root,
        found.project.planning,
        session=os.path.join(request.cwd, session) if session else "",
        tree="tree" in request.options,
    )
    for name in names(request.options.get("without", "")):
        state = _without(state, name)
    return Sources(_loader(request, found), state, _monitor(request, found.settings))


def _loader(request: Request, found: SetUp) -> Loader:
    from gsd_capabilities.context.references import Loader, Roots
    from gsd_capabilities.context.remote import fetch

    return Loader(
        Roots(found.project.planning, _bundled(request)),
        hosts=found.hosts,
        url_bytes=found.settings.url_bytes,
        fetch=lambda address, most: fetch(address, most, found.hosts),
        keep=lambda address, data: _keep(request, found.project, address, data),
    )


def _keep(request: Request, project: Project, address: str, data: bytes) -> None:
    """Store what came from an address. Raises GsdError `remote_not_kept` where that fails."""
    from gsd_capabilities.artifacts.offload import ToolResult
    from gsd_capabilities.artifacts.store import kept

    result = ToolResult(data, tool="context build", description=address[:_DESCRIPTION])
    outcome = kept(project, request.environ, result, always=True)
    if outcome.text is None:
        raise GsdError(
            f"{address} was fetched and not stored: {outcome.diagnostics.reason}",
            reason="remote_not_kept",
            hint="remote references need a project with a folder .planning that can be written",
        ) from outcome.error


def _without(state: Providers, name: str) -> Providers:
    """The sources without one of them."""
    left = {
        "plan": state._replace(plan=None),
        "session": state._replace(session=None),
        "git": state._replace(git=None),
        "environment": state._replace(environment=None),
    }
    if name not in left:
        raise UsageError(
            f"unknown source {name!r}", reason="unknown_source", hint=f"one of {', '.join(left)}"
        )
    return left[name]


def _bundled(request: Request) -> str:
    """The references that were installed; empty where nothing is."""
    from gsd_capabilities.companion import payload

    try:
        installed = payload.contents(payload.root(request.payload, request.cwd, request.environ))
    except GsdError as error:
        if error.reason != "no_payload":
            raise
        return ""
    return next(
        (path for one in installed if os.path.isdir(path := os.path.join(one.root, one.id, "references"))), ""
    )


def _monitor(request: Request, settings: Settings) -> Monitor | None:
    from gsd_capabilities.context.monitor import watched

    seen = names(request.options.get("used", ""))
    if not seen:
        return None
    if not all(word.isascii() and word.isdecimal() for word in seen):
        raise UsageError("--used takes numbers of tokens", reason="usage", hint="--used 12000,15000,19000")
    return watched(settings.available, map(int, seen))


def counters(family: str) -> Counters:
    """How tokens are counted: the estimate, and exactly where the counter is installed.

    It is beside the installer and not among the files that it places; building it takes a quarter of a
    second, which is spent when the first text is counted.
    """
    from gsd_capabilities.context.engine import Counters
    from gsd_install.kernel.measure import estimated

    return Counters(estimated(family), _exact() if family == _EXACT_FAMILY else None)


def _exact() -> Measure | None:
    from importlib.util import find_spec

    if find_spec("tiktoken") is None or find_spec("gsd_install.content") is None:
        return None
    from gsd_install.content.tokens import ExactTokens

    return ExactTokens()
