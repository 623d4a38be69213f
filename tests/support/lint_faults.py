"""Defects that loading a content root reports too, each with a twin that is right."""

from __future__ import annotations

from support.content import HEAD
from support.linting import BASE, HOOKS, SERVER, Seed, command, one, workflow

TREE = (
    Seed("no-content-toml", one("content.toml", None), ("content.toml:1",), {}),
    Seed(
        "bundle",
        {"content.toml": None, ".claude-plugin/plugin.json": '{"name": "a"}', "commands/plan.md": "Plan.\n"},
        ("commands/plan.md:1",),
        {"content.toml": None, ".claude-plugin/plugin.json": '{"name": "a"}'},
    ),
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

FAULTS = (*TREE, *NAMES, *FRONTMATTER, *PLACEHOLDERS)
