"""What a runtime plugin says about its runtime: frozen values, no behaviour.

Everything here is data a stranger can write. A fact carries the `Source` it was read from; a date
that is not known stays `unknown`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

GLOBAL, PROJECT = "global", "project"

Scope = Literal["global", "project"]
Kind = Literal["command", "workflow", "agent", "skill", "reference", "template", "rule"]
Unit = Literal["bytes", "characters", "lines", "tokens"]
OnExcess = Literal["refuse", "shrink", "warn"]
Reads = Literal["anywhere", "home", "workspace", "unknown"]
Value = str | int | bool | list[str] | dict[str, "Value"]


class Source(NamedTuple):
    """Where a fact was read, and the date of that page or version (ISO, or `unknown`)."""

    url: str
    date: str = "unknown"


@dataclass(frozen=True)
class Home:
    """The directory of a runtime's user-wide configuration.

    `path` is used unless one of the `env` variables is set, tried in order. A variable's value is the
    directory itself, or with `suffix` its parent (`XDG_CONFIG_HOME` and `opencode`). `windows` and
    `macos` replace `path` on those systems.
    """

    path: str
    env: tuple[str, ...] = ()
    parents: Mapping[str, str] = field(default_factory=dict)
    windows: str | None = None
    macos: str | None = None


class Draft(NamedTuple):
    """A document on its way out: everything a converter may use.

    `name` is the name the host shows; `fields` are the document's frontmatter fields, already in the
    host's words; `body` is final text, with every placeholder rendered.
    """

    kind: str
    name: str
    title: str
    description: str
    fields: Mapping[str, Value]
    body: str


Converter = Callable[[Draft], str]


@dataclass(frozen=True)
class Form:
    """One way to write a document for a host.

    `dialect` names a converter: one of the shared vocabulary (`markdown`, `plain`, `toml`) or one the
    plugin returns from `gsd_converters`. `fields` are the frontmatter keys that are written, in this
    order: `"name"` copies a field, `"key=field"` renames it, `"key:=value"` sets a constant.
    `whole` is False for a form that points at the document's text instead of holding it.
    """

    dialect: str
    fields: tuple[str, ...] = ()
    whole: bool = True


@dataclass(frozen=True)
class Place:
    """Where documents of one kind go, and in which form; later forms are tried when one does not fit.

    `path` holds `{name}` and is relative to the runtime's own directory; `~/...` is relative to the
    user's home and `./...` to the project. `scope` None means both.
    """

    kind: Kind
    path: str
    forms: tuple[Form, ...]
    scope: Scope | None = None
    source: Source | None = None


@dataclass(frozen=True)
class Cap:
    """A limit the runtime declares: on a whole output of `kind`, or on one `field` of it.

    `on_excess` says what happens when nothing lossless is left: refuse, shrink (at a word, with a
    warning that names both sizes) or warn.
    """

    kind: Kind
    limit: int
    unit: Unit = "bytes"
    on_excess: OnExcess = "refuse"
    field: str | None = None
    scope: Scope | None = None
    source: Source | None = None


class Rewrite(NamedTuple):
    """A path in foreign content and what it becomes; matched on whole path components only."""

    find: str
    replace: str


@dataclass(frozen=True)
class Surface:
    """A file the user owns that may hold entries of ours.

    `name` is `hooks`, `mcp`, `instructions` or `permissions`. `format` is `jsonc`, `toml`, `yaml` or
    `block`. `pointer` is where entries go; its last step `-` appends to an array. `entries` builds the
    entries from a `Facts` mapping; the strings in it may use `{launcher}`, `{payload}`, `{event}`.
    """

    name: Literal["hooks", "mcp", "instructions", "permissions"]
    path: str
    format: Literal["jsonc", "toml", "yaml", "block"]
    entries: tuple[Entry, ...] = ()
    scope: Scope | None = None
    source: Source | None = None


class Entry(NamedTuple):
    """One value of ours at `pointer` in a surface; a last step `-` means: append to that array."""

    pointer: tuple[str, ...]
    value: Value | list[Value]


@dataclass(frozen=True)
class Runtime:
    """An AI coding host we install into.

    `project` is its directory inside a project. `invoke` shows how a command is typed and `arguments`
    what stands for the words typed after it. `tools` maps our action names (`read`, `write`, `edit`,
    `search`, `find`, `run`, `fetch`, `web`, `ask`, `dispatch`, `todo`) to the host's tool names.
    `reads` says what the host can open without asking. `detect` names executables or directories
    (`~/...`) whose presence means the host is there. `cross_reads` are skill directories of other
    hosts that this one lists too.
    """

    id: str
    title: str
    home: Home
    project: str
    places: tuple[Place, ...]
    invoke: str = "/{name}"
    arguments: str = "$ARGUMENTS"
    tools: Mapping[str, str] = field(default_factory=dict)
    reads: Reads = "unknown"
    detect: tuple[str, ...] = ()
    cross_reads: tuple[str, ...] = ()
    surfaces: tuple[Surface, ...] = ()
    skill_depth: int | None = 1
    notes: str = ""
    sources: tuple[Source, ...] = ()
    start: str = ""
