"""Roo Code."""

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

COMMANDS = Source("dyoshikawa/rulesync cfebcd75: src/features/commands/roo-command.ts", date="2026-08-18")
SKILLS = Source("dyoshikawa/rulesync cfebcd75: src/features/skills/roo-skill.ts", date="2026-08-18")
MCP = Source("dyoshikawa/rulesync cfebcd75: src/features/mcp/roo-mcp.ts", date="2026-08-18")
RULES = Source("dyoshikawa/rulesync cfebcd75: src/features/rules/roo-rule.ts", date="2026-08-18")
AGENTS_MD = Source("intellectronica/ruler 0fa2cae: src/agents/RooCodeAgent.ts")

SERVER = Entry(("mcpServers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})

RUNTIME = Runtime(
    id="roo",
    title="Roo Code",
    home=Home("~/.roo"),
    project=".roo",
    places=(
        Place("command", "commands/{name}.md", (markdown("description"),), source=COMMANDS),
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=SKILLS),
    ),
    arguments="the words typed after the command's name",
    detect=("~/.roo",),
    cross_reads=("~/.agents/skills/{name}/SKILL.md", "./.agents/skills/{name}/SKILL.md"),
    surfaces=(
        Surface("mcp", "jsonc", ("mcp.json",), (SERVER,), scope="project", source=MCP),
        *instructions(RULES, home="rules/gsd.md"),
        *instructions(AGENTS_MD, project="./AGENTS.md"),
    ),
    notes=("the project has ended", "its modes stand together in .roomodes; no agent is installed"),
    sources=(COMMANDS, SKILLS, MCP, RULES, AGENTS_MD),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
