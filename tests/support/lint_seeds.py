"""Defects for every rule of the linter, each with a twin that is right."""

from __future__ import annotations

from support.lint_faults import FAULTS
from support.linting import BIG, FACTS, GOOD, STEPS, Seed, marked, one, section, workflow

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
        "inline-marker",
        {
            **workflow('Go <!-- gsd:section id="a" when="flag:--wave" --> on <!-- /gsd:section -->.\n'),
            "agents/planner.md": (
                f"---\ndescription: Makes plans\n---\n- <!-- gsd:keep -->\n{STEPS}<!-- /gsd:keep --> x\n"
            ),
        },
        ("workflows/plan.md:3", "agents/planner.md:4", "agents/planner.md:16"),
        workflow(
            "Write `<!-- gsd:keep -->` and ``a ` <!-- gsd:drop -->``.\n```\nx <!-- gsd:section -->\n```\n"
            "<!-- about\nx <!-- gsd:keep -->\n<!-- gsd:literal -->\nx <!-- gsd:keep -->\n"
            "<!-- /gsd:literal -->\nx <!-- gsd:other -->"
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
        "at-sign",
        {
            "rules/loop.md": (
                "Install @acme/core, mail ann@ex.test.\nSee @docs/flow.md: it has the steps.\n"
                "```\n@fence\n```\nIn `@span` and ``a ` @b`` nothing.\n@docs/alone.md:\n"
            )
        },
        ("rules/loop.md:1", "rules/loop.md:2", "rules/loop.md:7"),
        {"rules/loop.md": "Install `@acme/core`, mail ann@ex.test.\n\n@docs/flow.md\n"},
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
SEEDS = (*FAULTS, *SECTIONS, *REACH, *CITATIONS, *TEXT)
