"""Warp."""

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

SKILLS = Source("dyoshikawa/rulesync cfebcd75: src/features/skills/warp-skill.ts", date="2026-08-18")
MCP = Source("dyoshikawa/rulesync cfebcd75: src/features/mcp/warp-mcp.ts", date="2026-08-18")
RULES = Source("dyoshikawa/rulesync cfebcd75: src/features/rules/warp-rule.ts", date="2026-08-18")

SERVER = Entry(("mcpServers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})

RUNTIME = Runtime(
    id="warp",
    title="Warp",
    home=Home("~/.warp"),
    project=".warp",
    places=(Place("skill", "skills/{name}/SKILL.md", (skill,), source=SKILLS),),
    arguments="the words that follow the skill's name in the request",
    detect=("~/.warp",),
    cross_reads=("~/.agents/skills/{name}/SKILL.md", "./.agents/skills/{name}/SKILL.md"),
    surfaces=(
        Surface("mcp", "jsonc", (".mcp.json",), (SERVER,), source=MCP),
        *instructions(RULES, home="~/.agents/AGENTS.md", project="./AGENTS.md"),
    ),
    notes=("its commands are skills", "WARP.md, which one source names, is not written"),
    sources=(SKILLS, MCP, RULES),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
