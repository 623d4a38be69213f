"""Acme, an AI coding host: where it looks for commands, skills and agents, and what it can hold."""

from __future__ import annotations

from collections.abc import Mapping

from gsd_install.runtime import (
    Cap,
    Converter,
    Draft,
    Entry,
    Field,
    Form,
    Home,
    Place,
    Runtime,
    Source,
    Surface,
    hookimpl,
    markdown,
    pointer,
    skill,
)

# Every fact says where it was read, and the date of that page. Where nobody knows: Source("unknown").
PROMPTS = Source("https://docs.acme.example/prompts", date="2026-11-01")
SKILLS = Source("https://docs.acme.example/skills", date="2026-11-01")
SETTINGS = Source("https://docs.acme.example/settings")

PROMPT = Form("acme-prompt")
ALLOW = Entry(("read", "allow", "-"), "{payload}/**")
SERVER = Entry(("servers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})
BLOCK = Entry(("{block}",), "{text}")

RUNTIME = Runtime(
    id="acme",
    title="Acme",
    home=Home("~/.acme", env=("ACME_HOME",)),
    project=".acme",
    places=(
        # A text that is too long for the first form is written in the second: a pointer to the text.
        Place("command", "prompts/{name}.txt", (PROMPT, pointer(PROMPT)), source=PROMPTS),
        Place("skill", "skills/{name}/SKILL.md", (skill,), source=SKILLS),
        Place(
            "agent",
            "agents/{name}.md",
            (markdown("name", "description", Field("tools", join=", ")),),
            source=SKILLS,
        ),
    ),
    invoke="!{name}",
    arguments="<words>",
    tools={"read": "open", "edit": "patch", "run": "shell"},
    reads="workspace",
    detect=("acme", "~/.acme"),
    surfaces=(
        Surface("permissions", "jsonc", ("settings.json",), (ALLOW,), source=SETTINGS),
        Surface("mcp", "toml", ("servers.toml",), (SERVER,), source=SETTINGS),
        Surface("instructions", "block", ("ACME.md",), (BLOCK,), source=SETTINGS),
    ),
    notes=("Acme reads its prompts once, when it starts",),
    sources=(PROMPTS, SKILLS, SETTINGS),
)


def prompt(draft: Draft) -> str:
    """Acme's prompt files: a title line, then the text."""
    return f"PROMPT {draft.title}: {draft.description}\n\n{draft.body}"


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return (
        Cap("command", 8_000, source=PROMPTS),
        Cap("skill", 64, unit="characters", field="name", source=SKILLS),
        Cap("skill", 1_024, unit="characters", on_excess="shrink", field="description", source=SKILLS),
    )


@hookimpl
def gsd_converters() -> Mapping[str, Converter]:
    return {"acme-prompt": prompt}
