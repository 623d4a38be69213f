"""Antigravity CLI, by Google."""

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
    instructions,
    markdown,
    skill,
)

SKILLS = Source(
    "dyoshikawa/rulesync cfebcd75: src/features/skills/antigravity-cli-skill.ts", date="2026-08-18"
)
AGENTS = Source(
    "dyoshikawa/rulesync cfebcd75: src/features/subagents/antigravity-cli-subagent.ts", date="2026-08-18"
)
HOOKS = Source("dyoshikawa/rulesync cfebcd75: src/features/hooks/antigravity-hooks.ts", date="2026-08-18")
MCP = Source("dyoshikawa/rulesync cfebcd75: src/features/mcp/antigravity-cli-mcp.ts", date="2026-08-18")
RULES = Source("dyoshikawa/rulesync cfebcd75: src/features/rules/antigravity-cli-rule.ts", date="2026-08-18")
CALLS = Source("github/spec-kit 27f50f7e: src/specify_cli/integrations/agy/__init__.py", date="2026-08-21")

HOOK = Entry(
    ("gsd-install", "{event}", "-"),
    {"matcher": "{matcher}", "hooks": [{"type": "command", "command": "{command}"}]},
)
SERVER = Entry(("mcpServers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})
EVENTS = {"pre-tool": "PreToolUse", "post-tool": "PostToolUse"}

RUNTIME = Runtime(
    id="antigravity-cli",
    title="Antigravity CLI",
    home=Home("~/.gemini/antigravity-cli"),
    project=".agents",
    places=(
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=SKILLS),
        Place(
            "agent",
            "~/.gemini/config/agents/{name}.md",
            (markdown("name", "description"),),
            scope="global",
            source=AGENTS,
        ),
        Place(
            "agent", "agents/{name}.md", (markdown("name", "description"),), scope="project", source=AGENTS
        ),
    ),
    arguments="the words that follow the skill's name in the request",
    detect=("agy", "~/.gemini/antigravity-cli"),
    surfaces=(
        Surface(
            "hooks",
            "jsonc",
            ("~/.gemini/config/hooks.json",),
            (HOOK,),
            EVENTS,
            scope="global",
            source=HOOKS,
            every="*",
        ),
        Surface("hooks", "jsonc", ("hooks.json",), (HOOK,), EVENTS, scope="project", source=HOOKS, every="*"),
        Surface(
            "mcp",
            "jsonc",
            ("~/.gemini/config/mcp_config.json",),
            (SERVER,),
            scope="global",
            source=MCP,
            shared=True,
        ),
        Surface("mcp", "jsonc", ("mcp_config.json",), (SERVER,), scope="project", source=MCP, shared=True),
        *instructions(RULES, home="~/.gemini/GEMINI.md", project="./AGENTS.md"),
    ),
    notes=(
        "it has no event for the start of a session",
        "workflows are named by one source; commands become skills, as four of them have it",
    ),
    sources=(SKILLS, AGENTS, HOOKS, MCP, RULES, CALLS),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
