"""Junie, by JetBrains."""

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

COMMANDS = Source("dyoshikawa/rulesync cfebcd75: src/features/commands/junie-command.ts", date="2026-08-18")
AGENTS = Source("dyoshikawa/rulesync cfebcd75: src/features/subagents/junie-subagent.ts", date="2026-08-18")
SKILLS = Source("dyoshikawa/rulesync cfebcd75: src/features/skills/junie-skill.ts", date="2026-08-18")
HOOKS = Source("dyoshikawa/rulesync cfebcd75: src/features/hooks/junie-hooks.ts", date="2026-08-18")
MCP = Source("dyoshikawa/rulesync cfebcd75: src/features/mcp/junie-mcp.ts", date="2026-08-18")
RULES = Source("dyoshikawa/rulesync cfebcd75: src/features/rules/junie-rule.ts", date="2026-08-18")
CALLS = Source("github/spec-kit 27f50f7e: src/specify_cli/integrations/junie/__init__.py", date="2026-08-21")

HOOK = Entry(("hooks", "{event}", "-"), {"hooks": [{"type": "command", "command": "{command}"}]})
SERVER = Entry(("mcpServers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})
EVENTS = {
    "session-start": "SessionStart",
    "session-end": "SessionEnd",
    "prompt": "UserPromptSubmit",
    "pre-tool": "PreToolUse",
    "stop": "Stop",
}

RUNTIME = Runtime(
    id="junie",
    title="Junie",
    home=Home("~/.junie"),
    project=".junie",
    places=(
        Place("command", "commands/{name}.md", (markdown("description"),), source=COMMANDS),
        Place("agent", "agents/{name}.md", (markdown("name", "description"),), source=AGENTS),
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=SKILLS),
    ),
    detect=("junie", "~/.junie"),
    surfaces=(
        Surface("hooks", "jsonc", ("config.json",), (HOOK,), EVENTS, scope="global", source=HOOKS),
        Surface("mcp", "jsonc", ("mcp/mcp.json",), (SERVER,), source=MCP),
        *instructions(RULES, home="AGENTS.md", project="AGENTS.md"),
    ),
    notes=(
        "it runs hooks of the user's configuration only",
        "that text printed by a session hook reaches the model was not seen here",
    ),
    sources=(COMMANDS, AGENTS, SKILLS, HOOKS, MCP, RULES, CALLS),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
