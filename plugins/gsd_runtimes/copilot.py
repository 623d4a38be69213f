"""GitHub Copilot: its command line, and its chat in VS Code."""

from __future__ import annotations

from gsd_install.runtime import (
    Ask,
    Cap,
    Entry,
    Home,
    Place,
    Rewrite,
    Runtime,
    Source,
    Surface,
    hookimpl,
    instructions,
    markdown,
    skill,
)

LAYOUT = Source("open-gsd/gsd-core 636ec921: capabilities/copilot/capability.json", date="2026-08-08")
TOOLS = Source("open-gsd/gsd-core 636ec921: src/runtime-artifact-conversion.cts", date="2026-08-08")
PATHS = Source("dyoshikawa/rulesync cfebcd75: src/constants/copilot-paths.ts", date="2026-08-18")
HOOKS = Source("dyoshikawa/rulesync cfebcd75: src/features/hooks/copilotcli-hooks.ts", date="2026-08-18")
ANSWERS = Source("https://docs.github.com/en/copilot/reference/hooks-configuration")
OBSERVED = Source("copilot 1.0.102, run offline", date="2026-11-30")

VERSION = Entry(("version",), 1)
HOOK = Entry(("hooks", "{event}", "-"), {"type": "command", "command": "{command}", "matcher": "{matcher}"})
SERVER = Entry(
    ("mcpServers", "{server}"),
    {"type": "local", "command": "{command}", "args": "{args}", "env": "{env}", "tools": ["*"]},
)
EDITOR_SERVER = Entry(
    ("servers", "{server}"), {"type": "stdio", "command": "{command}", "args": "{args}", "env": "{env}"}
)
EVENTS = {
    "session-start": "sessionStart",
    "session-end": "sessionEnd",
    "prompt": "userPromptSubmitted",
    "pre-tool": "preToolUse",
    "post-tool": "postToolUse",
    "stop": "agentStop",
    "pre-compact": "preCompact",
}
# Agents name groups of tools, hooks single ones.
HOOK_TOOLS = {"read": "view", "write": "create", "edit": "edit", "run": "bash"}

RUNTIME = Runtime(
    id="copilot",
    title="GitHub Copilot",
    home=Home("~/.copilot", env=("COPILOT_CONFIG_DIR", "COPILOT_HOME")),
    project=".github",
    places=(
        Place(
            "agent", "agents/{name}.agent.md", (markdown("name", "description", "tools"),), source=OBSERVED
        ),
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=OBSERVED),
    ),
    arguments="the words that follow the skill's name in the request",
    tools={
        "read": "read",
        "write": "edit",
        "edit": "edit",
        "search": "search",
        "find": "search",
        "run": "execute",
        "fetch": "web",
        "web": "web",
        "ask": "ask_user",
        "dispatch": "agent",
        "todo": "todo",
    },
    detect=("copilot", "~/.copilot"),
    cross_reads=("~/.agents/skills/{name}/SKILL.md",),
    surfaces=(
        Surface(
            "hooks",
            "jsonc",
            ("hooks/gsd-install.json",),
            (VERSION, HOOK),
            EVENTS,
            source=HOOKS,
            envelope="permission-decision",
            tools=HOOK_TOOLS,
        ),
        Surface("mcp", "jsonc", ("mcp-config.json",), (SERVER,), scope="global", source=OBSERVED),
        Surface("mcp", "jsonc", ("mcp.json",), (SERVER,), scope="project", source=PATHS),
        Surface("mcp", "jsonc", ("./.vscode/mcp.json",), (EDITOR_SERVER,), scope="project", source=PATHS),
        *instructions(OBSERVED, home="copilot-instructions.md", project="./.github/copilot-instructions.md"),
    ),
    notes=(
        "commands become skills, which both list; prompt files are for the editor alone",
        "every *.json file in hooks/ is loaded",
        "no setting of it grants a path or a line, so none is written",
        "--add-dir ~/.gsd --allow-tool 'shell(~/.gsd/bin/gsd-tools:*)' keep it from asking",
    ),
    asks=(
        Ask(
            ("skill",),
            ("skill", "list", "--json"),
            ("*", "name"),
            environ={"COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false"},
            source=OBSERVED,
        ),
    ),
    sources=(LAYOUT, TOOLS, PATHS, HOOKS, ANSWERS, OBSERVED),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return (
        Cap("skill", 64, unit="characters", field="name", source=OBSERVED),
        Cap("skill", 1_024, unit="characters", on_excess="shrink", field="description", source=OBSERVED),
    )


@hookimpl
def gsd_path_rewrites() -> tuple[Rewrite, ...]:
    return (
        Rewrite("~/.claude", "~/.copilot"),
        Rewrite(".claude", ".github"),
        Rewrite("CLAUDE.md", "AGENTS.md"),
    )
