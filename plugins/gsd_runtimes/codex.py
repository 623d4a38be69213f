"""OpenAI Codex CLI."""

from __future__ import annotations

from gsd_install.runtime import (
    Ask,
    Cap,
    Entry,
    Field,
    Home,
    Place,
    Rewrite,
    Runtime,
    Source,
    Surface,
    hookimpl,
    instructions,
    skill,
    toml,
)

SKILLS = Source("https://developers.openai.com/codex/skills")
AGENTS = Source("open-gsd/gsd-core 636ec921: src/runtime-artifact-conversion.cts", date="2026-08-08")
LAYOUT = Source("open-gsd/gsd-core 636ec921: capabilities/codex/capability.json", date="2026-08-08")
RULES = Source("dyoshikawa/rulesync cfebcd75: src/features/rules/codexcli-rule.ts", date="2026-08-18")
HOOKS = Source("https://developers.openai.com/codex/hooks")
EVENT_NAMES = Source("dyoshikawa/rulesync cfebcd75: src/types/hooks.ts", date="2026-08-18")
OBSERVED = Source("codex 0.171.0, run offline", date="2026-11-30")

HOOK = Entry(
    ("hooks", "{event}", "-"),
    {"matcher": "{matcher}", "hooks": [{"type": "command", "command": "{command}"}]},
)
EVENTS = {
    "session-start": "SessionStart",
    "session-end": "SessionEnd",
    "prompt": "UserPromptSubmit",
    "pre-tool": "PreToolUse",
    "post-tool": "PostToolUse",
    "stop": "Stop",
    "pre-compact": "PreCompact",
}
# The names its hooks know these tools by; it lists no other.
HOOK_TOOLS = {"run": "Bash", "write": "apply_patch", "edit": "apply_patch"}
SERVER = Entry(("mcp_servers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})
SANDBOX = Field("sandbox_mode", "access", values=(("read", "read-only"), ("write", "workspace-write")))

HELLO = '{"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "gsd-install", "version": "1"}}}'

RUNTIME = Runtime(
    id="codex",
    title="Codex",
    home=Home("~/.codex", env=("CODEX_HOME",)),
    project=".codex",
    places=(
        Place("skill", "~/.agents/skills/{name}/SKILL.md", (skill,), scope="global", source=LAYOUT),
        Place("skill", "./.agents/skills/{name}/SKILL.md", (skill,), scope="project", source=SKILLS),
        Place(
            "agent",
            "agents/{name}.toml",
            (toml("name", "description", SANDBOX, Field("developer_instructions", "body")),),
            source=AGENTS,
        ),
    ),
    invoke="${name}",
    arguments="the words that follow the skill's name in the request",
    reads="anywhere",
    detect=("codex", "~/.codex"),
    surfaces=(
        Surface(
            "hooks",
            "jsonc",
            ("hooks.json",),
            (HOOK,),
            EVENTS,
            source=HOOKS,
            envelope="specific-deny",
            tools=HOOK_TOOLS,
        ),
        Surface("mcp", "toml", ("config.toml",), (SERVER,), source=OBSERVED),
        *instructions(RULES, home="AGENTS.md", project="./AGENTS.md"),
    ),
    notes=(
        "skills stand in ~/.agents/skills, which CODEX_HOME does not move",
        "custom prompts (~/.codex/prompts) are deprecated, and 0.171.0 lists none: commands become skills",
    ),
    asks=(
        Ask(
            ("skill",),
            ("app-server",),
            ("result", "data", "*", "skills", "*", "name"),
            said=(HELLO, '{"method": "initialized"}', '{"id": 2, "method": "skills/list", "params": {}}'),
            source=OBSERVED,
        ),
    ),
    sources=(SKILLS, AGENTS, LAYOUT, RULES, HOOKS, EVENT_NAMES, OBSERVED),
)


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return (
        Cap("skill", 64, unit="characters", field="name", source=OBSERVED),
        Cap("skill", 1_024, unit="characters", on_excess="shrink", field="description", source=OBSERVED),
        Cap("rule", 32_768, on_excess="warn", field="chain", scope="project", source=OBSERVED),
    )


@hookimpl
def gsd_path_rewrites() -> tuple[Rewrite, ...]:
    return (Rewrite("~/.claude", "~/.codex"), Rewrite(".claude", ".codex"), Rewrite("CLAUDE.md", "AGENTS.md"))
