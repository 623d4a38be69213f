"""Cline."""

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

LAYOUT = Source("open-gsd/gsd-core 636ec921: capabilities/cline/capability.json", date="2026-08-08")
AGENTS = Source("dyoshikawa/rulesync cfebcd75: src/features/subagents/cline-subagent.ts", date="2026-08-18")
HOOKS = Source("dyoshikawa/rulesync cfebcd75: src/features/hooks/cline-hooks.ts", date="2026-08-18")
OBSERVED = Source("cline 3.0.65, run offline", date="2026-11-30")

SERVER = Entry(("mcpServers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})

RUNTIME = Runtime(
    id="cline",
    title="Cline",
    home=Home("~/.cline", env=("CLINE_CONFIG_DIR",)),
    project=".cline",
    places=(
        Place("agent", "agents/{name}.yaml", (markdown("name", "description"),), source=OBSERVED),
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=OBSERVED),
    ),
    arguments="the words that follow the skill's name in the request",
    detect=("cline", "~/.cline"),
    cross_reads=("~/.agents/skills/{name}/SKILL.md",),
    surfaces=(
        Surface(
            "mcp",
            "jsonc",
            ("data/settings/cline_mcp_settings.json",),
            (SERVER,),
            scope="global",
            source=OBSERVED,
        ),
        *instructions(OBSERVED, home="rules/gsd-install.md", project="./AGENTS.md"),
    ),
    notes=(
        "commands become skills; .clinerules, a file for some and a directory for others, is left alone",
        "an agent is a .yaml file that holds frontmatter and a text",
        "a hook is one executable file for each event, named as the event; none is installed",
        "skills are found exactly one directory deep",
        "its permissions stand in an environment variable; none is written",
    ),
    sources=(LAYOUT, AGENTS, HOOKS, OBSERVED),
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
        Rewrite("~/.claude", "~/.cline"),
        Rewrite(".claude", ".cline"),
        Rewrite("CLAUDE.md", "AGENTS.md"),
    )
