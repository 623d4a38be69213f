"""Lingma."""

from __future__ import annotations

from gsd_install.runtime import Cap, Home, Place, Runtime, Source, agent_skills, hookimpl, instructions, skill

SKILLS = Source("npm skills 1.7.4: docs/agents.md")
CALLS = Source("github/spec-kit 27f50f7e: src/specify_cli/integrations/lingma/__init__.py", date="2026-08-21")
RULES = Source(
    "github/spec-kit 27f50f7e: extensions/agent-context/agent-context-defaults.json", date="2026-08-21"
)

RUNTIME = Runtime(
    id="lingma",
    title="Lingma",
    home=Home("~/.lingma"),
    project=".lingma",
    places=(Place("skill", "skills/{name}/SKILL.md", (skill,), source=SKILLS),),
    arguments="the words that follow the skill's name in the request",
    detect=("~/.lingma",),
    surfaces=instructions(RULES, project="rules/gsd.md"),
    sources=(SKILLS, CALLS, RULES),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
