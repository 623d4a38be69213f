"""IBM Bob."""

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

CALLS = Source("github/spec-kit 27f50f7e: src/specify_cli/integrations/bob/__init__.py", date="2026-08-21")
SKILLS = Source("npm skills 1.7.4: docs/agents.md")
WRITTEN = Source("rulesync 17.0.0, what it writes", date="2026-11-30")

HOOK = Entry(("hooks", "{event}", "-"), {"hooks": [{"type": "command", "command": "{command}"}]})
SERVER = Entry(("mcpServers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})
EVENTS = {
    "session-start": "SessionStart",
    "prompt": "UserPromptSubmit",
    "pre-tool": "PreToolUse",
    "post-tool": "PostToolUse",
    "stop": "Stop",
    "pre-compact": "PreCompact",
}

RUNTIME = Runtime(
    id="bob",
    title="IBM Bob",
    home=Home("~/.bob"),
    project=".bob",
    places=(Place("skill", "skills/{name}/SKILL.md", (skill,), source=SKILLS),),
    arguments="the words that follow the skill's name in the request",
    detect=("~/.bob",),
    surfaces=(
        Surface(
            "hooks", "jsonc", ("settings/settings.json",), (HOOK,), EVENTS, scope="global", source=WRITTEN
        ),
        Surface("hooks", "jsonc", ("settings.json",), (HOOK,), EVENTS, scope="project", source=WRITTEN),
        Surface("mcp", "jsonc", ("mcp.json",), (SERVER,), source=WRITTEN),
        *instructions(WRITTEN, home="AGENTS.md", project="./AGENTS.md"),
    ),
    notes=(
        "commands are called a legacy of it; they become skills",
        "that text printed by a session hook reaches the model was not seen here",
    ),
    sources=(CALLS, SKILLS, WRITTEN),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
