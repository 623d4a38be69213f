"""Trae."""

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
    markdown,
    skill,
)

LAYOUT = Source("open-gsd/gsd-core 636ec921: capabilities/trae/capability.json", date="2026-08-08")
CONVERSION = Source("open-gsd/gsd-core 636ec921: src/runtime-artifact-conversion.cts", date="2026-08-08")
MCP = Source("open-gsd/gsd-core 636ec921: docs/how-to/connect-gsd-mcp-server.md", date="2026-08-08")
OLDER_RULES = Source(
    "github/spec-kit 27f50f7e: extensions/agent-context/agent-context-defaults.json", date="2026-08-21"
)

SERVER = Entry(("mcpServers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})
RULES = Entry(("{block}",), "{text}")

RUNTIME = Runtime(
    id="trae",
    title="Trae",
    home=Home("~/.trae", env=("TRAE_CONFIG_DIR",)),
    project=".trae",
    places=(
        Place("agent", "agents/{name}.md", (markdown("name", "description"),), source=CONVERSION),
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=LAYOUT),
    ),
    arguments="the words that follow the skill's name in the request",
    tools={"edit": "StrReplace", "run": "Shell"},
    detect=("trae", "~/.trae"),
    surfaces=(
        Surface("mcp", "jsonc", ("mcp.json",), (SERVER,), scope="project", source=MCP),
        Surface(
            "instructions",
            "block",
            ("rules/project_rules.md", "rules/rules.md"),
            (RULES,),
            scope="project",
            source=LAYOUT,
        ),
    ),
    notes=(
        "it has no commands of its own and no hooks: commands become skills",
        "a skill deeper than one directory is shown as an error",
        "project_rules.md is the older name of its rules; where it is there, it is used",
        "the edition for China keeps its skills in ~/.trae-cn: give it with --config-dir",
    ),
    sources=(LAYOUT, CONVERSION, MCP, OLDER_RULES),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills


@hookimpl
def gsd_path_rewrites() -> tuple[Rewrite, ...]:
    return (Rewrite("~/.claude", "~/.trae"), Rewrite(".claude", ".trae"))
