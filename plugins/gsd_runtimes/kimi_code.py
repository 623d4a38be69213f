"""Kimi Code CLI."""

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

LAYOUT = Source("open-gsd/gsd-core 636ec921: capabilities/kimi-code/capability.json", date="2026-08-08")
PATHS = Source("dyoshikawa/rulesync cfebcd75: src/constants/kimi-code-paths.ts", date="2026-08-18")
EVENT_NAMES = Source("dyoshikawa/rulesync cfebcd75: src/types/hooks.ts", date="2026-08-18")
HOOKS = Source("https://moonshotai.github.io/kimi-code/en/customization/hooks")
MCP = Source("dyoshikawa/rulesync cfebcd75: src/features/mcp/kimi-code-mcp.ts", date="2026-08-18")
OBSERVED = Source("kimi-code 2.1.0, run offline", date="2026-11-30")

HOOK = Entry(("hooks", "-"), {"event": "{event}", "matcher": "{matcher}", "command": "{command}"})
SERVER = Entry(("mcpServers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})
EVENTS = {
    "session-start": "SessionStart",
    "session-end": "SessionEnd",
    "prompt": "UserPromptSubmit",
    "pre-tool": "PreToolUse",
    "post-tool": "PostToolUse",
    "stop": "Stop",
    "pre-compact": "PreCompact",
}
# Its documentation names this one; the others are not known.
HOOK_TOOLS = {"run": "Bash"}

RUNTIME = Runtime(
    id="kimi-code",
    title="Kimi Code",
    home=Home("~/.kimi-code", env=("KIMI_CODE_HOME",)),
    project=".kimi-code",
    places=(
        Place("agent", "agents/{name}.md", (markdown("name", "description"),), source=OBSERVED),
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=OBSERVED),
    ),
    invoke="/skill:{name}",
    arguments="the words that follow the skill's name in the request",
    detect=("kimi", "~/.kimi-code"),
    cross_reads=("~/.agents/skills/{name}/SKILL.md", "./.agents/skills/{name}/SKILL.md"),
    surfaces=(
        Surface(
            "hooks", "toml", ("config.toml",), (HOOK,), EVENTS, scope="global", source=HOOKS, tools=HOOK_TOOLS
        ),
        Surface("mcp", "jsonc", ("mcp.json",), (SERVER,), scope="global", source=OBSERVED),
        Surface("mcp", "jsonc", ("mcp.json",), (SERVER,), scope="project", source=MCP),
        *instructions(OBSERVED, home="AGENTS.md", project="./AGENTS.md"),
    ),
    notes=(
        "it has no commands of its own: they become skills",
        "older versions know no agent files, only their own three agents",
        "hooks are read from the user's configuration only",
        "what a hook prints at a session's start reached no model; at a prompt it does",
    ),
    sources=(LAYOUT, PATHS, EVENT_NAMES, HOOKS, MCP, OBSERVED),
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
        Rewrite("~/.claude", "~/.kimi-code"),
        Rewrite(".claude", ".kimi-code"),
        Rewrite("CLAUDE.md", "AGENTS.md"),
    )
