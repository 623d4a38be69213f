"""Replit Agent."""

from __future__ import annotations

from gsd_install.runtime import Cap, Home, Place, Runtime, Source, agent_skills, hookimpl, instructions, skill

SKILLS = Source("dyoshikawa/rulesync cfebcd75: src/features/skills/replit-skill.ts", date="2026-08-18")
RULES = Source("dyoshikawa/rulesync cfebcd75: src/features/rules/replit-rule.ts", date="2026-08-18")

RUNTIME = Runtime(
    id="replit",
    title="Replit Agent",
    home=Home("~/.agents"),
    project=".agents",
    places=(Place("skill", "skills/{name}/SKILL.md", (skill,), source=SKILLS),),
    invoke="use the skill {name}",
    arguments="the words that follow the skill's name in the request",
    cross_reads=("~/.config/agents/skills/{name}/SKILL.md",),
    surfaces=instructions(RULES, project="./replit.md"),
    notes=("the sources differ on the skills of a user: ~/.agents or ~/.config/agents",),
    sources=(SKILLS, RULES),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
