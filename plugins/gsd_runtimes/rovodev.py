"""Rovo Dev, by Atlassian."""

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

AGENTS = Source("dyoshikawa/rulesync cfebcd75: src/features/subagents/rovodev-subagent.ts", date="2026-08-18")
SKILLS = Source("dyoshikawa/rulesync cfebcd75: src/features/skills/rovodev-skill.ts", date="2026-08-18")
MCP = Source("dyoshikawa/rulesync cfebcd75: src/features/mcp/rovodev-mcp.ts", date="2026-08-18")
RULES = Source("dyoshikawa/rulesync cfebcd75: src/features/rules/rovodev-rule.ts", date="2026-08-18")
CALLS = Source(
    "github/spec-kit 27f50f7e: src/specify_cli/integrations/rovodev/__init__.py", date="2026-08-21"
)

SERVER = Entry(
    ("mcpServers", "{server}"),
    {"transport": "stdio", "command": "{command}", "args": "{args}", "env": "{env}"},
)

RUNTIME = Runtime(
    id="rovodev",
    title="Rovo Dev",
    home=Home("~/.rovodev"),
    project=".rovodev",
    places=(
        Place("agent", "agents/{name}.md", (markdown("name", "description"),), source=AGENTS),
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=SKILLS),
    ),
    arguments="the words that follow the skill's name in the request",
    detect=("~/.rovodev",),
    cross_reads=("~/.agents/skills/{name}/SKILL.md", "./.agents/skills/{name}/SKILL.md"),
    surfaces=(
        Surface("mcp", "jsonc", ("mcp.json",), (SERVER,), scope="global", source=MCP),
        *instructions(RULES, home="AGENTS.md", project="./AGENTS.md"),
    ),
    notes=(
        "a prompt counts only when prompts.yml lists it; commands become skills",
        "an mcp.json in a project counts only when config.yml names it; servers stand in the user's",
    ),
    sources=(AGENTS, SKILLS, MCP, RULES, CALLS),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
