"""Kimi CLI, the Python program that Kimi Code replaces."""

from __future__ import annotations

from gsd_install.runtime import (
    Cap,
    Entry,
    Home,
    Place,
    Rewrite,
    Runtime,
    Source,
    Surface,
    agent_skills,
    hookimpl,
    instructions,
    skill,
)

LAYOUT = Source("open-gsd/gsd-core 636ec921: capabilities/kimi/capability.json", date="2026-08-08")
HOMES = Source("open-gsd/gsd-core 636ec921: src/runtime-homes.cts", date="2026-08-08")
HOOKS = Source("open-gsd/gsd-core 636ec921: src/runtime-hooks-surface.cts", date="2026-08-08")
SKILLS = Source("vercel-labs/skills 82dd76bd: src/agents.ts", date="2026-02-14")
OBSERVED = Source("kimi-cli 1.52, run offline", date="2026-11-30")
RULES = Source(
    "github/spec-kit 27f50f7e: extensions/agent-context/agent-context-defaults.json", date="2026-08-21"
)
UNKNOWN = Source("unknown")

HOOK = Entry(("hooks", "-"), {"event": "{event}", "matcher": "{matcher}", "command": "{command}"})
SERVER = Entry(("mcpServers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})
EVENTS = {
    "session-start": "SessionStart",
    "pre-tool": "PreToolUse",
    "post-tool": "PostToolUse",
    "stop": "Stop",
    "pre-compact": "PreCompact",
}
HOOK_TOOLS = {"read": "ReadFile", "write": "WriteFile", "edit": "StrReplaceFile", "run": "Shell"}

RUNTIME = Runtime(
    id="kimi",
    title="Kimi CLI",
    home=Home("~/.config/agents", env=("KIMI_CONFIG_DIR",)),
    project=".agents",
    places=(Place("skill", "skills/{name}/SKILL.md", (skill,), source=SKILLS),),
    invoke="/skill:{name}",
    arguments="the words that follow the skill's name in the request",
    detect=("~/.kimi",),
    surfaces=(
        Surface(
            "hooks",
            "toml",
            ("~/.kimi/config.toml",),
            (HOOK,),
            EVENTS,
            scope="global",
            source=HOOKS,
            tools=HOOK_TOOLS,
        ),
        Surface("mcp", "jsonc", ("~/.kimi/mcp.json",), (SERVER,), scope="global", source=UNKNOWN),
        *instructions(RULES, project="./AGENTS.md"),
    ),
    notes=(
        "version 1.52 only says that it is no longer maintained: see Kimi Code",
        "skills in ~/.config/agents may hide those in ~/.agents; for the latter give --config-dir ~/.agents",
        "its directories of skills are those of other hosts too",
        "its agents need one file that names them all, so none is installed",
        "KIMI_SHARE_DIR, which moves its configuration, is not followed",
    ),
    sources=(LAYOUT, HOMES, HOOKS, SKILLS, RULES, OBSERVED),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return agent_skills


@hookimpl
def gsd_path_rewrites() -> tuple[Rewrite, ...]:
    return (
        Rewrite("~/.claude", "~/.config/agents"),
        Rewrite(".claude", ".agents"),
        Rewrite("CLAUDE.md", "AGENTS.md"),
    )
