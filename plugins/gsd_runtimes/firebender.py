"""Firebender."""

from __future__ import annotations

from gsd_install.runtime import (
    Cap,
    Entry,
    Home,
    Place,
    Runtime,
    Source,
    Surface,
    agent_skills,
    hookimpl,
    skill,
)

SKILLS = Source("npm skills 1.7.4: docs/agents.md")
PROJECT_SKILLS = Source(
    "bmad-code-org/BMAD-METHOD 67d876f1: tools/installer/ide/platform-codes.yaml", date="2026-04-25"
)
MCP = Source("intellectronica/ruler 0fa2cae: src/paths/mcp.ts")

SERVER = Entry(("mcpServers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})

RUNTIME = Runtime(
    id="firebender",
    title="Firebender",
    home=Home("~/.firebender"),
    project=".firebender",
    places=(
        Place("skill", "skills/{name}/SKILL.md", (skill,), scope="global", source=SKILLS),
        Place("skill", "skills/{name}/SKILL.md", (skill,), scope="project", source=PROJECT_SKILLS),
    ),
    invoke="use the skill {name}",
    arguments="the words that follow the skill's name in the request",
    detect=("~/.firebender",),
    cross_reads=("~/.agents/skills/{name}/SKILL.md", "./.agents/skills/{name}/SKILL.md"),
    surfaces=(Surface("mcp", "jsonc", ("./firebender.json",), (SERVER,), scope="project", source=MCP),),
    notes=("commands/*.mdc are named by one source and for projects only; commands become skills",),
    sources=(SKILLS, PROJECT_SKILLS, MCP),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
