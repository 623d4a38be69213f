"""The demands on atoms, by their ids in tests/requirements.toml."""

from __future__ import annotations


def demand(atom: str) -> str:
    """The id of the row about an atom: `flag:--auto` has `ADR1671-atom-flag-auto`."""
    return "ADR1671-atom-" + atom.replace(":--", "-").replace(":", "-")
