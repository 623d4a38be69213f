"""Which documents are composed, and which are emitted as they were written."""

from __future__ import annotations

from gsd_install.kernel.errors import GsdError

COMPOSED = frozenset({"workflow", "agent"})
VERBATIM = frozenset({"command", "skill", "reference", "template", "rule"})


def should_compose(kind: str) -> bool:
    """Whether the section markers in a document of this kind are markers.

    Workflows are composed, and so are the bodies of agents, so that no marker reaches a host. Everything
    else is verbatim: a reference may explain the marker with an example that stands in no fence, and
    composing it would drop those lines. This is the only place that decides it; whoever emits or serves
    documents asks here. Raises GsdError (`unknown_kind`) for a kind nobody has decided about.
    """
    if kind not in COMPOSED | VERBATIM:
        hint = f"the kinds are {', '.join(sorted(COMPOSED | VERBATIM))}"
        raise GsdError(f"there is no document kind {kind!r}", reason="unknown_kind", hint=hint)
    return kind in COMPOSED
