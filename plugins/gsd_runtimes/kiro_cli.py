"""Kiro CLI."""

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
    inline,
    instructions,
    json,
    skill,
)

COMMANDS = Source(
    "dyoshikawa/rulesync cfebcd75: src/features/commands/kiro-cli-command.ts", date="2026-08-18"
)
AGENTS = Source(
    "dyoshikawa/rulesync cfebcd75: src/features/subagents/kiro-cli-subagent.ts", date="2026-08-18"
)
SKILLS = Source("dyoshikawa/rulesync cfebcd75: src/features/skills/kiro-cli-skill.ts", date="2026-08-18")
HOOKS = Source("dyoshikawa/rulesync cfebcd75: src/features/hooks/kiro-cli-hooks.ts", date="2026-08-18")
MCP = Source("dyoshikawa/rulesync cfebcd75: src/features/mcp/kiro-mcp.ts", date="2026-08-18")
RULES = Source("dyoshikawa/rulesync cfebcd75: src/features/rules/kiro-cli-rule.ts", date="2026-08-18")
AGENTS_MD = Source(
    "github/spec-kit 27f50f7e: extensions/agent-context/agent-context-defaults.json", date="2026-08-21"
)
CALLS = Source(
    "github/spec-kit 27f50f7e: src/specify_cli/integrations/kiro_cli/__init__.py", date="2026-08-21"
)

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
    id="kiro-cli",
    title="Kiro CLI",
    home=Home("~/.kiro"),
    project=".kiro",
    places=(
        Place("command", "prompts/{name}.md", (inline,), source=COMMANDS),
        Place(
            "agent",
            "agents/{name}.json",
            (json("name", "description", Field("prompt", "body")),),
            source=AGENTS,
        ),
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=SKILLS),
    ),
    arguments="what the user says in this conversation",
    detect=("kiro-cli", "~/.kiro"),
    surfaces=(
        Surface("hooks", "jsonc", ("hooks/gsd.json",), (VERSION, HOOK), EVENTS, source=HOOKS),
        Surface("mcp", "jsonc", ("settings/mcp.json",), (SERVER,), source=MCP, shared=True),
        *instructions(RULES, home="steering/gsd.md"),
        *instructions(AGENTS_MD, project="./AGENTS.md"),
    ),
    notes=(
        "a prompt takes no arguments",
        "that text printed by a session hook reaches the model was not seen here",
    ),
    sources=(COMMANDS, AGENTS, SKILLS, HOOKS, MCP, RULES, AGENTS_MD, CALLS),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
