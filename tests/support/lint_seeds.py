"""Defects for every rule of the linter, each with a twin that is right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from support.content import HEAD

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

TREE = (
    Seed("no-content-toml", one("content.toml", None), ("content.toml:1",), {}),
    Seed("content-format", one("content.toml", HEAD.replace("1", "9", 1)), ("content.toml:1",), {}),
    Seed("bad-toml", one("content.toml", HEAD + "x = [\n"), ("content.toml:7",), {}),
    Seed(
        "bad-json",
        one("mcp.json", '{\n"mcpServers": {,}}'),
        ("mcp.json:2",),
        one("mcp.json", '{"mcpServers": {}}'),
    ),
    Seed("empty-content", dict.fromkeys(BASE), ("content.toml:1",), {}),
    Seed("stray-file", one("agents/deep/one.md", "x"), ("agents/deep/one.md:1",), one("README.md", "x")),
    Seed(
        "encoding",
        one("rules/loop.md", b"one\ntwo \xff\n"),
        ("rules/loop.md:2",),
        one("rules/loop.md", "one\ntwo \u00ff\n"),
    ),
    Seed("bad-name", one("rules/Loop_2.md", "x\n"), ("rules/Loop_2.md:1",), one("rules/loop-2.md", "x\n")),
    Seed("no-skill-md", one("skills/dirty/x.py", "x"), ("skills/dirty:1",), one("skills/tidy/x.py", "x")),
)
NAMES = (
    Seed(
        "case-clash",
        {"templates/Plan.md": "x\n", "skills/tidy/b/x": "", "skills/tidy/B/y": ""},
        ("skills/tidy/b/x:1", "templates/plan.md:1"),
        {"skills/tidy/b/x": "", "skills/tidy/b/y": ""},
    ),
    Seed(
        "name-clash",
        one("skills/plan/SKILL.md", "---\ndescription: x\n---\n"),
        ("skills/plan/SKILL.md:1",),
        one("skills/plans/SKILL.md", "---\ndescription: x\n---\n"),
    ),
    Seed(
        "duplicate-name",
        {
            "hooks/hooks.toml": HOOKS + HOOKS.replace('"a"', '"A"'),
            "hooks/a.py": "",
            "mcp.json": SERVER + '"a": {"command": "y"}}}',
        },
        ("hooks/hooks.toml:6", "mcp.json:3"),
        {
            "hooks/hooks.toml": HOOKS + HOOKS.replace('"a"', '"b"'),
            "hooks/a.py": "",
            "mcp.json": SERVER + '"b": {"command": "y"}}}',
        },
    ),
)
FRONTMATTER = (
    Seed("unclosed-frontmatter", one("rules/loop.md", "---\ntitle: x\n"), ("rules/loop.md:1",), {}),
    Seed(
        "bad-frontmatter",
        command("title: a: b\ndescription: Plans\nargument-hint:[x]\n"),
        ("commands/plan.md:2", "commands/plan.md:4"),
        command('title: "a: b"\ndescription: Plans\nargument-hint: "[x]"\n'),
    ),
    Seed(
        "duplicate-key",
        command("description: a\ndescription: b\n"),
        ("commands/plan.md:3",),
        command("description: a\n"),
    ),
    Seed(
        "unknown-key",
        command("titel: x\ndescription: a\naccess: read\n"),
        ("commands/plan.md:2", "commands/plan.md:4"),
        command("title: x\ndescription: a\n"),
    ),
    Seed(
        "bad-value",
        command("tier: high\ndescription: a\ntools:\n  - fly\ntitle: 7\n"),
        ("commands/plan.md:2", "commands/plan.md:4", "commands/plan.md:6"),
        command("tier: full\ndescription: a\ntools:\n  - read\ntitle: '7'\n"),
    ),
    Seed(
        "no-description",
        {**command("title: x\n"), "agents/planner.md": "You plan.\n"},
        ("agents/planner.md:1", "commands/plan.md:1"),
        command("title: x\ndescription: a\n"),
    ),
    Seed(
        "skill-name",
        one("skills/tidy/SKILL.md", "---\ndescription: x\nname: Tidy\n---\n"),
        ("skills/tidy/SKILL.md:3",),
        one("skills/tidy/SKILL.md", "---\ndescription: x\nname: tidy\n---\n"),
    ),
    Seed(
        "long-description",
        command(f"title: x\ndescription: {'x' * 1025}\n"),
        ("commands/plan.md:3",),
        command(f"title: x\ndescription: {'x' * 1024}\n"),
    ),
)
PLACEHOLDERS = (
    Seed(
        "bad-placeholder",
        workflow("{gsd:path}\n{gsd:agent planner"),
        ("workflows/plan.md:3", "workflows/plan.md:4"),
        workflow("{{gsd:path}\n{gsd:agent planner}"),
    ),
    Seed(
        "unknown-placeholder",
        workflow("{gsd:agent planner} {gsd:pat x} {gsd:path references/scope.md}"),
        ("workflows/plan.md:3",),
        workflow("{gsd:agent planner} {{gsd:pat x}"),
    ),
    Seed(
        "unresolved",
        {
            **workflow(
                "{gsd:path references/a.md} {gsd:agent b} {gsd:path templates/plan.md}\n{gsd:agent b}"
            ),
            **command("description: x\nrequires: [nobody, neither]\n"),
            "content.toml": HEAD + 'start = "pln"\n',
        },
        (
            "commands/plan.md:3",
            "commands/plan.md:3",
            "content.toml:7",
            "workflows/plan.md:3",
            "workflows/plan.md:3",
            "workflows/plan.md:4",
        ),
        {**command("description: x\nrequires: [plan]\n"), "content.toml": HEAD + 'start = "plan"\n'},
    ),
    Seed(
        "literal-region",
        workflow("<!-- gsd:literal -->\n{gsd:x}"),
        ("workflows/plan.md:3",),
        workflow("<!-- gsd:literal -->\n{gsd:x}\n<!-- /gsd:literal -->"),
    ),
)

SECTIONS = (
    Seed(
        "unclosed-section",
        section('<!-- gsd:section id="a" when="always" -->', tail=""),
        ("workflows/plan.md:3",),
        section('<!-- gsd:section id="a" when="always" -->'),
    ),
    Seed("unmatched-close", workflow("x\n<!-- /gsd:section -->"), ("workflows/plan.md:4",), workflow("x")),
    Seed(
        "nested-section",
        section(
            '<!-- gsd:section id="a" when="always" -->',
            f'<!-- gsd:section id="b" when="always" -->\n{STEPS}<!-- /gsd:section -->\n{STEPS}',
        ),
        ("workflows/plan.md:4",),
        section(
            '<!-- gsd:section id="a" when="always" -->',
            f'{STEPS}<!-- /gsd:section -->\n<!-- gsd:section id="b" when="always" -->\n{STEPS}',
        ),
    ),
    Seed(
        "duplicate-id",
        section(
            '<!-- gsd:section id="a" when="always" -->',
            f'{STEPS}<!-- /gsd:section -->\n<!-- gsd:section id="a" when="always" -->\n{STEPS}',
        ),
        ("workflows/plan.md:16",),
        GOOD,
    ),
    Seed("missing-id", marked('when="always"'), ("workflows/plan.md:3",), GOOD),
    Seed("missing-when", marked('id="a"'), ("workflows/plan.md:3",), GOOD),
    Seed("malformed-id", marked('id="A b" when="always"'), ("workflows/plan.md:3",), GOOD),
    Seed("unknown-when", marked('id="a" when="flag:--full"'), ("workflows/plan.md:3",), GOOD),
    Seed("malformed-attributes", marked('id=a when="always"'), ("workflows/plan.md:3",), GOOD),
    Seed("unrecognized-attribute", marked('id="a" when="always" if="b"'), ("workflows/plan.md:3",), GOOD),
    Seed(
        "close-with-attributes",
        section('<!-- gsd:section id="a" when="always" -->', tail='<!-- /gsd:section id="a" -->'),
        ("workflows/plan.md:15",),
        GOOD,
    ),
    Seed(
        "gated-agent",
        one(
            "agents/planner.md",
            "---\ndescription: Makes plans\n---\n"
            f'<!-- gsd:section id="a" when="always" -->\n{STEPS}<!-- /gsd:section -->\n'
            f'<!-- gsd:section id="b" when="always" -->\n{STEPS}<!-- /gsd:section -->\n',
        ),
        ("agents/planner.md:17", "agents/planner.md:4"),
        one(
            "agents/planner.md",
            f"---\ndescription: Makes plans\n---\n<!-- gsd:keep -->\n{STEPS}<!-- /gsd:keep -->\n",
        ),
    ),
    Seed(
        "bad-hold",
        workflow(
            "<!-- gsd:keep -->\na\n<!-- gsd:drop -->\nb\n<!-- /gsd:drop -->\n<!-- /gsd:keep -->\n"
            "<!-- gsd:isolate -->"
        ),
        ("workflows/plan.md:5", "workflows/plan.md:9"),
        workflow("<!-- gsd:keep -->\na\n<!-- /gsd:keep -->"),
    ),
    Seed(
        "stray-marker",
        {
            "references/scope.md": (
                "{gsd:path templates/plan.md}\n\n<!-- gsd:section -->\n\n<!-- /gsd:keep -->\n"
            ),
            "skills/tidy/SKILL.md": "---\ndescription: x\n---\n<!-- gsd:drop -->\n",
        },
        ("references/scope.md:3", "references/scope.md:5", "skills/tidy/SKILL.md:4"),
        one(
            "references/scope.md",
            "{gsd:path templates/plan.md}\n```\n<!-- gsd:section -->\n```\n"
            "<!-- gsd:literal -->\n<!-- gsd:keep -->\n<!-- /gsd:literal -->\n<!-- gsd:other -->\n",
        ),
    ),
    Seed(
        "small-section",
        section('<!-- gsd:section id="a" when="always" -->', "1. Read this.\n"),
        ("workflows/plan.md:3",),
        GOOD,
    ),
    Seed(
        "idle-section",
        section('<!-- gsd:section id="a" when="always" -->', "All is well, and will be. " * 20 + "\n"),
        ("workflows/plan.md:3",),
        section('<!-- gsd:section id="a" when="always" -->', "All is well in `docs/a.md`. " * 20 + "\n"),
    ),
)
REACH = (
    Seed(
        "unreachable",
        {
            "references/a.md": "{gsd:path references/b.md}\n",
            "references/b.md": "{gsd:path references/a.md}\n",
        },
        ("references/a.md:1", "references/b.md:1"),
        {
            "references/a.md": "{gsd:path references/b.md}\n",
            "references/b.md": "x\n",
            "rules/loop.md": "{gsd:path references/a.md}\n",
        },
    ),
    Seed(
        "unnamed-agent",
        one("agents/spare.md", "---\ndescription: x\n---\n"),
        ("agents/spare.md:1",),
        {
            "agents/spare.md": "---\ndescription: x\n---\n",
            "rules/loop.md": "Ask {gsd:agent spare}.\n",
        },
    ),
    Seed(
        "unread-step",
        {
            **section('<!-- gsd:section id="a" when="flag:--wave" -->', f"With --wave:\n{STEPS}"),
            "rules/loop.md": "Not --waves, nor --wave-a.\n",
        },
        ("workflows/plan.md:3",),
        {**marked('id="a" when="flag:--wave"'), "rules/loop.md": "Say `--wave 2`.\n"},
    ),
)
CITATIONS = (
    Seed(
        "unknown-citation",
        {
            **workflow("See `LOOP.steps=plan, execute`.\n\nSee `LOOP.step=plan, execute`."),
            "CONTEXT.md": f"{FACTS}```\n`LOOP.step=plan, execute`\n```\n> `LOOP.step=plan, execute`\n",
        },
        ("workflows/plan.md:5",),
        {**workflow("See `LOOP.step=plan, execute`."), "CONTEXT.md": f"{FACTS}\n`LOOP.step=plan, execute`\n"},
    ),
    Seed(
        "stale-citation",
        {
            "agents/planner.md": "---\ndescription: x\n---\n`LOOP.steps=plan` and `lower=x` and ``A=b``\n",
            "CONTEXT.md": FACTS,
        },
        ("agents/planner.md:4",),
        {
            "agents/planner.md": "---\ndescription: x\n---\n`LOOP.steps=plan, execute` and `lower=x`\n",
            "CONTEXT.md": FACTS,
        },
    ),
)
TEXT = (
    Seed(
        "hidden-unicode",
        {
            "rules/loop.md": "\ufeffone\nadmin\u202e if\nzero\u200bwidth\n\U000e0041\U000e0042\nback\ufeff\n",
            "skills/tidy/tidy.py": "a = '\u2066x\u2069'\n",
        },
        (
            "rules/loop.md:2",
            "rules/loop.md:3",
            "rules/loop.md:4",
            "rules/loop.md:5",
            "skills/tidy/tidy.py:1",
        ),
        {
            "rules/loop.md": (
                "\ufeffone \U0001f468\u200d\U0001f4bb and \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 "
                "\u2764\ufe0f\u200d\U0001f525\n"
            )
        },
    ),
    Seed(
        "large-workflow",
        workflow(BIG * 1000),
        ("workflows/plan.md:1",),
        {"workflows/plan.md": BIG * 900 + "{gsd:agent planner}{gsd:path references/scope.md}"},
    ),
    Seed(
        "large-agent",
        one("agents/planner.md", "---\ndescription: x\n---\n" + BIG * 600),
        ("agents/planner.md:1",),
        one("agents/planner.md", "---\ndescription: x\n---\n" + BIG * 500),
    ),
    Seed(
        "large-command",
        one(
            "commands/plan.md",
            "---\ndescription: x\n---\n{gsd:path workflows/plan.md} --research\n" + BIG * 50,
        ),
        ("commands/plan.md:1",),
        one(
            "commands/plan.md",
            "---\ndescription: x\n---\n{gsd:path workflows/plan.md} --research\n" + BIG * 40,
        ),
    ),
    Seed(
        "specific-body",
        {
            **workflow("Type {gsd:command plan}.\n\n{gsd:args}"),
            "references/scope.md": (
                "{gsd:path templates/plan.md}\n{gsd:path workflows/plan.md}\n{gsd:path skills/tidy/tidy.py}\n"
            ),
        },
        (
            "references/scope.md:2",
            "references/scope.md:3",
            "workflows/plan.md:1",
            "workflows/plan.md:3",
            "workflows/plan.md:5",
        ),
        workflow("Type the plan command of {gsd:agent planner}."),
    ),
)
SEEDS = (*TREE, *NAMES, *FRONTMATTER, *PLACEHOLDERS, *SECTIONS, *REACH, *CITATIONS, *TEXT)
