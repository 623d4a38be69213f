"""Amp."""

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

SKILLS = Source("dyoshikawa/rulesync cfebcd75: src/features/skills/amp-skill.ts", date="2026-08-18")
MCP = Source("dyoshikawa/rulesync cfebcd75: src/features/mcp/amp-mcp.ts", date="2026-08-18")
RULES = Source("dyoshikawa/rulesync cfebcd75: src/features/rules/amp-rule.ts", date="2026-08-18")

SERVER = Entry(("amp.mcpServers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})

RUNTIME = Runtime(
    id="amp",
    title="Amp",
    home=Home("~/.config/agents", parents=(("XDG_CONFIG_HOME", "agents"),)),
    project=".agents",
    places=(Place("skill", "skills/{name}/SKILL.md", (skill,), source=SKILLS),),
    invoke="use the skill {name}",
    arguments="the words that follow the skill's name in the request",
    detect=("~/.config/amp",),
    surfaces=(
        Surface(
            "mcp",
            "jsonc",
            ("~/.config/amp/settings.jsonc", "~/.config/amp/settings.json"),
            (SERVER,),
            scope="global",
            source=MCP,
        ),
        Surface(
            "mcp",
            "jsonc",
            ("./.amp/settings.jsonc", "./.amp/settings.json"),
            (SERVER,),
            scope="project",
            source=MCP,
        ),
        *instructions(RULES, home="~/.config/amp/AGENTS.md", project="./AGENTS.md"),
    ),
    notes=(
        "one source of five names .agents/commands; commands become skills",
        "its hooks are TypeScript plugins; none is installed",
        "XDG_CONFIG_HOME moves the skills; settings and AGENTS.md are expected in ~/.config/amp",
    ),
    sources=(SKILLS, MCP, RULES),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
