"""Command Code."""

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

CALLS = Source(
    "github/spec-kit 27f50f7e: src/specify_cli/integrations/command_code/__init__.py", date="2026-08-21"
)
SKILLS = Source("npm skills 1.7.4: docs/agents.md")
WRITTEN = Source("rulesync 17.0.0, what it writes", date="2026-11-30")

HOOK = Entry(("hooks", "{event}", "-"), {"hooks": [{"type": "command", "command": "{command}"}]})
SERVER = Entry(("mcpServers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})
USER_SERVER = Entry(
    ("mcpServers", "{server}"),
    {"transport": "stdio", "command": "{command}", "args": "{args}", "env": "{env}"},
)
EVENTS = {
    "session-start": "SessionStart",
    "pre-tool": "PreToolUse",
    "post-tool": "PostToolUse",
    "stop": "Stop",
}

RUNTIME = Runtime(
    id="command-code",
    title="Command Code",
    home=Home("~/.commandcode"),
    project=".commandcode",
    places=(
        Place("agent", "agents/{name}.md", (markdown("name", "description"),), source=WRITTEN),
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=SKILLS),
    ),
    invoke="${name}",
    arguments="the words that follow the skill's name in the request",
    detect=("~/.commandcode",),
    cross_reads=("~/.agents/skills/{name}/SKILL.md", "./.agents/skills/{name}/SKILL.md"),
    surfaces=(
        Surface("hooks", "jsonc", ("settings.json",), (HOOK,), EVENTS, source=WRITTEN),
        Surface("mcp", "jsonc", ("mcp.json",), (USER_SERVER,), scope="global", source=WRITTEN),
        Surface("mcp", "jsonc", ("./.mcp.json",), (SERVER,), scope="project", source=WRITTEN, shared=True),
        *instructions(WRITTEN, home="AGENTS.md", project="./AGENTS.md"),
    ),
    notes=(
        "how a file of commands/ is called is not known, a skill is called by $name: commands become skills",
        "that text printed by a session hook reaches the model was not seen here",
    ),
    sources=(CALLS, SKILLS, WRITTEN),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills
