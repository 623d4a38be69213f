"""Tabnine CLI."""

from __future__ import annotations

from gsd_install.runtime import (
    Cap,
    Entry,
    Field,
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
    toml,
)

LAYOUT = Source(
    "github/spec-kit 27f50f7e: src/specify_cli/integrations/tabnine/__init__.py", date="2026-08-21"
)
SKILLS = Source("npm skills 1.7.4: docs/agents.md")
WRITTEN = Source("rulesync 17.0.0, what it writes", date="2026-11-30")

HOOK = Entry(("hooks", "{event}", "-"), {"hooks": [{"type": "command", "command": "{command}"}]})
SERVER = Entry(("mcpServers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})
EVENTS = {
    "session-start": "SessionStart",
    "session-end": "SessionEnd",
    "prompt": "BeforeAgent",
    "pre-tool": "BeforeTool",
    "post-tool": "AfterTool",
    "stop": "AfterAgent",
}

RUNTIME = Runtime(
    id="tabnine",
    title="Tabnine CLI",
    home=Home("~/.tabnine/agent"),
    project=".tabnine/agent",
    places=(
        Place(
            "command", "commands/{name}.toml", (toml("description", Field("prompt", "body")),), source=LAYOUT
        ),
        Place("agent", "agents/{name}.md", (markdown("name", "description"),), source=WRITTEN),
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=SKILLS),
    ),
    arguments="{{args}}",
    detect=("~/.tabnine",),
    surfaces=(
        Surface("hooks", "jsonc", ("settings.json",), (HOOK,), EVENTS, source=LAYOUT),
        Surface("mcp", "jsonc", ("settings.json",), (SERVER,), source=WRITTEN),
        *instructions(WRITTEN, home="TABNINE.md", project="./TABNINE.md"),
    ),
    notes=("that text printed by a session hook reaches the model was not seen here",),
    sources=(LAYOUT, SKILLS, WRITTEN),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
