"""Deep Agents CLI, by LangChain."""

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

SKILLS = Source("dyoshikawa/rulesync cfebcd75: src/features/skills/deepagents-skill.ts", date="2026-08-18")
USER_SKILLS = Source("npm skills 1.7.4: docs/agents.md")
WRITTEN = Source("rulesync 17.0.0, what it writes", date="2026-11-30")
HOOKS = Source("dyoshikawa/rulesync cfebcd75: src/features/hooks/deepagents-hooks.ts", date="2026-08-18")
MCP = Source("dyoshikawa/rulesync cfebcd75: src/features/mcp/deepagents-mcp.ts", date="2026-08-18")

HOOK = Entry(("hooks", "{event}", "-"), {"hooks": [{"type": "command", "command": "{command}"}]})
SERVER = Entry(("mcpServers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})
EVENTS = {
    "session-start": "SessionStart",
    "session-end": "SessionEnd",
    "prompt": "UserPromptSubmit",
    "pre-tool": "PreToolUse",
    "post-tool": "PostToolUse",
    "stop": "Stop",
    "pre-compact": "PreCompact",
}

RUNTIME = Runtime(
    id="deepagents",
    title="Deep Agents CLI",
    home=Home("~/.deepagents"),
    project=".deepagents",
    places=(
        Place("skill", "agent/skills/{name}/SKILL.md", (skill,), scope="global", source=USER_SKILLS),
        Place("skill", "skills/{name}/SKILL.md", (skill,), scope="project", source=SKILLS),
        Place(
            "agent",
            "agent/agents/{name}/AGENTS.md",
            (markdown("name", "description"),),
            scope="global",
            source=WRITTEN,
        ),
        Place(
            "agent",
            "agents/{name}/AGENTS.md",
            (markdown("name", "description"),),
            scope="project",
            source=WRITTEN,
        ),
    ),
    invoke="use the skill {name}",
    arguments="the words that follow the skill's name in the request",
    detect=("~/.deepagents",),
    cross_reads=("./.agents/skills/{name}/SKILL.md",),
    surfaces=(
        Surface("hooks", "jsonc", ("hooks.json",), (HOOK,), EVENTS, source=HOOKS),
        Surface("mcp", "jsonc", (".mcp.json",), (SERVER,), source=MCP),
        *instructions(WRITTEN, home="agent/AGENTS.md", project="AGENTS.md"),
    ),
    notes=(
        "an older source has ~/.deepagents/deepagents where two newer ones have ~/.deepagents/agent",
        "that text printed by a session hook reaches the model was not seen here",
    ),
    sources=(SKILLS, USER_SKILLS, WRITTEN, HOOKS, MCP),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
