"""Gemini CLI."""

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
    skill,
    toml,
)

OBSERVED = Source("gemini-cli 0.61.0, run offline", date="2026-11-30")
COMMANDS = Source(
    "github/spec-kit 27f50f7e: src/specify_cli/integrations/gemini/__init__.py", date="2026-08-21"
)
TOOLS = Source("open-gsd/gsd-core 636ec921: src/runtime-artifact-conversion.cts", date="2026-08-08")

HOOK = Entry(("hooks", "{event}", "-"), {"hooks": [{"type": "command", "command": "{command}"}]})
SERVER = Entry(("mcpServers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})
ALLOW = Entry(("tools", "allowed", "-"), "run_shell_command({launcher})")
EVENTS = {
    "session-end": "SessionEnd",
    "prompt": "BeforeAgent",
    "pre-tool": "BeforeTool",
    "post-tool": "AfterTool",
    "stop": "AfterAgent",
}

RUNTIME = Runtime(
    id="gemini",
    title="Gemini CLI",
    home=Home("~/.gemini"),
    project=".gemini",
    places=(
        Place(
            "command",
            "commands/{name}.toml",
            (toml("description", Field("prompt", "body")),),
            source=OBSERVED,
        ),
        Place("agent", "agents/{name}.md", (markdown("name", "description", "tools"),), source=OBSERVED),
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=OBSERVED),
    ),
    arguments="{{args}}",
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
    detect=("gemini", "~/.gemini"),
    cross_reads=("~/.agents/skills/{name}/SKILL.md",),
    surfaces=(
        Surface("hooks", "jsonc", ("settings.json",), (HOOK,), EVENTS, source=COMMANDS),
        Surface("permissions", "jsonc", ("settings.json",), (ALLOW,), source=OBSERVED),
        Surface("mcp", "jsonc", ("settings.json",), (SERVER,), source=OBSERVED),
        *instructions(OBSERVED, home="GEMINI.md", project="./GEMINI.md"),
    ),
    notes=(
        "the tools of an agent are a list of its own tool names; an unknown key makes the agent unusable",
        "its hooks add context only as JSON (hookSpecificOutput), so session orientation is not installed",
        "no variable that moves ~/.gemini is known",
    ),
    sources=(OBSERVED, COMMANDS, TOOLS),
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
        Rewrite("~/.claude", "~/.gemini"),
        Rewrite(".claude", ".gemini"),
        Rewrite("CLAUDE.md", "GEMINI.md"),
    )
