"""Kiro, the editor."""

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

SKILLS = Source("dyoshikawa/rulesync cfebcd75: src/features/skills/kiro-ide-skill.ts", date="2026-08-18")
AGENTS = Source(
    "dyoshikawa/rulesync cfebcd75: src/features/subagents/kiro-ide-subagent.ts", date="2026-08-18"
)
HOOKS = Source("dyoshikawa/rulesync cfebcd75: src/features/hooks/kiro-ide-hooks.ts", date="2026-08-18")
MCP = Source("dyoshikawa/rulesync cfebcd75: src/features/mcp/kiro-mcp.ts", date="2026-08-18")
RULES = Source("dyoshikawa/rulesync cfebcd75: src/features/rules/kiro-ide-rule.ts", date="2026-08-18")

SERVER = Entry(("mcpServers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})
HOOK = Entry(
    ("hooks", "-"),
    {
        "name": "gsd-{hook}",
        "trigger": "{event}",
        "action": {"type": "command", "command": "{command}"},
        "enabled": True,
    },
)
VERSION = Entry(("version",), "v1")
EVENTS = {
    "session-start": "SessionStart",
    "prompt": "UserPromptSubmit",
    "pre-tool": "PreToolUse",
    "post-tool": "PostToolUse",
    "stop": "Stop",
}

RUNTIME = Runtime(
    id="kiro",
    title="Kiro",
    home=Home("~/.kiro"),
    project=".kiro",
    places=(
        Place("agent", "agents/{name}.md", (markdown("name", "description"),), source=AGENTS),
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=SKILLS),
    ),
    invoke="use the skill {name}",
    arguments="the words that follow the skill's name in the request",
    detect=("~/.kiro",),
    surfaces=(
        Surface("hooks", "jsonc", ("hooks/gsd.json",), (VERSION, HOOK), EVENTS, source=HOOKS),
        Surface("mcp", "jsonc", ("settings/mcp.json",), (SERVER,), source=MCP, shared=True),
        *instructions(RULES, home="steering/gsd.md", project="steering/gsd.md"),
    ),
    notes=(
        "prompts are named for projects only and by one source; commands become skills",
        "that text printed by a session hook reaches the model was not seen here",
    ),
    sources=(SKILLS, AGENTS, HOOKS, MCP, RULES),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
