"""Kilo Code."""

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

LAYOUT = Source("open-gsd/gsd-core 636ec921: capabilities/kilo/capability.json", date="2026-08-08")
CONVERSION = Source("open-gsd/gsd-core 636ec921: src/runtime-artifact-conversion.cts", date="2026-08-08")
CONFIG = Source("open-gsd/gsd-core 636ec921: bin/install.js", date="2026-08-08")
MCP = Source("dyoshikawa/rulesync cfebcd75: src/features/mcp/kilo-mcp.ts", date="2026-08-18")
OBSERVED = Source("kilo 7.7.9, run offline", date="2026-11-30")

SERVER = Entry(
    ("mcp", "{server}"),
    {"type": "local", "command": "{command_line}", "environment": "{env}", "enabled": True},
)
ALLOW = Entry(("permission", "external_directory", "{payload}/**"), "allow")
READ_ONLY = Field("permission", "access", values=(("read", {"edit": "deny"}),))

QUIET = {"KILO_DISABLE_AUTOUPDATE": "1", "KILO_DISABLE_MODELS_FETCH": "1"}

RUNTIME = Runtime(
    id="kilo",
    title="Kilo Code",
    home=Home("~/.config/kilo", env=("KILO_CONFIG_DIR",), parents=(("XDG_CONFIG_HOME", "kilo"),)),
    project=".kilo",
    places=(
        Place("command", "commands/{name}.md", (markdown("description"),), source=OBSERVED),
        Place(
            "agent",
            "agents/{name}.md",
            (markdown("description", Field("mode", constant="subagent"), READ_ONLY),),
            source=CONVERSION,
        ),
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=OBSERVED),
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
    detect=("kilo", "~/.config/kilo"),
    cross_reads=("~/.agents/skills/{name}/SKILL.md",),
    surfaces=(
        Surface("permissions", "jsonc", ("kilo.jsonc", "kilo.json"), (ALLOW,), scope="global", source=CONFIG),
        Surface("mcp", "jsonc", ("kilo.jsonc", "kilo.json"), (SERVER,), scope="global", source=OBSERVED),
        Surface("mcp", "jsonc", ("./kilo.jsonc", "./kilo.json"), (SERVER,), scope="project", source=MCP),
        *instructions(OBSERVED, home="AGENTS.md", project="./AGENTS.md"),
    ),
    notes=(
        "skills of the user stand in its configuration directory, where it lists them; ~/.kilo is read too",
        "its hooks are JavaScript plugins; none is installed",
        "an agent with a list of tools is refused: what it may do is a permission map",
    ),
    asks=(
        Ask(("skill",), ("debug", "skill", "--pure"), ("*", "name"), environ=QUIET, source=OBSERVED),
        Ask(("command",), ("debug", "config", "--pure"), ("command", "@"), environ=QUIET, source=OBSERVED),
        Ask(("agent",), ("debug", "config", "--pure"), ("agent", "@"), environ=QUIET, source=OBSERVED),
    ),
    sources=(LAYOUT, CONVERSION, CONFIG, MCP, OBSERVED),
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
        Rewrite("~/.claude", "~/.config/kilo"),
        Rewrite(".claude", ".kilo"),
        Rewrite("CLAUDE.md", "AGENTS.md"),
    )
