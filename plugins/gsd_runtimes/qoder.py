"""Qoder CLI."""

from __future__ import annotations

from gsd_install.runtime import (
    Ask,
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
    markdown,
    skill,
)

RULES = Source(
    "github/spec-kit 27f50f7e: extensions/agent-context/agent-context-defaults.json", date="2026-08-21"
)
OBSERVED = Source("qodercli 1.1.52, run offline", date="2026-11-30")

SERVER = Entry(("mcpServers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})

RUNTIME = Runtime(
    id="qoder",
    title="Qoder CLI",
    home=Home("~/.qoder"),
    project=".qoder",
    places=(
        Place("command", "commands/{name}.md", (markdown("description"),), source=OBSERVED),
        Place("agent", "agents/{name}.md", (markdown("name", "description"),), source=OBSERVED),
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=OBSERVED),
    ),
    detect=("qodercli", "~/.qoder"),
    cross_reads=("~/.agents/skills/{name}/SKILL.md",),
    surfaces=(
        Surface("mcp", "jsonc", ("settings.json",), (SERVER,), source=OBSERVED),
        *instructions(RULES, project="./QODER.md"),
    ),
    notes=("1.1.52 ran no hook before login, so none is installed",),
    asks=(
        Ask(("skill", "command"), ("skills", "list"), pattern=r"^(\S+) \[Enabled\]", source=OBSERVED),
        Ask(("agent",), ("agents", "list"), pattern=r"^\s+(\S+) \u00b7 ", source=OBSERVED),
    ),
    sources=(RULES, OBSERVED),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
