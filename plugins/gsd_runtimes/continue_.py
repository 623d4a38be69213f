"""Continue."""

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

WRITTEN = Source("rulesync 17.0.0, what it writes", date="2026-11-30")
OBSERVED = Source("continue 1.5.47, run offline", date="2026-11-30")

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
    id="continue",
    title="Continue",
    home=Home("~/.continue", env=("CONTINUE_GLOBAL_DIR",)),
    project=".continue",
    places=(Place("skill", "skills/{name}/SKILL.md", (skill,), source=OBSERVED),),
    invoke="use the skill {name}",
    arguments="the words that follow the skill's name in the request",
    detect=("~/.continue",),
    cross_reads=("./.claude/skills/{name}/SKILL.md",),
    surfaces=(
        Surface("hooks", "jsonc", ("settings.json",), (HOOK,), EVENTS, source=WRITTEN),
        Surface("mcp", "jsonc", ("mcpServers/mcp.json",), (SERVER,), source=WRITTEN),
        *instructions(OBSERVED, home="rules/gsd.md", project="./AGENTS.md"),
    ),
    notes=(
        "1.5.47 offers its model no prompt of ~/.continue/prompts: commands become skills",
        "MCP servers of config.yaml were seen to work; ours stand in mcpServers/mcp.json",
        "that text printed by a session hook reaches the model was not seen here",
    ),
    sources=(WRITTEN, OBSERVED),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
