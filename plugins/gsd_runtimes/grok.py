"""Grok Build CLI."""

from __future__ import annotations

from gsd_install.runtime import (
    Cap,
    Entry,
    Home,
    Place,
    Rewrite,
    Runtime,
    Source,
    Surface,
    agent_skills,
    hookimpl,
    instructions,
    markdown,
    skill,
)

PATHS = Source("dyoshikawa/rulesync cfebcd75: src/constants/grokcli-paths.ts", date="2026-08-18")
AGENTS = Source("dyoshikawa/rulesync cfebcd75: src/features/subagents/grokcli-subagent.ts", date="2026-08-18")
EVENT_NAMES = Source("dyoshikawa/rulesync cfebcd75: src/types/hooks.ts", date="2026-08-18")
MCP = Source("dyoshikawa/rulesync cfebcd75: src/features/mcp/grokcli-mcp.ts", date="2026-08-18")
RULES = Source("dyoshikawa/rulesync cfebcd75: src/features/rules/grokcli-rule.ts", date="2026-08-18")

HOOK = Entry(("hooks", "{event}", "-"), {"hooks": [{"type": "command", "command": "{command}"}]})
SERVER = Entry(("mcp_servers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})
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
    id="grok",
    title="Grok Build",
    home=Home("~/.grok", env=("GROK_HOME",)),
    project=".grok",
    places=(
        Place("command", "commands/{name}.md", (markdown("description", "argument-hint"),), source=PATHS),
        Place("agent", "agents/{name}.md", (markdown("name", "description"),), source=AGENTS),
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=PATHS),
    ),
    detect=("grok", "~/.grok"),
    surfaces=(
        Surface("hooks", "jsonc", ("hooks/gsd-install.json",), (HOOK,), EVENTS, source=PATHS),
        Surface("mcp", "toml", ("config.toml",), (SERVER,), source=MCP),
        *instructions(RULES, home="AGENTS.md", project="./AGENTS.md"),
    ),
    notes=(
        "a skill hides a command of the same name",
        "the form of its permission rules is not known; none is written",
        "its tool names and the keys of its agents beyond name and description are not known",
    ),
    sources=(PATHS, AGENTS, EVENT_NAMES, MCP, RULES),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills


@hookimpl
def gsd_path_rewrites() -> tuple[Rewrite, ...]:
    return (
        Rewrite("~/.claude", "~/.grok"),
        Rewrite(".claude", ".grok"),
        Rewrite("CLAUDE.md", "AGENTS.md"),
    )
