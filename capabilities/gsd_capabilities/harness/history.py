"""What of a conversation goes along with a call: its latest turns, as many as fit.

A turn goes along whole or not at all, so that no call of a tool stands without its result, and an older one
never without the newer ones.
"""

from __future__ import annotations

from gsd_install.kernel.budget import BudgetError
from gsd_install.kernel.compose import compose
from gsd_install.kernel.fragment import drop
from gsd_install.kernel.measure import estimated
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gsd_capabilities.harness.provider import Message

    Turn = Sequence[Message]


def cost(messages: Sequence[Message]) -> int:
    """Tokens of messages, by the estimate."""
    return estimated().cost(_text(messages))


def packed(turns: Sequence[Turn], budget: int | None) -> tuple[Turn, ...]:
    """The latest turns that fit a budget of tokens; all of them where there is none."""
    if budget is None:
        return tuple(turns)
    if budget <= 0:
        return ()
    last = len(turns) - 1
    fragments = [
        drop(str(at), _text(turn), requires=(str(at + 1),) if at < last else (), priority=at)
        for at, turn in enumerate(turns)
        if turn
    ]
    try:
        made = compose(fragments, budget, estimated(), mode="optimise", separator="\n", note=None)
    except BudgetError:
        return ()
    gone = set(made.omitted)
    return tuple(turn for at, turn in enumerate(turns) if turn and str(at) not in gone)


def _text(messages: Sequence[Message]) -> str:
    import json

    rows = (
        (message.role, message.text, *(json.dumps(call, ensure_ascii=False) for call in message.calls))
        for message in messages
    )
    return "\n".join("\n".join(row) for row in rows)
