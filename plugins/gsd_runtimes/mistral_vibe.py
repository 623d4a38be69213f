"""Mistral Vibe."""

from __future__ import annotations

from gsd_install.runtime import (
    Cap,
    Entry,
    Home,
    Place,
    Runtime,
    Source,
    Surface,
    hookimpl,
    instructions,
    skill,
)

HOOKS = Source("dyoshikawa/rulesync cfebcd75: src/features/hooks/vibe-hooks.ts", date="2026-08-18")
OBSERVED = Source("mistral-vibe 3.0.2, run offline", date="2026-11-30")

HOOK = Entry(("hooks", "-"), {"name": "gsd-{hook}", "type": "{event}", "command": "{command}"})
EVENTS = {"pre-tool": "pre_tool", "post-tool": "post_tool", "stop": "post_agent"}

RUNTIME = Runtime(
    id="mistral-vibe",
    title="Mistral Vibe",
    home=Home("~/.vibe", env=("VIBE_HOME",)),
    project=".vibe",
    places=(Place("skill", "skills/{name}/SKILL.md", (skill,), source=OBSERVED),),
    arguments="the words that follow the skill's name in the request",
    detect=("vibe", "~/.vibe"),
    cross_reads=("~/.agents/skills/{name}/SKILL.md", "./.agents/skills/{name}/SKILL.md"),
    surfaces=(
        Surface("hooks", "toml", ("hooks.toml",), (HOOK,), EVENTS, source=HOOKS, envelope="code"),
        *instructions(OBSERVED, home="AGENTS.md", project="./AGENTS.md"),
    ),
    notes=(
        "it has no event for the start of a session",
        "it asks before it reads outside the project, and a list of lines to allow would replace its own",
        "3.0.2 showed its model neither agents nor MCP servers: none is installed",
        "the skills of a project were seen only with the folder trusted",
    ),
    sources=(HOOKS, OBSERVED),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return (
        Cap("skill", 64, unit="characters", field="name", source=OBSERVED),
        Cap("skill", 1_024, unit="characters", on_excess="shrink", field="description", source=OBSERVED),
    )
