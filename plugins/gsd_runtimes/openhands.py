"""OpenHands."""

from __future__ import annotations

from gsd_install.runtime import Cap, Home, Place, Runtime, Source, agent_skills, hookimpl, instructions, skill

SKILLS = Source("npm skills 1.7.4: docs/agents.md")
SHARED = Source(
    "bmad-code-org/BMAD-METHOD 67d876f1: tools/installer/ide/platform-codes.yaml", date="2026-04-25"
)
RULES = Source("intellectronica/ruler 0fa2cae: src/agents/OpenHandsAgent.ts")
OBSERVED = Source("openhands 1.16.0, run offline", date="2026-11-30")

RUNTIME = Runtime(
    id="openhands",
    title="OpenHands",
    home=Home("~/.openhands"),
    project=".openhands",
    places=(Place("skill", "skills/{name}/SKILL.md", (skill,), source=SKILLS),),
    invoke="use the skill {name}",
    arguments="the words that follow the skill's name in the request",
    detect=("openhands", "~/.openhands"),
    cross_reads=("~/.agents/skills/{name}/SKILL.md", "./.agents/skills/{name}/SKILL.md"),
    surfaces=instructions(RULES, project="microagents/repo.md"),
    notes=("1.16.0 shows nothing of a session before login, and the place of its MCP servers is not known",),
    sources=(SKILLS, SHARED, RULES, OBSERVED),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
