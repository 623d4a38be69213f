"""Acme, a runtime that lives outside this project: folders, a converter of its own, two limits."""

from __future__ import annotations

from collections.abc import Mapping

from gsd_install.runtime import Cap, Converter, Draft, Form, Home, Place, Runtime, hookimpl, skill

RUNTIME = Runtime(
    id="acme",
    title="Acme",
    home=Home("~/.acme", env=("ACME_HOME",)),
    project=".acme",
    places=(
        Place("command", "prompts/{name}.txt", (Form("acme-prompt"),)),
        Place("skill", "skills/{name}/SKILL.md", (skill,)),
    ),
    invoke="!{name}",
    arguments="<words>",
    detect=("acme",),
)


def prompt(draft: Draft) -> str:
    """Acme's prompt files: a title line, then the text."""
    return f"PROMPT {draft.title}: {draft.description}\n\n{draft.body}"


@hookimpl
def gsd_runtime() -> Runtime:
    return RUNTIME


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return (Cap("command", 8_000), Cap("skill", 1_024, unit="characters", field="description"))


@hookimpl
def gsd_converters() -> Mapping[str, Converter]:
    return {"acme-prompt": prompt}
