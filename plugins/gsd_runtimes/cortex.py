"""Cortex Code, by Snowflake."""

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
WRITTEN = Source("rulesync 17.0.0, what it writes", date="2026-11-30")

HOOK = Entry(("hooks", "{event}", "-"), {"hooks": [{"type": "command", "command": "{command}"}]})
SERVER = Entry(
    ("mcpServers", "{server}"), {"type": "stdio", "command": "{command}", "args": "{args}", "env": "{env}"}
)
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
    id="cortex",
    title="Cortex Code",
    home=Home("~/.snowflake/cortex"),
    project=".cortex",
    places=(
        Place("agent", "agents/{name}.md", (markdown("name", "description"),), source=WRITTEN),
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=SKILLS),
    ),
    invoke="use the skill {name}",
    arguments="the words that follow the skill's name in the request",
    detect=("~/.snowflake/cortex",),
    surfaces=(
        Surface("hooks", "jsonc", ("hooks.json",), (HOOK,), EVENTS, scope="global", source=WRITTEN),
        Surface("hooks", "jsonc", ("settings.json",), (HOOK,), EVENTS, scope="project", source=WRITTEN),
        Surface("mcp", "jsonc", ("mcp.json",), (SERVER,), scope="global", source=WRITTEN),
        *instructions(WRITTEN, project="./AGENTS.md"),
    ),
    notes=("that text printed by a session hook reaches the model was not seen here",),
    sources=(SKILLS, WRITTEN),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
