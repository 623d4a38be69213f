"""Gates at loop points: queries are run here, in this process; the rest is for an agent to judge."""

from __future__ import annotations

from gsd_capabilities.companion.request import Faulty, Printed
from gsd_install.kernel.errors import FAILED, GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gsd_capabilities.companion.features import Hook
    from gsd_capabilities.companion.request import Request

PASSED, FAILS, ERROR, TO_JUDGE, ADVISORY = "passed", "failed", "error", "to judge", "advisory"


class Judged(NamedTuple):
    """A gate and what came of it: `why` is the reason, the predicate to judge by, or the agent to ask."""

    capability: str
    id: str
    result: str
    why: str
    blocking: bool
    on_error: str
    message: str


def judge(hook: Hook, phase: str, request: Request) -> Judged:
    """What comes of a gate as things stand."""
    row = hook.table
    if "query" in row:
        result, why = _asked(row["query"], phase, request)
    elif "predicate" in row:
        result, why = _quoted(row["predicate"], hook)
    else:
        result, why = ADVISORY, row["agent"]
    return Judged(
        hook.capability.id, row["id"], result, why, row["blocking"], row["on_error"], row["message"]
    )


def require(point: str, judged: Sequence[Judged]) -> None:
    """Raise GsdError `gate_blocked` or `gate_error` when a gate does not let the loop go on."""
    stopping = [gate for gate in judged if stops(gate)]
    if not stopping:
        return
    said = "; ".join(f"{gate.capability}/{gate.id} {_verb(gate)}: {gate.why}" for gate in stopping)
    errors = all(gate.result == ERROR for gate in stopping)
    raise GsdError(
        f"the loop stops at {point}: {said}",
        reason="gate_error" if errors else "gate_blocked",
        hint="; ".join(dict.fromkeys(gate.message for gate in stopping)),
    )


def stops(gate: Judged) -> bool:
    """Whether the loop may not go on as things stand."""
    if gate.result == ERROR:
        return gate.blocking or gate.on_error == "halt"
    return gate.blocking and gate.result == FAILS


def warning(gate: Judged) -> str:
    """What to tell about a gate that does not hold and stops nothing; empty where there is nothing to."""
    if gate.result not in (FAILS, ERROR) or stops(gate):
        return ""
    return f"{gate.capability}/{gate.id} {_verb(gate)}: {gate.why} ({gate.message})"


def line(gate: Judged) -> str:
    """A gate as one item of a Markdown list."""
    name = f"- {gate.id} ({gate.capability})"
    if gate.result == PASSED:
        return f"{name}: passed."
    if gate.result == ADVISORY:
        return f"{name}: ask the agent {gate.why}, whose verdict is advice. Unless it agrees: {gate.message}."
    if gate.result == TO_JUDGE:
        return f"{name}: judge by `{gate.why}`. If it does not hold, say so and go on: {gate.message}."
    end = "this must hold before you go on" if stops(gate) else "go on, and tell the person"
    return f"{name}: {gate.result}: {gate.why}. {end[0].upper()}{end[1:]}: {gate.message}."


def _verb(gate: Judged) -> str:
    return "cannot be judged" if gate.result == ERROR else "does not hold"


def _asked(query: str, phase: str, request: Request) -> tuple[str, str]:
    """The result of a query, and why it is so."""
    from gsd_capabilities.companion import main

    words = query.split()
    if "{phase}" in query and not phase:
        return ERROR, "no phase is named, and STATE.md names none"
    if words[0] == "loop":
        return ERROR, "a gate cannot ask for the loop"
    try:
        answer = main.ask([word.replace("{phase}", phase) for word in words], request)
    except GsdError as error:
        return (FAILS if error.exit_code == FAILED else ERROR), str(error)
    except Exception as error:  # noqa: BLE001 - whatever goes wrong in a check, the gate is what has to say so
        return ERROR, f"{type(error).__name__}: {error}"
    held = bool(answer.data) if isinstance(answer, Printed) else bool(answer)
    if isinstance(answer, Faulty) or not held:
        return FAILS, f"`gsd-tools {query.replace('{phase}', phase)}` says no"
    return PASSED, ""


def _quoted(predicate: str, hook: Hook) -> tuple[str, str]:
    """The predicate word for word, from the conventions of the content that the capability belongs to."""
    from gsd_capabilities.predicates import sources
    from gsd_install.kernel.predicates import read

    path = hook.capability.content.context
    stated = read(sources.text(path)).predicates if path else ()
    found = next((item for item in stated if item.id == predicate), None)
    if found is None:
        return ERROR, f"there is no predicate {predicate}"
    return TO_JUDGE, f"{found.id}={found.value}"
