"""ForgeCode."""

from __future__ import annotations

from gsd_install.runtime import Cap, Home, Place, Runtime, Source, agent_skills, hookimpl, instructions, skill

SKILLS = Source("npm skills 1.7.4: docs/agents.md")
RULES = Source(
    "github/spec-kit 27f50f7e: extensions/agent-context/agent-context-defaults.json", date="2026-08-21"
)

RUNTIME = Runtime(
    id="forge",
    title="ForgeCode",
    home=Home("~/.forge"),
    project=".forge",
    places=(Place("skill", "skills/{name}/SKILL.md", (skill,), source=SKILLS),),
    invoke="use the skill {name}",
    arguments="the words that follow the skill's name in the request",
    detect=("~/.forge",),
    surfaces=instructions(RULES, project="./AGENTS.md"),
    notes=("commands are named by one source and for projects only; they become skills",),
    sources=(SKILLS, RULES),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
