"""Qwen Code."""

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
    agent_skills,
    hookimpl,
    instructions,
    markdown,
    skill,
)

LAYOUT = Source("open-gsd/gsd-core 636ec921: capabilities/qwen/capability.json", date="2026-08-08")
COMMANDS = Source(
    "dyoshikawa/rulesync cfebcd75: src/features/commands/qwencode-command.ts", date="2026-08-18"
)
HOOKS = Source("dyoshikawa/rulesync cfebcd75: src/types/hooks.ts", date="2026-08-18")
PERMISSIONS = Source(
    "dyoshikawa/rulesync cfebcd75: src/features/permissions/qwencode-permissions.ts", date="2026-08-18"
)
OBSERVED = Source("qwen-code 0.24.4, run offline", date="2026-11-30")

HOOK = Entry(("hooks", "{event}", "-"), {"hooks": [{"type": "command", "command": "{command}"}]})
SERVER = Entry(("mcpServers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})
# By the tool's own name: without a terminal it offers a shell only where a rule spells it so (observed).
RULES = ("Read({payload}/**)", "run_shell_command({launcher}:*)")
ALLOW = tuple(Entry(("permissions", "allow", "-"), rule) for rule in RULES)
EVENTS = {
    "session-start": "SessionStart",
    "session-end": "SessionEnd",
    "prompt": "UserPromptSubmit",
    "pre-tool": "PreToolUse",
    "post-tool": "PostToolUse",
    "stop": "Stop",
    "pre-compact": "PreCompact",
}

# Its first words list all it has loaded. It starts only with the address of a model, and here nobody answers.
STARTED = ("-p", "hi", "-o", "stream-json")
NOWHERE = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_MODEL": "none"}

RUNTIME = Runtime(
    id="qwen",
    title="Qwen Code",
    home=Home("~/.qwen", env=("QWEN_CONFIG_DIR",)),
    project=".qwen",
    places=(
        # No snippet runs the launcher: `$ARGUMENTS` among the arguments is put in after they were quoted for
        # the shell, and ends the quotes (observed).
        Place("command", "commands/{name}.md", (markdown("description", "argument-hint"),), source=COMMANDS),
        Place("agent", "agents/{name}.md", (markdown("name", "description"),), source=OBSERVED),
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=OBSERVED),
    ),
    arguments="{{args}}",
    detect=("qwen", "~/.qwen"),
    cross_reads=("~/.agents/skills/{name}/SKILL.md",),
    surfaces=(
        Surface(
            "hooks",
            "jsonc",
            ("settings.json",),
            (HOOK,),
            EVENTS,
            source=HOOKS,
            envelope="specific",
            project_dir='"$QWEN_PROJECT_DIR"',
        ),
        Surface("permissions", "jsonc", ("settings.json",), ALLOW, source=PERMISSIONS),
        Surface("mcp", "jsonc", ("settings.json",), (SERVER,), source=OBSERVED),
        *instructions(OBSERVED, home="QWEN.md", project="./QWEN.md"),
    ),
    notes=(
        "an agent with a text of less than 10 characters or a name of one letter is dropped",
        "its tool names are not known, so agents may use every tool",
        "skills are found exactly one directory deep",
    ),
    asks=(
        Ask(("skill", "command"), STARTED, ("slash_commands", "*"), environ=NOWHERE, source=OBSERVED),
        Ask(("agent",), STARTED, ("agents", "*"), environ=NOWHERE, source=OBSERVED),
    ),
    sources=(LAYOUT, COMMANDS, HOOKS, PERMISSIONS, OBSERVED),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return (
        Cap("agent", 50, unit="characters", field="name", source=OBSERVED),
        *agent_skills,
    )


@hookimpl
def gsd_path_rewrites() -> tuple[Rewrite, ...]:
    return (Rewrite("~/.claude", "~/.qwen"), Rewrite(".claude", ".qwen"), Rewrite("CLAUDE.md", "QWEN.md"))
