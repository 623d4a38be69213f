"""The closed vocabulary of `when=`: what each atom means, and the fact it reads.

An atom is one word. There are no operators, no negation and no nesting: a condition that several
things make true is folded into one boolean where the facts are computed. The vocabulary grows by a
recorded decision only (docs/atoms.md): a new atom needs a section of at least 400 bytes that depends on
it, and a fact that code computes at a real entry point. Source: ADR-1671 and its amendments.
"""

from __future__ import annotations

from types import MappingProxyType

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import NoReturn


class Facts(NamedTuple):
    """What is true of one invocation. A fact that nobody computed is false."""

    flags: frozenset[str] = frozenset()
    """Options passed or implied (`--full` implies others), with their dashes: `--research`."""
    auto_advance: bool = False
    """`--auto` was passed, or the configuration advances by itself to the next step."""
    chunked: bool = False
    """`--chunked` was passed, or the configuration plans in chunks."""
    codebase_map_needed: bool = False
    """There is code already, and no map of it."""
    convergence: bool = False
    """`--converge` or `--cross-ai` was passed."""
    fallow_enabled: bool = False
    """The configuration turns on the dead-code analysis before a code review."""
    gap_closure_phase: bool = False
    """The phase number has a decimal part."""
    git_tags: bool = False
    """The configuration lets milestones create a tag."""
    monorepo: bool = False
    """The project has a workspace layout."""
    mvp_phase: bool = False
    """The mode of the phase is `mvp`."""
    next_channel: bool = False
    """`--next` or `--rc` was passed."""
    prior_phases: bool = False
    """A phase comes before this one."""
    reviewer_instances: bool = False
    """The configuration lists several instances of one reviewer."""
    ui_phase: bool = False
    """A user-interface capability takes part in planning, or there is a specification of one."""
    workstream: bool = False
    """A workstream is active."""
    worktrees: bool = False
    """The configuration lets agents work in git worktrees."""


class Atom(NamedTuple):
    """One word of the vocabulary.

    `fact` names the field of `Facts` it reads (none for `always`), `meaning` completes "when ...", and
    `test` decides.
    """

    fact: str | None
    meaning: str
    test: Callable[[Facts], bool]


def _flag(option: str) -> Atom:
    return Atom("flags", f"`{option}` was passed", lambda facts: option in facts.flags)


ATOMS: Mapping[str, Atom] = MappingProxyType(
    {
        "always": Atom(None, "this workflow runs", lambda _: True),
        "flag:--auto": _flag("--auto"),
        "flag:--discuss": _flag("--discuss"),
        "flag:--fix": _flag("--fix"),
        "flag:--forensic": _flag("--forensic"),
        "flag:--ingest": _flag("--ingest"),
        "flag:--prd": _flag("--prd"),
        "flag:--research": _flag("--research"),
        "flag:--research-phase": _flag("--research-phase"),
        "flag:--reset-phase-numbers": _flag("--reset-phase-numbers"),
        "flag:--reviews": _flag("--reviews"),
        "flag:--validate": _flag("--validate"),
        "flag:--wave": _flag("--wave"),
        "state:auto-advance-active": Atom(
            "auto_advance",
            "`--auto` was passed or the configuration advances to the next step by itself",
            lambda facts: facts.auto_advance,
        ),
        "state:chunked-mode": Atom(
            "chunked",
            "`--chunked` was passed or the configuration asks for plans in chunks",
            lambda facts: facts.chunked,
        ),
        "state:fallow-enabled": Atom(
            "fallow_enabled",
            "the configuration turns on the dead-code analysis before a code review",
            lambda facts: facts.fallow_enabled,
        ),
        "state:flat-mode": Atom("workstream", "no workstream is active", lambda facts: not facts.workstream),
        "state:gap-closure-phase": Atom(
            "gap_closure_phase",
            "the phase number has a decimal part",
            lambda facts: facts.gap_closure_phase,
        ),
        "state:git-create-tag": Atom(
            "git_tags", "the configuration lets milestones create a git tag", lambda facts: facts.git_tags
        ),
        "state:has-prior-phases": Atom(
            "prior_phases", "the project has an earlier phase", lambda facts: facts.prior_phases
        ),
        "state:is-monorepo": Atom(
            "monorepo", "the project has a workspace layout", lambda facts: facts.monorepo
        ),
        "state:needs-codebase-map": Atom(
            "codebase_map_needed",
            "the project has code but no map of it yet",
            lambda facts: facts.codebase_map_needed,
        ),
        "state:next-channel": Atom(
            "next_channel", "`--next` or `--rc` was passed", lambda facts: facts.next_channel
        ),
        "state:phase-mvp-mode": Atom(
            "mvp_phase", "the mode of the phase is `mvp`", lambda facts: facts.mvp_phase
        ),
        "state:plan-strategy-converge": Atom(
            "convergence", "`--converge` or `--cross-ai` was passed", lambda facts: facts.convergence
        ),
        "state:reviewer-instances-configured": Atom(
            "reviewer_instances",
            "the configuration lists several instances of one reviewer",
            lambda facts: facts.reviewer_instances,
        ),
        "state:ui-phase-active": Atom(
            "ui_phase",
            "a user-interface capability takes part in planning or a user-interface specification exists",
            lambda facts: facts.ui_phase,
        ),
        "state:workstream-active": Atom(
            "workstream", "a workstream is active", lambda facts: facts.workstream
        ),
        "state:worktrees-enabled": Atom(
            "worktrees", "the configuration lets agents work in git worktrees", lambda facts: facts.worktrees
        ),
    }
)

REFUSED: Mapping[str, str] = MappingProxyType(
    {
        "flag:--full": (
            "it only stands for `--discuss`, `--research` and `--validate`, which are set when it is passed; "
            "gate on the one the section is about"
        ),
        "flag:--verify-only": (
            "what it changes lies in several places of one workflow that cannot be cut out as a section, so "
            "an atom for it would have no honest consumer"
        ),
        "flag:--converge": (
            "`--cross-ai` asks for the same thing; gate on `state:plan-strategy-converge`, which is true for "
            "either"
        ),
        "state:runtime-evidence-eligible": (
            "it is reserved for a policy with three values that no code computes yet, and no section needs it"
        ),
    }
)


def applies(when: str, facts: Facts) -> bool:
    """Whether a section with this `when` belongs to an invocation of which `facts` are true."""
    return atom(when).test(facts)


def atom(when: str, *, file: str | None = None, line: int | None = None) -> Atom:
    """The atom called `when`; a word that is refused or not in the vocabulary is GsdError `unknown_when`."""
    return ATOMS.get(when) or _unknown(when, file, line)


def _unknown(when: str, file: str | None, line: int | None) -> NoReturn:
    import difflib

    close = difflib.get_close_matches(when, ATOMS, n=1)
    if why := REFUSED.get(when):
        message, hint = f"when={when!r} is refused: {why}", "docs/atoms.md lists what may stand there"
    else:
        message = f"when={when!r} is not in the vocabulary"
        hint = f"did you mean {close[0]!r}?" if close else "docs/atoms.md lists the vocabulary"
    raise GsdError(message, reason="unknown_when", file=file, line=line, hint=hint)
