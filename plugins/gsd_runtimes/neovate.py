"""Neovate."""

from __future__ import annotations

from gsd_install.runtime import Cap, Home, Place, Runtime, Source, agent_skills, hookimpl, skill

SKILLS = Source("npm skills 1.7.4: docs/agents.md")
VERIFIED = Source(
    "bmad-code-org/BMAD-METHOD 67d876f1: tools/installer/ide/platform-codes.yaml", date="2026-04-25"
)

RUNTIME = Runtime(
    id="neovate",
    title="Neovate",
    home=Home("~/.neovate"),
    project=".neovate",
    places=(Place("skill", "skills/{name}/SKILL.md", (skill,), source=SKILLS),),
    invoke="use the skill {name}",
    arguments="the words that follow the skill's name in the request",
    detect=("~/.neovate",),
    sources=(SKILLS, VERIFIED),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
