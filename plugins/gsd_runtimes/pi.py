"""The pi coding agent."""

from __future__ import annotations

from gsd_install.runtime import (
    Ask,
    Cap,
    Home,
    Place,
    Rewrite,
    Runtime,
    Source,
    hookimpl,
    instructions,
    markdown,
    skill,
)

LAYOUT = Source("open-gsd/gsd-core 636ec921: capabilities/pi/capability.json", date="2026-08-08")
COMMANDS = Source("dyoshikawa/rulesync cfebcd75: src/features/commands/pi-command.ts", date="2026-08-18")
SUPPORT = Source("dyoshikawa/rulesync cfebcd75: docs/reference/supported-tools.md", date="2026-08-18")
OBSERVED = Source("pi 1.6.0, run offline", date="2026-11-30")

RUNTIME = Runtime(
    id="pi",
    title="pi",
    home=Home("~/.pi/agent", env=("PI_CODING_AGENT_DIR",)),
    project=".pi",
    places=(
        Place("command", "prompts/{name}.md", (markdown("description", "argument-hint"),), source=COMMANDS),
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=OBSERVED),
    ),
    detect=("pi", "~/.pi/agent"),
    cross_reads=("~/.agents/skills/{name}/SKILL.md",),
    surfaces=instructions(OBSERVED, home="AGENTS.md", project="./AGENTS.md"),
    notes=(
        "skills of a project are listed once the project is trusted (--approve)",
        "it has no named agents and no MCP; its hooks are extensions in TypeScript, and none is installed",
        "its settings.json belongs to the user alone",
    ),
    asks=(
        Ask(
            ("skill", "command"),
            ("--mode", "rpc"),
            ("data", "commands", "*", "name"),
            said=('{"id": "1", "type": "get_commands"}',),
            environ={"PI_OFFLINE": "1"},
            source=OBSERVED,
        ),
    ),
    sources=(LAYOUT, COMMANDS, SUPPORT, OBSERVED),
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


@hookimpl
def gsd_path_rewrites() -> tuple[Rewrite, ...]:
    return (
        Rewrite("~/.claude", "~/.pi/agent"),
        Rewrite(".claude", ".pi"),
        Rewrite("CLAUDE.md", "AGENTS.md"),
    )
