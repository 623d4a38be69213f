"""CodeBuddy."""

from __future__ import annotations

from gsd_install.runtime import (
    Cap,
    Entry,
    Field,
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
)

LAYOUT = Source("open-gsd/gsd-core 636ec921: capabilities/codebuddy/capability.json", date="2026-08-08")
CONVERSION = Source("open-gsd/gsd-core 636ec921: src/runtime-artifact-conversion.cts", date="2026-08-08")
HOOKS = Source("open-gsd/gsd-core 636ec921: src/runtime-hooks-surface.cts", date="2026-08-08")
MCP = Source("open-gsd/gsd-core 636ec921: docs/how-to/connect-gsd-mcp-server.md", date="2026-08-08")
RULES = Source("rulesync 17.0.0: what it generates")

HOOK = Entry(("hooks", "{event}", "-"), {"hooks": [{"type": "command", "command": "{command}"}]})
SERVER = Entry(("mcpServers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})
EVENTS = {
    "session-start": "SessionStart",
    "pre-tool": "PreToolUse",
    "post-tool": "PostToolUse",
    "stop": "Stop",
    "pre-compact": "PreCompact",
}

RUNTIME = Runtime(
    id="codebuddy",
    title="CodeBuddy",
    home=Home("~/.codebuddy", env=("CODEBUDDY_CONFIG_DIR",)),
    project=".codebuddy",
    places=(
        Place(
            "command", "commands/{name}.md", (markdown("description", "argument-hint"),), source=CONVERSION
        ),
        Place("agent", "agents/{name}.md", (markdown("name", "description"),), source=LAYOUT),
        Place(
            "skill",
            "skills/{name}/SKILL.md",
            (markdown("name", "description", Field("user-invocable", constant=False)),),
            source=CONVERSION,
        ),
    ),
    detect=("codebuddy", "~/.codebuddy"),
    surfaces=(
        Surface("hooks", "jsonc", ("settings.json",), (HOOK,), EVENTS, source=HOOKS),
        Surface("mcp", "jsonc", ("./.mcp.json",), (SERVER,), scope="project", source=MCP, shared=True),
        *instructions(RULES, home="CODEBUDDY.md", project="./CODEBUDDY.md"),
    ),
    notes=(
        "skills are kept out of its slash menu, where the commands stand",
        "its tool names are not known, so agents may use every tool",
        "where the user's MCP servers stand is not known; its permissions are a guess, and none is written",
    ),
    sources=(LAYOUT, CONVERSION, HOOKS, MCP, RULES),
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
        Rewrite("~/.claude", "~/.codebuddy"),
        Rewrite(".claude", ".codebuddy"),
        Rewrite("CLAUDE.md", "CODEBUDDY.md"),
    )
