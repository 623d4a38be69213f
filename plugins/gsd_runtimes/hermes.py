"""Hermes Agent."""

from __future__ import annotations

from gsd_install.runtime import (
    Ask,
    Cap,
    Entry,
    Home,
    Place,
    Rewrite,
    Runtime,
    Source,
    Surface,
    hookimpl,
    skill,
)

LAYOUT = Source("open-gsd/gsd-core 636ec921: capabilities/hermes/capability.json", date="2026-08-08")
PATHS = Source("dyoshikawa/rulesync cfebcd75: src/constants/hermesagent-paths.ts", date="2026-08-18")
EVENT_NAMES = Source("dyoshikawa/rulesync cfebcd75: src/types/hooks.ts", date="2026-08-18")
OBSERVED = Source("hermes-agent 0.19.0, run offline", date="2026-11-30")
AGENT_SKILLS = Source("https://agentskills.io/specification")

HOOK = Entry(("hooks", "{event}", "-"), {"command": "{command}"})
SERVER = Entry(("mcp_servers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})
EVENTS = {
    "session-start": "on_session_start",
    "session-end": "on_session_end",
    "pre-tool": "pre_tool_call",
    "post-tool": "post_tool_call",
}

RUNTIME = Runtime(
    id="hermes",
    title="Hermes Agent",
    home=Home("~/.hermes", env=("HERMES_HOME",), windows="%LOCALAPPDATA%/hermes"),
    project=".hermes",
    places=(Place("skill", "skills/{name}/SKILL.md", (skill,), scope="global", source=OBSERVED),),
    arguments="the words that follow the skill's name in the request",
    detect=("hermes", "~/.hermes"),
    surfaces=(
        Surface("hooks", "yaml", ("config.yaml",), (HOOK,), EVENTS, scope="global", source=OBSERVED),
        Surface("mcp", "yaml", ("config.yaml",), (SERVER,), scope="global", source=OBSERVED),
    ),
    notes=(
        "it reads skills from the user's directory only, so in a project there is nothing to install",
        "it has no named agents: its own tool hands a task on with the whole prompt",
        "a hook runs once the user has allowed it",
    ),
    asks=(
        Ask(
            ("skill",),
            ("skills", "list"),
            pattern=r"^\u2502 (\S+) +\u2502.* enabled ",
            environ={"COLUMNS": "240"},
            source=OBSERVED,
        ),
    ),
    sources=(LAYOUT, PATHS, EVENT_NAMES, OBSERVED),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return (
        Cap("skill", 64, unit="characters", field="name", source=OBSERVED),
        Cap("skill", 1_024, unit="characters", on_excess="shrink", field="description", source=AGENT_SKILLS),
    )


@hookimpl
def gsd_path_rewrites() -> tuple[Rewrite, ...]:
    return (
        Rewrite("~/.claude", "~/.hermes"),
        Rewrite(".claude", ".hermes"),
        Rewrite("CLAUDE.md", "AGENTS.md"),
    )
