"""Augment Code and its command line, Auggie."""

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

LAYOUT = Source("open-gsd/gsd-core 636ec921: capabilities/augment/capability.json", date="2026-08-08")
CONVERSION = Source("open-gsd/gsd-core 636ec921: src/runtime-artifact-conversion.cts", date="2026-08-08")
HOOKS = Source("dyoshikawa/rulesync cfebcd75: src/types/hooks.ts", date="2026-08-18")
RULES = Source("dyoshikawa/rulesync cfebcd75: src/features/rules/augmentcode-rule.ts", date="2026-08-18")
PATHS = Source("dyoshikawa/rulesync cfebcd75: src/constants/augmentcode-paths.ts", date="2026-08-18")
OBSERVED = Source("auggie 0.36.0, run offline", date="2026-11-30")

HOOK = Entry(("hooks", "{event}", "-"), {"hooks": [{"type": "command", "command": "{command}"}]})
SERVER = Entry(("mcpServers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})
EVENTS = {
    "session-start": "SessionStart",
    "session-end": "SessionEnd",
    "prompt": "PromptSubmit",
    "pre-tool": "PreToolUse",
    "post-tool": "PostToolUse",
    "stop": "Stop",
}

RUNTIME = Runtime(
    id="augment",
    title="Augment Code",
    home=Home("~/.augment", env=("AUGMENT_CONFIG_DIR",)),
    project=".augment",
    places=(
        Place("command", "commands/{name}.md", (markdown("description", "argument-hint"),), source=OBSERVED),
        Place("agent", "agents/{name}.md", (markdown("name", "description"),), source=CONVERSION),
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=OBSERVED),
    ),
    tools={
        "read": "view",
        "write": "save-file",
        "edit": "str-replace-editor",
        "run": "launch-process",
        "todo": "add_tasks",
    },
    detect=("auggie", "~/.augment"),
    cross_reads=("~/.agents/skills/{name}/SKILL.md", "./.agents/skills/{name}/SKILL.md"),
    surfaces=(
        Surface("hooks", "jsonc", ("settings.json",), (HOOK,), EVENTS, source=HOOKS),
        Surface("mcp", "jsonc", ("settings.json",), (SERVER,), source=OBSERVED),
        *instructions(RULES, home="rules/gsd-install.md"),
    ),
    notes=(
        "a hook did not run offline and without a login; that hooks work rests on its documentation",
        "it lists skills among its commands",
        "a project's rules need frontmatter, which a marked block does not have: none is written there",
        "its permissions are about tools as a whole, not files; none is written",
    ),
    asks=(
        Ask(
            ("skill", "command"),
            ("command", "list"),
            pattern=r"^\s*/?([a-z0-9][a-z0-9-]*)",
            environ={"AUGMENT_DISABLE_AUTO_UPDATE": "1"},
            source=OBSERVED,
        ),
    ),
    sources=(LAYOUT, CONVERSION, HOOKS, RULES, PATHS, OBSERVED),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills


@hookimpl
def gsd_path_rewrites() -> tuple[Rewrite, ...]:
    return (Rewrite("~/.claude", "~/.augment"), Rewrite(".claude", ".augment"))
