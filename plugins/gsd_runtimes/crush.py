"""Crush."""

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
    instructions,
    skill,
)

SKILLS = Source("npm skills 1.7.4: docs/agents.md")
WRITTEN = Source("rulesync 17.0.0, what it writes", date="2026-11-30")

HOOK = Entry(("hooks", "{event}", "-"), {"command": "{command}"})
SERVER = Entry(
    ("mcp", "{server}"), {"type": "stdio", "command": "{command}", "args": "{args}", "env": "{env}"}
)
EVENTS = {"pre-tool": "PreToolUse"}

RUNTIME = Runtime(
    id="crush",
    title="Crush",
    home=Home("~/.config/crush", parents=(("XDG_CONFIG_HOME", "crush"),)),
    project=".crush",
    places=(Place("skill", "skills/{name}/SKILL.md", (skill,), source=SKILLS),),
    invoke="use the skill {name}",
    arguments="the words that follow the skill's name in the request",
    detect=("crush", "~/.config/crush"),
    cross_reads=("~/.config/agents/skills/{name}/SKILL.md", "./.agents/skills/{name}/SKILL.md"),
    surfaces=(
        Surface("hooks", "jsonc", ("crush.json",), (HOOK,), EVENTS, scope="global", source=WRITTEN),
        Surface(
            "hooks",
            "jsonc",
            ("./.crush.json", "./crush.json"),
            (HOOK,),
            EVENTS,
            scope="project",
            source=WRITTEN,
        ),
        Surface("mcp", "jsonc", ("crush.json",), (SERVER,), scope="global", source=WRITTEN),
        Surface(
            "mcp", "jsonc", ("./.crush.json", "./crush.json"), (SERVER,), scope="project", source=WRITTEN
        ),
        *instructions(WRITTEN, home="CRUSH.md", project="./CRUSH.md"),
    ),
    notes=("it has no event for the start of a session",),
    sources=(SKILLS, WRITTEN),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
