"""Google Antigravity."""

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

LAYOUT = Source("open-gsd/gsd-core 636ec921: capabilities/antigravity/capability.json", date="2026-08-08")
CONVERSION = Source("open-gsd/gsd-core 636ec921: src/runtime-artifact-conversion.cts", date="2026-08-08")
PERMISSIONS = Source("open-gsd/gsd-core 636ec921: bin/install.js", date="2026-08-08")
PATHS = Source("dyoshikawa/rulesync cfebcd75: src/constants/antigravity-paths.ts", date="2026-08-18")
WORKFLOWS = Source("dyoshikawa/rulesync cfebcd75: src/constants/antigravity-ide-paths.ts", date="2026-08-18")
SUPPORT = Source("dyoshikawa/rulesync cfebcd75: docs/reference/supported-tools.md", date="2026-08-18")
HOOKS = Source("dyoshikawa/rulesync cfebcd75: src/features/hooks/antigravity-hooks.ts", date="2026-08-18")
MCP = Source("dyoshikawa/rulesync cfebcd75: src/features/mcp/antigravity-ide-mcp.ts", date="2026-08-18")
RULES = Source("dyoshikawa/rulesync cfebcd75: src/features/rules/antigravity-ide-rule.ts", date="2026-08-18")

HOOK = Entry(
    ("gsd-install", "{event}", "-"),
    {"matcher": "{matcher}", "hooks": [{"type": "command", "command": "{command}"}]},
)
SERVER = Entry(("mcpServers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})
ALLOW = Entry(("permissions", "allow", "-"), "read_file({payload})")
EVENTS = {"pre-tool": "PreToolUse", "post-tool": "PostToolUse"}

RUNTIME = Runtime(
    id="antigravity",
    title="Google Antigravity",
    home=Home("~/.gemini/config", env=("ANTIGRAVITY_CONFIG_DIR",)),
    project=".agents",
    places=(
        Place("command", "workflows/{name}.md", (markdown("description"),), scope="project", source=PATHS),
        Place(
            "command",
            "~/.gemini/antigravity/global_workflows/{name}.md",
            (markdown("description"),),
            scope="global",
            source=WORKFLOWS,
        ),
        Place("agent", "agents/{name}.md", (markdown("name", "description"),), source=PATHS),
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=SUPPORT),
    ),
    arguments="the words typed after the workflow's name",
    tools={
        "read": "read_file",
        "write": "write_file",
        "edit": "replace",
        "search": "search_file_content",
        "find": "glob",
        "run": "run_shell_command",
        "fetch": "web_fetch",
        "web": "google_web_search",
        "todo": "write_todos",
    },
    detect=("antigravity", "agy", "~/.gemini/antigravity"),
    surfaces=(
        Surface("hooks", "jsonc", ("hooks.json",), (HOOK,), EVENTS, source=HOOKS, every="*"),
        Surface("mcp", "jsonc", ("mcp_config.json",), (SERVER,), source=MCP, shared=True),
        Surface(
            "permissions",
            "jsonc",
            ("~/.gemini/antigravity-cli/settings.json",),
            (ALLOW,),
            scope="global",
            source=PERMISSIONS,
        ),
        *instructions(RULES, home="~/.gemini/GEMINI.md", project="./AGENTS.md"),
    ),
    notes=(
        "since version 2 its products share ~/.gemini/config; older ones have a directory each",
        "for an older one give --config-dir ~/.gemini/antigravity or ~/.gemini/antigravity-cli",
        "an unknown tool name makes an agent unusable, so agents carry none",
        "no hook runs when a session starts, so session orientation is not installed",
        "skills are found exactly one directory deep; in a project their directory is other hosts' too",
    ),
    sources=(LAYOUT, CONVERSION, PERMISSIONS, PATHS, WORKFLOWS, SUPPORT, HOOKS, MCP, RULES),
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
        Rewrite("~/.claude", "~/.gemini/config"),
        Rewrite(".claude", ".agents"),
        Rewrite("CLAUDE.md", "AGENTS.md"),
    )
