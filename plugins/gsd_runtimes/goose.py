"""Goose."""

from __future__ import annotations

from gsd_install.runtime import (
    Cap,
    Entry,
    Home,
    Place,
    Runtime,
    Source,
    Surface,
    agent_skills,
    hookimpl,
    instructions,
    markdown,
    skill,
)

SKILLS = Source("npm skills 1.7.4: docs/agents.md")
AGENTS = Source("dyoshikawa/rulesync cfebcd75: src/features/subagents/goose-subagent.ts", date="2026-08-18")
HOOKS = Source("dyoshikawa/rulesync cfebcd75: src/features/hooks/goose-hooks.ts", date="2026-08-18")
MCP = Source("dyoshikawa/rulesync cfebcd75: src/features/mcp/goose-mcp.ts", date="2026-08-18")
RULES = Source("dyoshikawa/rulesync cfebcd75: src/features/rules/goose-rule.ts", date="2026-08-18")

HOOK = Entry(("hooks", "{event}", "-"), {"hooks": [{"type": "command", "command": "{command}"}]})
EXTENSION = Entry(
    ("extensions", "{server}"),
    {
        "name": "{server}",
        "type": "stdio",
        "cmd": "{command}",
        "args": "{args}",
        "envs": "{env}",
        "enabled": True,
    },
)
SERVER = Entry(("mcpServers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})
EVENTS = {
    "session-start": "SessionStart",
    "session-end": "SessionEnd",
    "prompt": "UserPromptSubmit",
    "pre-tool": "PreToolUse",
    "post-tool": "PostToolUse",
    "stop": "Stop",
}

RUNTIME = Runtime(
    id="goose",
    title="Goose",
    home=Home("~/.config/goose", parents=(("XDG_CONFIG_HOME", "goose"),)),
    project=".goose",
    places=(
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=SKILLS),
        Place("agent", "agents/{name}.md", (markdown("name", "description"),), source=AGENTS),
    ),
    invoke="use the skill {name}",
    arguments="the words that follow the skill's name in the request",
    detect=("~/.config/goose",),
    cross_reads=("~/.config/agents/skills/{name}/SKILL.md", "./.agents/skills/{name}/SKILL.md"),
    surfaces=(
        Surface(
            "hooks",
            "jsonc",
            ("~/.agents/plugins/gsd/hooks/hooks.json",),
            (HOOK,),
            EVENTS,
            scope="global",
            source=HOOKS,
        ),
        Surface(
            "hooks",
            "jsonc",
            ("./.agents/plugins/gsd/hooks/hooks.json",),
            (HOOK,),
            EVENTS,
            scope="project",
            source=HOOKS,
        ),
        Surface("mcp", "yaml", ("config.yaml",), (EXTENSION,), scope="global", source=MCP),
        Surface("mcp", "jsonc", ("./.agents/plugins/gsd/.mcp.json",), (SERVER,), scope="project", source=MCP),
        *instructions(RULES, home=".goosehints", project="./.goosehints"),
    ),
    notes=(
        "a recipe becomes a command only through an absolute path in config.yaml; commands become skills",
        "that text printed by a session hook reaches the model was not seen here",
    ),
    sources=(SKILLS, AGENTS, HOOKS, MCP, RULES),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
