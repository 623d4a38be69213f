"""Cursor."""

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

LAYOUT = Source("open-gsd/gsd-core 636ec921: capabilities/cursor/capability.json", date="2026-08-08")
CONVERSION = Source("open-gsd/gsd-core 636ec921: src/runtime-artifact-conversion.cts", date="2026-08-08")
HOOKS_FILE = Source("open-gsd/gsd-core 636ec921: src/runtime-hooks-surface.cts", date="2026-08-08")
EVENT_NAMES = Source("dyoshikawa/rulesync cfebcd75: src/types/hooks.ts", date="2026-08-18")
PATHS = Source("dyoshikawa/rulesync cfebcd75: src/constants/cursor-paths.ts", date="2026-08-18")
PERMISSIONS = Source(
    "dyoshikawa/rulesync cfebcd75: src/features/permissions/cursor-permissions.ts", date="2026-08-18"
)
RULES = Source("intellectronica/ruler 0fa2cae: src/agents/CursorAgent.ts")

VERSION = Entry(("version",), 1)
HOOK = Entry(("hooks", "{event}", "-"), {"type": "command", "command": "{command}", "matcher": "{matcher}"})
SERVER = Entry(("mcpServers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})
ALLOW = Entry(("permissions", "allow", "-"), "Read({payload}/**)")
EVENTS = {
    "session-start": "sessionStart",
    "session-end": "sessionEnd",
    "prompt": "beforeSubmitPrompt",
    "pre-tool": "preToolUse",
    "post-tool": "postToolUse",
    "stop": "stop",
    "pre-compact": "preCompact",
}

RUNTIME = Runtime(
    id="cursor",
    title="Cursor",
    home=Home("~/.cursor", env=("CURSOR_CONFIG_DIR",)),
    project=".cursor",
    places=(
        Place("agent", "agents/{name}.md", (markdown("name", "description"),), source=CONVERSION),
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=LAYOUT),
    ),
    arguments="the words that follow the skill's name in the request",
    tools={
        "read": "Read",
        "write": "Write",
        "edit": "StrReplace",
        "search": "Grep",
        "find": "Glob",
        "run": "Shell",
    },
    detect=("cursor", "cursor-agent", "~/.cursor"),
    surfaces=(
        Surface(
            "hooks",
            "jsonc",
            ("hooks.json",),
            (VERSION, HOOK),
            EVENTS,
            source=HOOKS_FILE,
            envelope="permission",
        ),
        Surface("mcp", "jsonc", ("mcp.json",), (SERVER,), source=PATHS),
        Surface("permissions", "jsonc", ("cli-config.json",), (ALLOW,), scope="global", source=PERMISSIONS),
        Surface("permissions", "jsonc", ("cli.json",), (ALLOW,), scope="project", source=PERMISSIONS),
        *instructions(RULES, project="./AGENTS.md"),
    ),
    notes=(
        "commands become skills: a command and a skill of one name stand in its slash menu twice",
        "user rules are kept in its settings, not in a file",
    ),
    sources=(LAYOUT, CONVERSION, HOOKS_FILE, EVENT_NAMES, PATHS, PERMISSIONS, RULES),
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
        Rewrite("~/.claude", "~/.cursor"),
        Rewrite(".claude", ".cursor"),
        Rewrite("CLAUDE.md", "AGENTS.md"),
    )
