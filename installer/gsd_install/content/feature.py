"""What a capability brings to the loop, as values: settings, and hooks at the loop points."""

from __future__ import annotations

from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

    from gsd_install.content.tree import SourceFile

# The folders of a capability's package that hold content.
CONTENT_KINDS = ("command", "workflow", "agent", "skill", "reference", "template")


class Setting(NamedTuple):
    """One key of `config.json`; `type` is boolean, string, number or enum, `values` those of an enum."""

    key: str
    type: str
    default: Any
    meaning: str
    values: tuple[str, ...] = ()


class Step(NamedTuple):
    """Something more to do at a point.

    `kind` says what does it: agent, skill or command, and `target` which one. How, says the document at
    `read` or else `text`. `on_error` is skip or halt. `when` is a boolean setting, or empty.
    """

    id: str
    point: str
    kind: str
    target: str
    read: str
    text: str
    produces: tuple[str, ...]
    consumes: tuple[str, ...]
    on_error: str
    when: str


class Contribution(NamedTuple):
    """A text for the brief of an agent or a workflow: that of the document at `read`, or else `text`."""

    point: str
    into: str
    read: str
    text: str
    when: str


class Gate(NamedTuple):
    """Something that must hold at a point: by a query, a predicate or an agent; the others are empty."""

    id: str
    point: str
    blocking: bool
    on_error: str
    query: str
    predicate: str
    agent: str
    message: str
    when: str


class Server(NamedTuple):
    """A console script that serves over MCP, the package it needs, the extra that brings that package."""

    script: str
    needs: str
    extra: str


class Capability(NamedTuple):
    """What a `capability.toml` says.

    `packages` are Python packages placed in the payload; each launcher, a name and a `module:function`,
    starts some of that code. `render` is the launcher that prints what one invocation of a workflow needs,
    or empty. Everything from `tier` on is for the role `feature`; `support` brings code only.
    """

    id: str
    title: str
    packages: tuple[str, ...] = ()
    launchers: tuple[tuple[str, str], ...] = ()
    render: str = ""
    role: str = "support"
    requires: tuple[str, ...] = ()
    tier: str = "standard"
    agents: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    settings: tuple[Setting, ...] = ()
    steps: tuple[Step, ...] = ()
    contributions: tuple[Contribution, ...] = ()
    gates: tuple[Gate, ...] = ()
    server: Server | None = None


class Feature(NamedTuple):
    """A capability with its content: `files` are those of `folder` that hold documents and their assets."""

    said: Capability
    folder: str
    files: tuple[SourceFile, ...] = ()


def packed(said: Capability) -> dict[str, Any]:
    """A capability as JSON can hold it."""
    return said._asdict()


def unpacked(fields: dict[str, Any]) -> Capability:
    """What `packed` gave, once it has been through JSON."""
    found = {name: _frozen(value) for name, value in fields.items()}
    made = Capability(**found)
    return made._replace(
        settings=tuple(Setting(*item) for item in made.settings),
        steps=tuple(Step(*item) for item in made.steps),
        contributions=tuple(Contribution(*item) for item in made.contributions),
        gates=tuple(Gate(*item) for item in made.gates),
        server=made.server and Server(*made.server),
    )


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
