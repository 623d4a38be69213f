"""JetBrains AI Assistant."""

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
    skill,
)

SKILLS = Source("dyoshikawa/rulesync cfebcd75: src/features/skills/aiassistant-skill.ts", date="2026-08-18")
MCP = Source("dyoshikawa/rulesync cfebcd75: src/features/mcp/aiassistant-mcp.ts", date="2026-08-18")
RULES = Source("dyoshikawa/rulesync cfebcd75: src/features/rules/aiassistant-rule.ts", date="2026-08-18")

SERVER = Entry(("mcpServers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})

RUNTIME = Runtime(
    id="jetbrains-ai",
    title="JetBrains AI Assistant",
    home=Home("~/.ai"),
    project=".aiassistant",
    places=(Place("skill", "./.agents/skills/{name}/SKILL.md", (skill,), scope="project", source=SKILLS),),
    invoke="use the skill {name}",
    arguments="the words that follow the skill's name in the request",
    surfaces=(
        Surface("mcp", "jsonc", ("mcp/mcp.json",), (SERVER,), scope="global", source=MCP),
        Surface("mcp", "jsonc", ("./.ai/mcp/mcp.json",), (SERVER,), scope="project", source=MCP),
        *instructions(RULES, project="rules/gsd.md"),
    ),
    notes=("no directory for skills of a user is known; only projects get them",),
    sources=(SKILLS, MCP, RULES),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
