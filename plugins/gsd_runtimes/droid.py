"""Factory Droid."""

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

AGENTS = Source(
    "dyoshikawa/rulesync cfebcd75: src/features/subagents/factorydroid-subagent.ts", date="2026-08-18"
)
HOOKS = Source("dyoshikawa/rulesync cfebcd75: src/features/hooks/factorydroid-hooks.ts", date="2026-08-18")
ANSWERS = Source("https://docs.factory.ai/reference/hooks-reference")
OBSERVED = Source("droid 0.215.0, run offline", date="2026-11-30")

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
    id="droid",
    title="Factory Droid",
    home=Home("~/.factory"),
    project=".factory",
    places=(
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=OBSERVED),
        Place("agent", "droids/{name}.md", (markdown("name", "description"),), source=AGENTS),
    ),
    arguments="the words that follow the skill's name in the request",
    detect=("droid", "~/.factory"),
    cross_reads=("~/.agents/skills/{name}/SKILL.md", "./.agents/skills/{name}/SKILL.md"),
    surfaces=(
        Surface("hooks", "jsonc", ("settings.json",), (HOOK,), EVENTS, source=OBSERVED, envelope="specific"),
        Surface("mcp", "jsonc", ("mcp.json",), (SERVER,), source=OBSERVED),
        *instructions(OBSERVED, home="AGENTS.md", project="./AGENTS.md"),
    ),
    notes=(
        "0.215.0 lists its clients no command of ~/.factory/commands: commands become skills",
        "a hooks.json of the user's own comes before the hooks in settings.json",
    ),
    sources=(AGENTS, HOOKS, ANSWERS, OBSERVED),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
