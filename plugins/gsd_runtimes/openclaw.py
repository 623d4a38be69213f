"""OpenClaw."""

from __future__ import annotations

from gsd_install.runtime import Cap, Home, Place, Runtime, Source, agent_skills, hookimpl, skill

SKILLS = Source("npm skills 1.7.4: docs/agents.md")
SHARED = Source(
    "bmad-code-org/BMAD-METHOD 67d876f1: tools/installer/ide/platform-codes.yaml", date="2026-04-25"
)

RUNTIME = Runtime(
    id="openclaw",
    title="OpenClaw",
    home=Home("~/.openclaw"),
    project=".agents",
    places=(
        Place("skill", "skills/{name}/SKILL.md", (skill,), scope="global", source=SKILLS),
        Place("skill", "skills/{name}/SKILL.md", (skill,), scope="project", source=SHARED),
    ),
    invoke="use the skill {name}",
    arguments="the words that follow the skill's name in the request",
    detect=("~/.openclaw",),
    cross_reads=("~/.agents/skills/{name}/SKILL.md", "./skills/{name}/SKILL.md"),
    notes=("it also reads skills/ at the top of a project, which is left to the project's own skills",),
    sources=(SKILLS, SHARED),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
