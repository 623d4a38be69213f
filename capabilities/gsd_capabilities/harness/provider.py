"""The port to a model: what is sent, what comes back, and how it refuses."""

from __future__ import annotations

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Protocol

    from gsd_capabilities.packs.tools import Tool

    class Provider(Protocol):
        """A model somewhere."""

        def send(
            self,
            system: str,
            messages: Sequence[Message],
            tools: Sequence[Tool],
            max_tokens: int | None,
            *,
            stream: bool,
        ) -> Reply:
            """One call. Raises PaymentError for HTTP 402, GsdError `provider_failed` for anything else."""


# Reasons of errors that are no fault of what was asked: it can be asked again later.
NOT_NOW = frozenset({"provider_failed", "payment_required", "locked"})


class Call(NamedTuple):
    """A tool that the model wants used. `problem` says why its arguments cannot be read."""

    id: str
    name: str
    arguments: Mapping[str, Any]
    problem: str = ""


class Message(NamedTuple):
    """One message: of the `user`, the `assistant` (with calls), or of a `tool` (what `call` came to)."""

    role: str
    text: str
    calls: tuple[Call, ...] = ()
    call: str = ""
    name: str = ""


class Reply(NamedTuple):
    """What a model answered. `prompt` and `output` are tokens as it counted them, where it says so.

    `ended` is why it ended before it was done, as the provider says it; empty where it was done.
    """

    text: str
    calls: tuple[Call, ...] = ()
    prompt: int | None = None
    output: int | None = None
    ended: str = ""


class PaymentError(GsdError):
    """The provider wants more than there is; `body` is what it said."""

    def __init__(self, body: str) -> None:
        super().__init__(
            "the provider refuses the call: it costs more than can be paid (402)",
            reason="payment_required",
            hint="add credit at the provider, or name what can be afforded: --afford TOKENS",
        )
        self.body = body
