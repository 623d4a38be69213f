"""How hosts read what a hook answers: one table.

Where each form comes from: `specific` code.claude.com/docs/en/hooks; `specific-deny` the same without asking
the user, developers.openai.com/codex/hooks and the schemas in openai/codex codex-rs/hooks/schema; `decision`
geminicli.com/docs/hooks/reference; `permission` cursor.com/docs/agent/hooks; `permission-decision`
docs.github.com/en/copilot/reference/hooks-configuration; `code` docs.windsurf.com/windsurf/cascade/hooks.
`text` is what the others have in common: printed text is context where a session or a prompt begins, and exit
code 2 with words on standard error is a veto.
"""

from __future__ import annotations

from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    Kind = Literal["context", "notice", "ask", "deny"]
    Form = str | Mapping[str, object]

_STARTS = frozenset({"session-start", "prompt"})
_BEFORE, _AFTER = "pre-tool", "post-tool"


class Answer(NamedTuple):
    """What a hook has to say: text for the model, a word to the user, a question to the user, or a veto."""

    kind: Kind
    text: str


class Said(NamedTuple):
    """What is printed, or the words of a veto by exit code."""

    text: str = ""
    veto: str = ""


class Envelope(NamedTuple):
    """The forms of one kind of host; None where it has none.

    `context` are the events at which the model takes text in; at every other one there is none. `{event}` in
    a form is the host's name of the event, `{text}` what is said. Without `deny` or `reject` (of what a tool
    brought back) a veto is an exit code.
    """

    context: frozenset[str]
    add: Form
    notice: Form | None = None
    ask: Form | None = None
    deny: Form | None = None
    reject: Form | None = None


def _specific(**fields: str) -> Form:
    return {"hookSpecificOutput": {"hookEventName": "{event}", **fields}}


def _permission(decision: str) -> Form:
    return _specific(permissionDecision=decision, permissionDecisionReason="{text}")


_NOTICE: Form = {"systemMessage": "{text}"}
_BLOCK: Form = {"decision": "block", "reason": "{text}"}
_SPECIFIC = Envelope(
    _STARTS | {_BEFORE, _AFTER},
    add=_specific(additionalContext="{text}"),
    notice=_NOTICE,
    ask=_permission("ask"),
    deny=_permission("deny"),
    reject=_BLOCK,
)

ENVELOPES: Mapping[str, Envelope] = {
    "text": Envelope(_STARTS, add="{text}\n"),
    "code": Envelope(frozenset(), add=""),
    "specific": _SPECIFIC,
    "specific-deny": _SPECIFIC._replace(ask=None),
    "decision": Envelope(
        _STARTS | {_AFTER},
        add=_specific(additionalContext="{text}"),
        notice=_NOTICE,
        deny={"decision": "deny", "reason": "{text}"},
        reject={"decision": "deny", "reason": "{text}"},
    ),
    "permission": Envelope(
        frozenset({"session-start", _AFTER}),
        add={"additional_context": "{text}"},
        deny={"permission": "deny", "user_message": "{text}", "agent_message": "{text}"},
        reject={"additional_context": "{text}"},
    ),
    "permission-decision": Envelope(
        frozenset({"session-start", _AFTER}),
        add={"additionalContext": "{text}"},
        ask={"permissionDecision": "ask", "permissionDecisionReason": "{text}"},
        deny={"permissionDecision": "deny", "permissionDecisionReason": "{text}"},
        reject={"additionalContext": "{text}"},
    ),
}


def said(name: str, event: str, host_event: str, answer: Answer | None) -> Said:
    """An answer in the form `name` at `event` (ours; empty when unknown, and then nothing is said).

    Raises KeyError for a form that is not in the table.
    """
    envelope = ENVELOPES[name]
    if answer is None or not event:
        return Said()
    if answer.kind in ("ask", "deny"):
        return _veto(envelope, event, host_event, answer)
    if answer.kind == "notice":
        return _printed(envelope.notice, host_event, answer.text)
    return _printed(envelope.add if event in envelope.context else None, host_event, answer.text)


def _veto(envelope: Envelope, event: str, host_event: str, answer: Answer) -> Said:
    if event not in (_BEFORE, _AFTER):
        return Said()
    form = envelope.reject if event == _AFTER else envelope.deny
    if event == _BEFORE and answer.kind == "ask" and envelope.ask is not None:
        form = envelope.ask
    return Said(veto=answer.text) if form is None else _printed(form, host_event, answer.text)


def _printed(form: Form | None, event: str, text: str) -> Said:
    if form is None:
        return Said()
    if isinstance(form, str):
        return Said(form.replace("{text}", text))
    import json

    return Said(json.dumps(_filled(form, event, text), ensure_ascii=False) + "\n")


def _filled(form: object, event: str, text: str) -> object:
    if isinstance(form, dict):
        return {key: _filled(value, event, text) for key, value in form.items()}
    return {"{event}": event, "{text}": text}.get(str(form), form)
