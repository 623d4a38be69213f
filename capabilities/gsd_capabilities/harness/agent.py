"""One session of our own agent while it runs: what it was given, and what changes from call to call."""

from __future__ import annotations

from gsd_capabilities.harness.afford import least
from gsd_capabilities.harness.prepare import affordable
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.harness.afford import Hint
    from gsd_capabilities.harness.prepare import Built, Packed
    from gsd_capabilities.harness.provider import Provider
    from gsd_capabilities.harness.toolbox import Toolbox
    from gsd_capabilities.packs.discovery import State
    from gsd_capabilities.packs.tools import Tool

    # The prefix of a scenario with the tools of a session, which scenario it speaks of, and what was asked.
    Build = Callable[[str, State, str, str], Built]


class Given(NamedTuple):
    """What one invocation was given.

    `build` makes a prefix, `tools` are those that can be made live and `toolbox` runs them. `clock` is in
    seconds of the epoch. `who` is the agent. `afford` is what a person says can be afforded, `max_tokens` how
    long an answer may be; None where nobody says so. `to` tells one model at one address from another.
    """

    project: Project
    provider: Provider
    build: Build
    tools: tuple[Tool, ...]
    toolbox: Toolbox
    clock: Callable[[], float]
    who: str = ""
    manager: bool = False
    afford: int | None = None
    max_tokens: int | None = None
    to: str = ""


class Agent:
    """A session. `scenario` is `asked` until it is downgraded, once, to one of reflex.

    `state` is that of its tools, `text` what it was asked.

    `calls` counts calls of the model, `used` those of tools.
    """

    __slots__ = (
        "asked",
        "calls",
        "downgraded",
        "given",
        "hint",
        "scenario",
        "session",
        "state",
        "stream",
        "text",
        "used",
    )

    def __init__(
        self, given: Given, session: str, scenario: str, state: State, hint: Hint, *, stream: bool = False
    ) -> None:
        self.given, self.session, self.scenario, self.asked = given, session, scenario, scenario
        self.state, self.hint, self.stream = state, hint, stream
        self.text = ""
        self.calls = self.used = 0
        self.downgraded = False

    @property
    def afford(self) -> int | None:
        """What can be afforded, as far as a person or the provider has said."""
        return least(self.given.afford, self.hint.known(self.given.clock()))

    def prepare(self) -> Packed:
        """The prefix for the next call. A downgrade holds for the rest of the session.

        Raises RejectedError.
        """
        packed = affordable(self._built, self.scenario, self.afford)
        self.downgraded = self.downgraded or packed.scenario != self.scenario
        self.scenario = packed.scenario
        return packed

    def _built(self, scenario: str) -> Packed:
        from gsd_capabilities.packs.discovery import evicted

        packed, without = self.given.build(scenario, self.state, self.asked, self.text)
        self.state = evicted(self.state, without)
        return packed
