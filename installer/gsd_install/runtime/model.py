"""What a runtime plugin says about its runtime: frozen values, no behaviour.

They are named tuples, which cost a fifth of a dataclass when a command starts.
Everything here is data a stranger can write. A fact carries the `Source` it was read from; a date
that is not known stays `unknown`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gsd_install.runtime.words import (
        CapUnit,
        Envelope,
        FieldValue,
        Keeps,
        Kind,
        OnExcess,
        Reads,
        Scope,
        SurfaceFormat,
        SurfaceName,
        Value,
    )

_NONE: Mapping[str, str] = MappingProxyType({})


class Source(NamedTuple):
    """Where a fact was read, and the date of that page or version (ISO, or `unknown`)."""

    url: str
    date: str = "unknown"


class Home(NamedTuple):
    """The directory of a runtime's user-wide configuration.

    The first `env` variable that is set names the directory; else the first of `parents`, variable and
    folder below it (`("XDG_CONFIG_HOME", "opencode")`); else `windows` or `macos` on those systems;
    else `path`.
    """

    path: str
    env: tuple[str, ...] = ()
    parents: tuple[tuple[str, str], ...] = ()
    windows: str | None = None
    macos: str | None = None


class Draft(NamedTuple):
    """A document on its way out: everything a converter may use.

    `fields` are the keys the form asks for, in order, already named and spelled as the host wants
    them; `body` is final text, with every placeholder rendered.
    """

    kind: str
    name: str
    title: str
    description: str
    fields: Mapping[str, FieldValue]
    body: str


Converter = Callable[[Draft], str]


class Field(NamedTuple):
    """One frontmatter key of a form.

    Its value is the document's field `source` (default: the same name) looked up in `values` when that
    is given, or `constant`. A list is joined with `join` where the host wants one string. A document
    without the field leaves the key out. Beside the frontmatter fields of docs/content.md there are
    `name`, `title` and `body`; in `constant`, `{payload}` is the path of the shared texts.
    """

    key: str
    source: str = ""
    constant: FieldValue | None = None
    values: tuple[tuple[str, FieldValue], ...] = ()
    join: str = ""


class Form(NamedTuple):
    """One way to write a document for a host.

    `snippet` is what the host runs while it expands a command, in the words of runtime/inject.py; a form with
    one, or with `{launcher}` in a constant, is for commands of one workflow where a launcher is installed.

    `dialect` names a converter: one of the shared vocabulary (`markdown`, `plain`, `toml`) or one the
    plugin returns from `gsd_converters`. `whole` is False for a form that holds a pointer to the text
    instead of the text. `keeps` says which frontmatter keys of a bundle's document it holds beside `fields`:
    `all`, or those `unknown` to every host, which a host is known to pass over; none by default.
    """

    dialect: str
    fields: tuple[Field, ...] = ()
    whole: bool = True
    snippet: str = ""
    keeps: Keeps = ""


class Place(NamedTuple):
    """Where documents of one kind go, and in which form; later forms are tried when one does not fit.

    `path` holds `{name}` and is relative to the runtime's own directory; `~/...` is relative to the
    user's home and `./...` to the project. `scope` None means both.
    """

    kind: Kind
    path: str
    forms: tuple[Form, ...]
    scope: Scope | None = None
    source: Source | None = None


class Cap(NamedTuple):
    """A limit the runtime declares: on a whole output of `kind`, or on one `field` of it.

    Two fields are sums: `listing` over the names and descriptions of everything of the kind that the
    host lists, the user's own included; `chain` over the instruction files it reads together.

    `on_excess` says what happens when nothing lossless is left: refuse, shrink (at a word, with a
    warning that names both sizes) or warn.
    """

    kind: Kind
    limit: int
    unit: CapUnit = "bytes"
    on_excess: OnExcess = "refuse"
    field: str | None = None
    scope: Scope | None = None
    source: Source | None = None


class Rewrite(NamedTuple):
    """A path in foreign content and what it becomes; matched on whole path components only."""

    find: str
    replace: str


class Entry(NamedTuple):
    """One value of ours at `pointer` in a surface; a last step `-` means: append to that array.

    Strings may use `{payload}`; for hooks `{event}`, `{command}`, `{hook}` (its id) and `{matcher}`, left out
    with its key where there is nothing to match; for MCP servers `{server}`, `{command}`, `{args}`, `{env}`;
    for instructions `{text}`. A string that is nothing but one of them takes its value whole, list or mapping
    included.
    """

    pointer: tuple[str, ...]
    value: Value


class Surface(NamedTuple):
    """A file the user owns that may hold entries of ours.

    `paths` are spelled as in `Place`; the first that exists is edited, else the last is made. For
    hooks `events` maps our event names (`session-start`) to the host's; a host with an event for each tool
    has them as `pre-tool:run`. A hook for some tools matches the host's names of them: those in `tools`,
    else the runtime's; `every` is the matcher of a hook for all of them. `envelope` names how the host
    reads answers, and `project_dir` is what its shell puts before a path in the project. `shared` servers
    stand in a file that other runtimes read too: what starts one there names no runtime. `imports` says of
    instructions that the host includes the file that a word such as `@docs/flow.md` names.
    """

    name: SurfaceName
    format: SurfaceFormat
    paths: tuple[str, ...]
    entries: tuple[Entry, ...] = ()
    events: Mapping[str, str] = _NONE
    scope: Scope | None = None
    source: Source | None = None
    envelope: Envelope = "text"
    tools: Mapping[str, str] = _NONE
    every: str = ""
    project_dir: str = ""
    shared: bool = False
    imports: bool = False


class Ask(NamedTuple):
    """How a runtime is asked for the names of `kinds` that it has loaded.

    It is a command of its own that answers at once, without an account, a network, a model or a person.
    `words` follow its program, the first name in `detect`; `said` are lines for its standard input. Names
    are told from each JSON document it prints by `path`, whose steps are a key, `*` for every item or `@`
    for every key; without a path, from each line by the one group of the regular expression `pattern`.
    """

    kinds: tuple[Kind, ...]
    words: tuple[str, ...]
    path: tuple[str, ...] = ()
    pattern: str = ""
    said: tuple[str, ...] = ()
    environ: Mapping[str, str] = _NONE
    source: Source | None = None


class Runtime(NamedTuple):
    """An AI coding host we install into.

    `project` is its directory inside a project. `invoke` shows how a command is typed and `arguments`
    what stands for the words typed after it. `tools` maps our action names (`read`, `write`, `edit`,
    `search`, `find`, `run`, `fetch`, `web`, `ask`, `dispatch`, `todo`) to the host's tool names; an
    action it does not name keeps its own name in text and is left out of lists. `reads` says what the
    host can open without asking. `detect` names executables, or directories (`~/...`), whose presence
    means the host is there. `cross_reads` are skill directories of other hosts that it lists too.
    `asks` are the ways in which `gsd-install doctor --live` learns what it has loaded.
    `start` completes "next: ..." in the report; `{command}` in it is the first command to type.
    `requires` is a version specifier for gsd-install.
    """

    id: str
    title: str
    home: Home
    project: str
    places: tuple[Place, ...]
    invoke: str = "/{name}"
    arguments: str = "$ARGUMENTS"
    tools: Mapping[str, str] = _NONE
    reads: Reads = "unknown"
    detect: tuple[str, ...] = ()
    cross_reads: tuple[str, ...] = ()
    surfaces: tuple[Surface, ...] = ()
    notes: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    start: str = "start {title} and type {command}"
    requires: str = ""
    asks: tuple[Ask, ...] = ()
