"""What `build` chooses from."""

from __future__ import annotations

from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gsd_capabilities.context.history import Message
    from gsd_capabilities.work.team import Team


class Text(NamedTuple):
    """A text and the file that holds all of it, relative to a project that it lies in; empty if none."""

    text: str = ""
    path: str = ""


class Named(NamedTuple):
    """A skill or a workflow: what is known of it before it is loaded."""

    name: str
    description: str


class Listing(NamedTuple):
    """Skills or workflows, and where all of them are listed."""

    rows: tuple[Named, ...] = ()
    path: str = ""


class Tasks(NamedTuple):
    """How many tasks there are by state, a line for each blocked or failed one, and for each that goes on."""

    counts: tuple[tuple[str, int], ...] = ()
    stuck: tuple[str, ...] = ()
    going: tuple[str, ...] = ()


class Sources(NamedTuple):
    """Everything that `build` chooses from. `handbook` is an absolute path, `now` seconds of the epoch.

    `channel` has the newest of its `messages`. `locale` is empty where nobody said it, `who` where the agent
    has no name. `mode` is the scenario to speak of where that is another one than the one whose sections are
    shown.
    """

    role: Text
    rules: str
    handbook: str
    habits: Text
    checklists: Text
    team: Team | None
    team_path: str
    knowledge: Text
    state: tuple[str, ...]
    state_path: str
    skills: Listing
    workflows: Listing
    announcements: Text
    norms: Text
    channel: tuple[Message, ...]
    messages: int
    channel_path: str
    tasks: Tasks
    dynamic: Text
    now: float
    who: str
    manager: bool
    locale: str
    mode: str = ""
