"""Claude Code."""

from __future__ import annotations

from gsd_install.runtime import (
    Ask,
    Cap,
    Entry,
    Field,
    Form,
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
from gsd_install.runtime.inject import FENCED, inject

LAYOUT = Source("open-gsd/gsd-core 636ec921: capabilities/claude/capability.json", date="2026-08-08")
FRONTMATTER = Source(
    "dyoshikawa/rulesync cfebcd75: src/features/subagents/claudecode-subagent.ts", date="2026-08-18"
)
PATHS = Source("dyoshikawa/rulesync cfebcd75: src/constants/claudecode-paths.ts", date="2026-08-18")
IMPORTS = Source("https://docs.claude.com/en/docs/claude-code/memory, CLAUDE.md imports", date="unknown")
HOOKS = Source("open-gsd/gsd-core 636ec921: src/runtime-hooks-surface.cts", date="2026-08-08")
EVENT_NAMES = Source("dyoshikawa/rulesync cfebcd75: src/types/hooks.ts", date="2026-08-18")
PERMISSIONS = Source("open-gsd/gsd-core 636ec921: bin/install.js", date="2026-08-08")
OBSERVED = Source("claude-code 2.1.332, run offline", date="2026-11-30")

HOOK = Entry(
    ("hooks", "{event}", "-"),
    {"matcher": "{matcher}", "hooks": [{"type": "command", "command": "{command}"}]},
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
READ = "Read({payload}/**)"
LAUNCH = "Bash({launcher}:*)"
LAUNCH_AND_READ = f"{LAUNCH}, {READ}"
ALLOW = tuple(Entry(("permissions", "allow", "-"), rule) for rule in (READ, LAUNCH))
SERVER = Entry(("mcpServers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})


def _command(granted: str) -> Form:
    form = markdown("description", "argument-hint", Field("allowed-tools", constant=granted))
    return form._replace(keeps="all")


# Its first words list all it has loaded; without an account it ends there.
STARTED = ("-p", "hi", "--output-format", "stream-json", "--verbose")
QUIET = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}

RUNTIME = Runtime(
    id="claude",
    title="Claude Code",
    home=Home("~/.claude", env=("CLAUDE_CONFIG_DIR",)),
    project=".claude",
    places=(
        # Observed: arguments reach the launcher intact whatever they hold, but "!`" becomes "! `".
        # In a project its path is relative: below the root the snippet fails, and the command with it.
        Place(
            "command",
            "commands/{name}.md",
            (inject(_command(LAUNCH_AND_READ), FENCED), _command(READ)),
            scope="global",
            source=OBSERVED,
        ),
        Place(
            "command",
            "commands/{name}.md",
            (_command(LAUNCH_AND_READ), _command(READ)),
            scope="project",
            source=OBSERVED,
        ),
        Place(
            "agent",
            "agents/{name}.md",
            (markdown("name", "description", Field("tools", join=", "))._replace(keeps="all"),),
            source=FRONTMATTER,
        ),
        Place("skill", "skills/{name}/SKILL.md", (skill._replace(keeps="all"),), source=LAYOUT),
    ),
    tools={
        "read": "Read",
        "write": "Write",
        "edit": "Edit",
        "search": "Grep",
        "find": "Glob",
        "run": "Bash",
        "fetch": "WebFetch",
        "web": "WebSearch",
        "ask": "AskUserQuestion",
        "dispatch": "Task",
        "todo": "TodoWrite",
    },
    reads="workspace",
    detect=("claude", "~/.claude"),
    surfaces=(
        Surface(
            "hooks",
            "jsonc",
            ("settings.json",),
            (HOOK,),
            EVENTS,
            source=HOOKS,
            envelope="specific",
            project_dir='"$CLAUDE_PROJECT_DIR"',
        ),
        Surface("permissions", "jsonc", ("settings.json",), ALLOW, source=PERMISSIONS),
        Surface("mcp", "jsonc", ("~/.claude.json",), (SERVER,), scope="global", source=PATHS),
        Surface("mcp", "jsonc", ("./.mcp.json",), (SERVER,), scope="project", source=PATHS, shared=True),
        *instructions(IMPORTS, home="CLAUDE.md", project="./CLAUDE.md", imports=True),
    ),
    notes=("skills are found exactly one directory deep",),
    asks=(
        Ask(("skill",), STARTED, ("skills", "*"), environ=QUIET, source=OBSERVED),
        Ask(("command",), STARTED, ("slash_commands", "*"), environ=QUIET, source=OBSERVED),
        Ask(("agent",), STARTED, ("agents", "*"), environ=QUIET, source=OBSERVED),
    ),
    sources=(LAYOUT, FRONTMATTER, PATHS, IMPORTS, HOOKS, EVENT_NAMES, PERMISSIONS, OBSERVED),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return (
        *agent_skills,
        Cap("command", 1_536, unit="characters", on_excess="shrink", field="description", source=OBSERVED),
    )
