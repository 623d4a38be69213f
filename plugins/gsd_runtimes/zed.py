"""Zed."""

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

SKILLS = Source("dyoshikawa/rulesync cfebcd75: src/features/skills/zed-skill.ts", date="2026-08-18")
MCP = Source("dyoshikawa/rulesync cfebcd75: src/features/mcp/zed-mcp.ts", date="2026-08-18")
RULES = Source("dyoshikawa/rulesync cfebcd75: src/features/rules/zed-rule.ts", date="2026-08-18")
AGENTS_MD = Source(
    "github/spec-kit 27f50f7e: extensions/agent-context/agent-context-defaults.json", date="2026-08-21"
)

SERVER = Entry(("context_servers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})

RUNTIME = Runtime(
    id="zed",
    title="Zed",
    home=Home("~/.config/zed", parents=(("XDG_CONFIG_HOME", "zed"),), windows="~/AppData/Roaming/Zed"),
    project=".zed",
    places=(
        Place("skill", "~/.agents/skills/{name}/SKILL.md", (skill,), scope="global", source=SKILLS),
        Place("skill", "./.agents/skills/{name}/SKILL.md", (skill,), scope="project", source=SKILLS),
    ),
    arguments="the words that follow the skill's name in the request",
    detect=("~/.config/zed",),
    surfaces=(
        Surface("mcp", "jsonc", ("settings.json",), (SERVER,), source=MCP),
        *instructions(RULES, home="AGENTS.md"),
        *instructions(AGENTS_MD, project="./AGENTS.md"),
    ),
    notes=("two sources name AGENTS.md for a project, one .rules, which is not written",),
    sources=(SKILLS, MCP, RULES, AGENTS_MD),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
