"""Every rule of `gsd-install lint`; docs/lint.md is generated from this table.

A fault that loading a content root reports has the rule of its reason: `unknown_key` is `unknown-key`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from gsd_install.kernel.record import NamedTuple


class Rule(NamedTuple):
    """How bad a breach is, what it means, and what to do where a finding does not say it better."""

    level: Literal["error", "warning", "note"]
    meaning: str
    fix: str


KIB = 1024

# The most bytes that are still easily read at once: a workflow's body, a whole agent, a whole command.
SIZES: Mapping[str, int] = MappingProxyType({"workflow": 40 * KIB, "agent": 24 * KIB, "command": 2 * KIB})

# A section below this costs more to point at than to read.
SECTION_BYTES = 400

# The most that `description` may hold: https://agentskills.io/specification.
DESCRIPTION_CHARACTERS = 1024


def _error(meaning: str, fix: str) -> Rule:
    return Rule("error", meaning, fix)


def _warning(meaning: str, fix: str) -> Rule:
    return Rule("warning", meaning, fix)


_TREE = {
    "no-content-toml": _error(
        "the root says nothing about itself", "add a content.toml (docs/content.md shows its few lines)"
    ),
    "content-format": _error("content.toml is of a format nobody reads here", "write `format = 1`"),
    "bad-toml": _error("a TOML file does not parse", "correct the line that is named"),
    "bad-json": _error("mcp.json does not parse", "correct the line that is named"),
    "empty-content": _error(
        "the root holds no document", "put documents into commands/, workflows/, agents/"
    ),
    "stray-file": _error("a file is where no document can be", "move it to the folder of its kind"),
    "bundle": Rule(
        "note",
        "content that was not written for gsd-install leaves something open, and an install makes up for it",
        "docs/bundles.md says what becomes of it",
    ),
    "source-link": _error("a link could lead out of the root", "put a copy of the file there"),
    "source-device": _error("something is neither a file nor a folder", "remove it"),
    "source-name": _error("a name holds what not every system can store", "rename it"),
    "unreadable": _error("a file cannot be read", "check its permissions"),
    "encoding": _error("a text is not UTF-8", "save it as UTF-8"),
    "bad-name": _error("a file name cannot be an id", "use small letters, digits and single hyphens"),
    "bad-capability": _error(
        "a capability is left out of every install", "correct its capability.toml (docs/capabilities.md)"
    ),
    "no-skill-md": _error("a skill folder has no SKILL.md", "add it, or move the files"),
}
_NAMES = {
    "case-clash": _error("two paths differ in nothing but case", "rename one of the two"),
    "name-clash": _error("a skill has the name of a command", "rename one of the two"),
    "duplicate-name": _error("two hooks or MCP servers have one name", "rename one of the two"),
}
_FRONTMATTER = {
    "unclosed-frontmatter": _error("the block at the top is never closed", "add a line `---` below it"),
    "bad-frontmatter": _error(
        "a line is outside the subset of YAML that every host reads", "quote the value"
    ),
    "duplicate-key": _error("a key stands twice", "keep one of the two"),
    "unknown-key": _error("a key means nothing for its kind", "delete the line, or correct the key"),
    "bad-value": _error("a value is not one its key can have", "docs/content.md lists what a key may hold"),
    "no-description": _error("a host would have nothing to choose by", "add `description: ...` at the top"),
    "skill-name": _error("a skill's name is not its folder's", "delete the line: the folder names a skill"),
    "long-description": _warning(
        f"a description has more than {DESCRIPTION_CHARACTERS:,} characters", "say what it does and when"
    ),
    "listing-budget": _warning(
        "names and descriptions together are over what a runtime lists", "shorten the longest descriptions"
    ),
}
_PLACEHOLDERS = {
    "bad-placeholder": _error(
        "a placeholder is not closed or lacks its argument", "docs/content.md lists them"
    ),
    "unknown-placeholder": _error("nobody knows a placeholder", "write {{gsd: for a literal {gsd:"),
    "unknown-launcher": _error(
        "a text runs a launcher that nothing installs", "name one that an installed capability brings"
    ),
    "unresolved": _error("a reference leads to nothing", "name something that this content root holds"),
    "literal-region": _error(
        "a literal region does not open or close", "put both markers on lines of their own"
    ),
}
_SECTIONS = {
    "unclosed-section": _error("a section is never closed", "add `<!-- /gsd:section -->` where it ends"),
    "unmatched-close": _error("a marker closes no section", "delete the line, or open the section above it"),
    "nested-section": _error("a section starts inside another", "close the outer one first"),
    "duplicate-id": _error("two sections of a workflow have one id", "rename one of the two"),
    "missing-id": _error("a section has no id", 'write `id="..."`'),
    "missing-when": _error("a section does not say when it applies", 'write `when="..."`'),
    "malformed-id": _error(
        "an id cannot be the name of a step file", "use small letters, digits and hyphens"
    ),
    "unknown-when": _error("a condition is not in the vocabulary", "docs/atoms.md lists the vocabulary"),
    "malformed-attributes": _error(
        "a marker cannot be read", 'write `<!-- gsd:section id="..." when="..." -->`'
    ),
    "unrecognized-attribute": _error("a marker has an attribute nobody knows", "delete the attribute"),
    "close-with-attributes": _error("a closing marker holds more", "write `<!-- /gsd:section -->`"),
    "gated-agent": _error(
        "an agent has a section, and nobody computes facts for agents", "move it to a reference"
    ),
    "bad-hold": _error("a region that a budget heeds does not open or close", "pair its two markers"),
    "stray-marker": _error(
        "a marker stands in a document that is never composed, and a host would show it",
        "delete it; an example of one goes between ``` fences",
    ),
    "inline-marker": _error(
        "a marker shares its line with text, and only a whole line is one",
        "give it a line of its own; leave a branch that is woven through a line unmarked",
    ),
    "small-section": _warning(
        f"a section has fewer than {SECTION_BYTES} bytes: pointing at it costs as much as reading it",
        "delete its markers, or make it part of a section with the same condition",
    ),
    "idle-section": _warning(
        "a section holds no step, no command and no path: nothing depends on reading it",
        "say what to do there, or delete it",
    ),
}
_REACH = {
    "unreachable": _warning(
        "no command, agent, skill or rule leads to a text, so nothing installs it",
        "point at it with {gsd:path ...}, or delete it",
    ),
    "unnamed-agent": _warning(
        "no text names an agent, so nothing installs it", "dispatch it with {gsd:agent ...}, or delete it"
    ),
    "unread-step": _error(
        "a section becomes a step file that nobody reads: no command leads to its workflow, or no text "
        "names the option it waits for",
        "name the option in the command's argument-hint, or delete the section",
    ),
}
_CITATIONS = {
    "unknown-citation": _error("a cited predicate is not in CONTEXT.md", "cite one that is, or add it there"),
    "stale-citation": _error("a cited predicate has another value in CONTEXT.md", "cite it verbatim"),
}
_TEXT = {
    "hidden-unicode": _error(
        "a character is invisible or turns text around: what a person reviews is not what a model reads",
        "delete it",
    ),
    "at-sign": Rule(
        "note",
        "a word of a rule begins with an at-sign: some hosts include the file of that name",
        "put it in a code span, or alone on its line where a file shall be included",
    ),
    "large-workflow": _warning(
        f"a workflow's body has more than {SIZES['workflow'] // KIB} KiB", "move parts to references"
    ),
    "large-agent": _warning(
        f"an agent has more than {SIZES['agent'] // KIB} KiB", "move parts to references"
    ),
    "large-command": _warning(
        f"a command has more than {SIZES['command'] // KIB} KiB", "move its text to a workflow"
    ),
    "specific-body": Rule(
        "note",
        "this line makes a body specific to one runtime, so that each gets a copy of its own",
        "name commands and tools in plain words, as in 'the plan-phase command'",
    ),
}

RULES: Mapping[str, Rule] = MappingProxyType(
    {
        **_TREE,
        **_NAMES,
        **_FRONTMATTER,
        **_PLACEHOLDERS,
        **_SECTIONS,
        **_REACH,
        **_CITATIONS,
        **_TEXT,
    }
)

# The same rules by what they are about, as the documentation lists them.
FAMILIES: Mapping[str, Mapping[str, Rule]] = MappingProxyType(
    {
        "The tree": _TREE,
        "Names": _NAMES,
        "Frontmatter": _FRONTMATTER,
        "Placeholders": _PLACEHOLDERS,
        "Sections and markers": _SECTIONS,
        "Who reads it": _REACH,
        "Cited predicates": _CITATIONS,
        "Text and sizes": _TEXT,
    }
)
