"""Windsurf (now also called Devin Desktop)."""

from __future__ import annotations

from gsd_install.runtime import (
    Cap,
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
UNKNOWN = Source("unknown")

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
        Surface("hooks", "jsonc", ("hooks.json",), source=HOOKS),
        Surface("mcp", "jsonc", ("mcp_config.json",), scope="global", source=MCP),
        *instructions(UNKNOWN, home="memories/global_rules.md", project="./AGENTS.md"),
    ),
    notes=(
        "the 12,000 limit is documented in characters; it is enforced in bytes, which is stricter",
        "no evidence that agents/ is loaded: the files serve as texts a workflow can point at",
        "its hooks can block but not add context, so session orientation is not installed",
    ),
    sources=(WORKFLOWS, LAYOUT, HOOKS, SKILLS),
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
