"""Devin (terminal and desktop)."""

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

SKILLS = Source("dyoshikawa/rulesync cfebcd75: src/features/skills/devin-skill.ts", date="2026-08-18")
AGENTS = Source("rulesync 17.0.0, what it writes", date="2026-11-30")
HOOKS = Source("dyoshikawa/rulesync cfebcd75: src/features/hooks/devin-hooks.ts", date="2026-08-18")
MCP = Source("dyoshikawa/rulesync cfebcd75: src/features/mcp/devin-mcp.ts", date="2026-08-18")
RULES = Source("dyoshikawa/rulesync cfebcd75: src/features/rules/devin-rule.ts", date="2026-08-18")
CALLS = Source("github/spec-kit 27f50f7e: src/specify_cli/integrations/devin/__init__.py", date="2026-08-21")

HOOK = Entry(("hooks", "{event}", "-"), {"hooks": [{"type": "command", "command": "{command}"}]})
PROJECT_HOOK = Entry(("{event}", "-"), {"hooks": [{"type": "command", "command": "{command}"}]})
SERVER = Entry(("mcpServers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})
EVENTS = {
    "session-start": "SessionStart",
    "session-end": "SessionEnd",
    "prompt": "UserPromptSubmit",
    "pre-tool": "PreToolUse",
    "post-tool": "PostToolUse",
    "stop": "Stop",
}

RUNTIME = Runtime(
    id="devin",
    title="Devin",
    home=Home("~/.config/devin", parents=(("XDG_CONFIG_HOME", "devin"),)),
    project=".devin",
    places=(
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=SKILLS),
        Place("agent", "agents/{name}/AGENT.md", (markdown("name", "description"),), source=AGENTS),
    ),
    arguments="the words that follow the skill's name in the request",
    detect=("devin", "~/.config/devin"),
    surfaces=(
        Surface("hooks", "jsonc", ("config.json",), (HOOK,), EVENTS, scope="global", source=HOOKS),
        Surface("hooks", "jsonc", ("hooks.v1.json",), (PROJECT_HOOK,), EVENTS, scope="project", source=HOOKS),
        Surface("mcp", "jsonc", ("mcp_config.json",), (SERVER,), source=MCP),
        *instructions(RULES, home="AGENTS.md", project="./AGENTS.md"),
    ),
    notes=(
        "its commands are skills",
        "that text printed by a session hook reaches the model was not seen here",
    ),
    sources=(SKILLS, AGENTS, HOOKS, MCP, RULES, CALLS),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
