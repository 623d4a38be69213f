"""A content root without a finding, and how to write a defect into it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

STEPS = "".join(f"{number}. Read `docs/part-{number}.md` and say what is in it.\n" for number in range(1, 12))

# A root without a finding; line numbers of seeds count from these texts.
BASE: Mapping[str, str | bytes] = {
    "commands/plan.md": (
        "---\ndescription: Plans a phase\nargument-hint: <phase> [--research]\n---\n"
        "Read {gsd:path workflows/plan.md}\n"
    ),
    "workflows/plan.md": (
        "# Plan\n\nAsk {gsd:agent planner}; see {gsd:path references/scope.md}.\n\n"
        f'<!-- gsd:section id="research" when="flag:--research" -->\n{STEPS}<!-- /gsd:section -->\n'
    ),
    "agents/planner.md": "---\ndescription: Makes plans\n---\nYou plan.\n",
    "skills/tidy/SKILL.md": "---\ndescription: Tidies up\n---\nTidy {gsd:path skills/tidy/tidy.py}\n",
    "skills/tidy/tidy.py": "print('tidy')\n",
    "references/scope.md": "What belongs to the scope: {gsd:path templates/plan.md}\n",
    "templates/plan.md": "# Plan of ...\n",
    "rules/loop.md": "Keep to the plan.\n",
}


class Seed(NamedTuple):
    """`files` replace or add files of BASE (None takes one away), `right` does the same without the defect.

    `found` are all findings as `path:line`; every one is of `rule`.
    """

    rule: str
    files: Mapping[str, str | bytes | None]
    found: tuple[str, ...]
    right: Mapping[str, str | bytes | None]


def section(
    head: str, text: str = STEPS, tail: str = "<!-- /gsd:section -->"
) -> dict[str, str | bytes | None]:
    """A workflow with one section, which starts at line 3."""
    return workflow(f"{head}\n{text}{tail}")


def marked(attributes: str) -> dict[str, str | bytes | None]:
    """A workflow whose section has these attributes."""
    return section(f"<!-- gsd:section {attributes} -->")


def workflow(text: str) -> dict[str, str | bytes | None]:
    """A workflow with this text from line 3 on."""
    return {"workflows/plan.md": f"{{gsd:agent planner}} {{gsd:path references/scope.md}}\n\n{text}\n"}


def command(fields: str) -> dict[str, str | bytes | None]:
    """A command with these fields from line 2 on."""
    return {"commands/plan.md": f"---\n{fields}---\nRead {{gsd:path workflows/plan.md}} --research\n"}


def one(path: str, text: str | bytes | None) -> dict[str, str | bytes | None]:
    """One file."""
    return {path: text}


GOOD = marked('id="research" when="flag:--research"')
BIG = "All work and no play makes a text too long.\n"
HOOKS = '[[hook]]\nid = "a"\nevent = "session-start"\nscript = "a.py"\n'
SERVER = '{"mcpServers": {\n"a": {"command": "x"},\n'
FACTS = "Facts:\n\n- `LOOP.steps=plan, execute`\n"
