"""OpenCode."""

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
)

SKILLS = Source("https://opencode.ai/docs/skills")
LAYOUT = Source("open-gsd/gsd-core 636ec921: capabilities/opencode/capability.json", date="2026-08-08")
CONFIG = Source("open-gsd/gsd-core 636ec921: bin/install.js", date="2026-08-08")
RULES = Source("dyoshikawa/rulesync cfebcd75: src/constants/opencode-paths.ts", date="2026-08-18")
OBSERVED = Source("opencode 1.18.33, run offline", date="2026-11-30")

SERVER = Entry(
    ("mcp", "{server}"),
    {"type": "local", "command": "{command_line}", "environment": "{env}", "enabled": True},
)
# Nothing about the launcher: the host asks for no shell command unless told to. In a rule it writes the home
# for `~`, so the rule does not match the command as an agent types it (both observed).
ALLOW = Entry(("permission", "external_directory", "{payload}/**"), "allow")

QUIET = {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}

RUNTIME = Runtime(
    id="opencode",
    title="OpenCode",
    home=Home("~/.config/opencode", env=("OPENCODE_CONFIG_DIR",), parents=(("XDG_CONFIG_HOME", "opencode"),)),
    project=".opencode",
    places=(
        # No snippet runs the launcher: arguments are put in first, and their first backtick ends it.
        Place("command", "commands/{name}.md", (markdown("description"),), source=OBSERVED),
        Place(
            "agent",
            "agents/{name}.md",
            (markdown("description", Field("mode", constant="subagent")),),
            source=OBSERVED,
        ),
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=SKILLS),
    ),
    tools={
        "read": "read",
        "write": "write",
        "edit": "edit",
        "search": "grep",
        "find": "glob",
        "run": "bash",
        "fetch": "webfetch",
        "web": "websearch",
        "ask": "question",
        "dispatch": "task",
        "todo": "todowrite",
    },
    reads="workspace",
    detect=("opencode", "~/.config/opencode"),
    cross_reads=(
        "~/.claude/skills/{name}/SKILL.md",
        "~/.agents/skills/{name}/SKILL.md",
        "./.claude/skills/{name}/SKILL.md",
        "./.agents/skills/{name}/SKILL.md",
    ),
    surfaces=(
        Surface(
            "permissions",
            "jsonc",
            ("opencode.jsonc", "opencode.json"),
            (ALLOW,),
            scope="global",
            source=CONFIG,
        ),
        Surface(
            "mcp", "jsonc", ("opencode.jsonc", "opencode.json"), (SERVER,), scope="global", source=CONFIG
        ),
        Surface(
            "mcp", "jsonc", ("./opencode.jsonc", "./opencode.json"), (SERVER,), scope="project", source=CONFIG
        ),
        *instructions(RULES, home="AGENTS.md", project="./AGENTS.md"),
    ),
    notes=(
        "its hooks are JavaScript plugins; none is installed",
        "an unknown tool name or colour in an agent makes every command of it fail, so agents carry neither",
    ),
    asks=(
        Ask(("skill",), ("debug", "skill", "--pure"), ("*", "name"), environ=QUIET, source=OBSERVED),
        Ask(("command",), ("debug", "config", "--pure"), ("command", "@"), environ=QUIET, source=OBSERVED),
        Ask(("agent",), ("debug", "config", "--pure"), ("agent", "@"), environ=QUIET, source=OBSERVED),
    ),
    sources=(SKILLS, LAYOUT, CONFIG, RULES, OBSERVED),
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
        Rewrite("~/.claude", "~/.config/opencode"),
        Rewrite(".claude", ".opencode"),
        Rewrite("CLAUDE.md", "AGENTS.md"),
    )
