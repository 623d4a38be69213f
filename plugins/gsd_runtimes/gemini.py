"""Gemini CLI."""

from __future__ import annotations

from gsd_install.runtime import (
    Ask,
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
from gsd_install.runtime.inject import BRACED, inject

OBSERVED = Source("gemini-cli 0.61.0, run offline", date="2026-11-30")
COMMANDS = Source(
    "github/spec-kit 27f50f7e: src/specify_cli/integrations/gemini/__init__.py", date="2026-08-21"
)
HOOKS = Source("https://geminicli.com/docs/hooks/reference")
TOOLS = Source("open-gsd/gsd-core 636ec921: src/runtime-artifact-conversion.cts", date="2026-08-08")

HOOK = Entry(
    ("hooks", "{event}", "-"),
    {"matcher": "{matcher}", "hooks": [{"type": "command", "command": "{command}"}]},
)
SERVER = Entry(("mcpServers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})
LAUNCH = Entry(("tools", "allowed", "-"), "run_shell_command({launcher})")
# It reads nothing outside its workspace without asking; without a terminal it refuses (observed).
READ = Entry(("context", "includeDirectories", "-"), "{payload}")
COMMAND = toml("description", Field("prompt", "body"))
# No session-start: without a terminal, 0.61.0 writes what it adds before the words that were typed, and a
# command among them is then taken for plain text (observed).
EVENTS = {
    "session-end": "SessionEnd",
    "prompt": "BeforeAgent",
    "pre-tool": "BeforeTool",
    "post-tool": "AfterTool",
    "stop": "AfterAgent",
    "pre-compact": "PreCompress",
}

RUNTIME = Runtime(
    id="gemini",
    title="Gemini CLI",
    home=Home("~/.gemini"),
    project=".gemini",
    places=(
        # Observed: the arguments reach the launcher as one word, nothing in them is executed; runs of blanks
        # and line ends in them become one blank, with and without the snippet.
        # In a project the launcher's path is relative: below the root the snippet would fail.
        Place(
            "command",
            "commands/{name}.toml",
            (inject(COMMAND, BRACED), COMMAND),
            scope="global",
            source=OBSERVED,
        ),
        Place("command", "commands/{name}.toml", (COMMAND,), scope="project", source=OBSERVED),
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
        Surface("hooks", "jsonc", ("settings.json",), (HOOK,), EVENTS, source=HOOKS, envelope="decision"),
        Surface("permissions", "jsonc", ("settings.json",), (LAUNCH, READ), scope="global", source=OBSERVED),
        Surface("permissions", "jsonc", ("settings.json",), (LAUNCH,), scope="project", source=OBSERVED),
        Surface("mcp", "jsonc", ("settings.json",), (SERVER,), source=OBSERVED),
        *instructions(OBSERVED, home="GEMINI.md", project="./GEMINI.md"),
    ),
    notes=(
        "the tools of an agent are a list of its own tool names; an unknown key makes the agent unusable",
        "what a session hook adds would keep a command typed with -p from being one: none is installed",
        "no variable that moves ~/.gemini is known",
        "a command runs the launcher before the model is asked; without --with permissions it asks first",
        "with --with permissions the shared texts count as part of its workspace",
    ),
    asks=(
        Ask(
            ("skill",),
            ("skills", "list"),
            pattern=r"^(\S+) \[[Ee]nabled\]",
            environ={"GEMINI_CLI_TRUST_WORKSPACE": "true"},
            source=OBSERVED,
        ),
    ),
    sources=(OBSERVED, COMMANDS, HOOKS, TOOLS),
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
