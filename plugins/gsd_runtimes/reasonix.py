"""Reasonix."""

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

COMMANDS = Source(
    "dyoshikawa/rulesync cfebcd75: src/features/commands/reasonix-command.ts", date="2026-08-18"
)
SKILLS = Source("dyoshikawa/rulesync cfebcd75: src/features/skills/reasonix-skill.ts", date="2026-08-18")
HOOKS = Source("dyoshikawa/rulesync cfebcd75: src/features/hooks/reasonix-hooks.ts", date="2026-08-18")
MCP = Source("dyoshikawa/rulesync cfebcd75: src/features/mcp/reasonix-mcp.ts", date="2026-08-18")
RULES = Source("dyoshikawa/rulesync cfebcd75: src/features/rules/reasonix-rule.ts", date="2026-08-18")

HOOK = Entry(("hooks", "{event}", "-"), {"command": "{command}"})
PLUGIN = Entry(
    ("plugins", "-"),
    {"name": "{server}", "type": "stdio", "command": "{command}", "args": "{args}", "env": "{env}"},
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
    id="reasonix",
    title="Reasonix",
    home=Home("~/.reasonix"),
    project=".reasonix",
    places=(
        Place("command", "commands/{name}.md", (markdown("description", "argument-hint"),), source=COMMANDS),
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=SKILLS),
    ),
    detect=("~/.reasonix",),
    surfaces=(
        Surface("hooks", "jsonc", ("settings.json",), (HOOK,), EVENTS, source=HOOKS),
        Surface("mcp", "toml", ("config.toml",), (PLUGIN,), scope="global", source=MCP),
        Surface("mcp", "toml", ("./reasonix.toml",), (PLUGIN,), scope="project", source=MCP),
        *instructions(RULES, home="REASONIX.md", project="./REASONIX.md"),
    ),
    notes=(
        "its agents are skills with runAs: subagent, in the same directory; none is installed",
        "that text printed by a session hook reaches the model was not seen here",
    ),
    sources=(COMMANDS, SKILLS, HOOKS, MCP, RULES),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
