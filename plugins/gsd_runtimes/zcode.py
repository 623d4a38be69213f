"""ZCode."""

from __future__ import annotations

from gsd_install.runtime import (
    Cap,
    Home,
    Place,
    Rewrite,
    Runtime,
    Source,
    agent_skills,
    hookimpl,
    instructions,
    markdown,
    skill,
)

LAYOUT = Source("open-gsd/gsd-core 636ec921: capabilities/zcode/capability.json", date="2026-08-08")
CONVERSION = Source("open-gsd/gsd-core 636ec921: src/runtime-artifact-conversion.cts", date="2026-08-08")
GUIDE = Source("open-gsd/gsd-core 636ec921: docs/how-to/install-on-your-runtime.md", date="2026-08-08")
RULES = Source("rulesync 17.0.0: what it generates")

RUNTIME = Runtime(
    id="zcode",
    title="ZCode",
    home=Home("~/.zcode", env=("ZCODE_CONFIG_DIR",)),
    project=".zcode",
    places=(
        Place("command", "commands/{name}.md", (markdown("description", "argument-hint"),), source=LAYOUT),
        Place("agent", "agents/{name}.md", (markdown("name", "description"),), source=LAYOUT),
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=LAYOUT),
    ),
    detect=("zcode", "~/.zcode"),
    cross_reads=("~/.claude/skills/{name}/SKILL.md",),
    surfaces=instructions(RULES, home="AGENTS.md", project="./AGENTS.md"),
    notes=(
        "a skill is called as $name, an agent as @name",
        "it takes in MCP servers and skills of Claude Code; the form of its own servers and hooks is unknown",
    ),
    sources=(LAYOUT, CONVERSION, GUIDE, RULES),
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
        Rewrite("~/.claude", "~/.zcode"),
        Rewrite(".claude", ".zcode"),
        Rewrite("CLAUDE.md", "AGENTS.md"),
    )
