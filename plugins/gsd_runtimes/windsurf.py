"""Windsurf (now also called Devin Desktop)."""

from __future__ import annotations

from gsd_install.runtime import (
    Cap,
    Entry,
    Home,
    Place,
    Runtime,
    Source,
    Surface,
    agent_skills,
    hookimpl,
    inline,
    instructions,
    markdown,
    skill,
    stub,
)

WORKFLOWS = Source("https://docs.windsurf.com/windsurf/cascade/workflows", date="2026-08-08")
LAYOUT = Source("open-gsd/gsd-core 636ec921: capabilities/windsurf/capability.json", date="2026-08-08")
HOOKS = Source("open-gsd/gsd-core 636ec921: src/runtime-hooks-surface.cts", date="2026-08-08")
SKILLS = Source("vercel-labs/skills 82dd76bd: src/agents.ts", date="2026-02-14")
MCP = Source("open-gsd/gsd-core 636ec921: docs/how-to/connect-gsd-mcp-server.md", date="2026-08-08")
ANSWERS = Source("https://docs.windsurf.com/windsurf/cascade/hooks")
UNKNOWN = Source("unknown")

HOOK = Entry(("hooks", "{event}", "-"), {"command": "{command}"})
EVENTS = {
    "prompt": "pre_user_prompt",
    "pre-tool:read": "pre_read_code",
    "pre-tool:write": "pre_write_code",
    "pre-tool:edit": "pre_write_code",
    "pre-tool:run": "pre_run_command",
    "stop": "post_cascade_response",
}

RUNTIME = Runtime(
    id="windsurf",
    title="Windsurf",
    home=Home("~/.codeium/windsurf", env=("WINDSURF_CONFIG_DIR",)),
    project=".windsurf",
    places=(
        Place("command", "workflows/{name}.md", (inline, stub), scope="project", source=WORKFLOWS),
        Place("command", "global_workflows/{name}.md", (inline, stub), scope="global", source=WORKFLOWS),
        Place("agent", "agents/{name}.md", (markdown("name", "description"),), source=LAYOUT),
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=SKILLS),
    ),
    arguments="the words typed after the workflow's name",
    detect=("windsurf", "~/.codeium/windsurf"),
    surfaces=(
        Surface("hooks", "jsonc", ("hooks.json",), (HOOK,), EVENTS, source=HOOKS, envelope="code"),
        Surface("mcp", "jsonc", ("mcp_config.json",), scope="global", source=MCP),
        *instructions(UNKNOWN, home="memories/global_rules.md", project="./AGENTS.md"),
    ),
    notes=(
        "the 12,000 limit is documented in characters; it is enforced in bytes, which is stricter",
        "no evidence that agents/ is loaded: the files serve as texts a workflow can point at",
        "its hooks can block but not add context, and none runs when a session starts",
        "its hooks after a tool are not told what it brought back; none is installed",
    ),
    sources=(WORKFLOWS, LAYOUT, HOOKS, ANSWERS, SKILLS),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return (
        Cap("command", 12_000, source=WORKFLOWS),
        Cap("command", 128, unit="characters", field="name", source=LAYOUT),
        *agent_skills,
    )
