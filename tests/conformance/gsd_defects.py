"""Runtimes with one defect each, and `sound`, which has none: what the conformance suite must tell apart.

Each is a plugin of its own. They share this module, so every one of them is put where its entry point
`gsd_defects.<id>` will look for it.
"""

from __future__ import annotations

import itertools
import os
import sys
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

from gsd_install.runtime import (
    Ask,
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
    inline,
    markdown,
    skill,
    stub,
    toml,
)

DOCS = Source("https://docs.sound.example", date="2026-11-01")
NOWHERE = Source("unknown")

COMMANDS = Place("command", "prompts/{name}.md", (inline, stub), source=DOCS)
SKILLS = Place("skill", "skills/{name}/SKILL.md", (skill,), source=DOCS)
AGENTS = Place("agent", "agents/{name}.toml", (toml("name", Field("prompt", "body")),), source=NOWHERE)
SERVER = Entry(("servers", "{server}"), {"command": "{command}", "args": "{args}"})
HOOK = Entry(("hooks", "{event}", "-"), {"run": "{command}"})
ALLOW = Entry(("read", "allow", "-"), "{payload}/**")
TEXT = Entry(("{block}",), "{text}")

SOUND = Runtime(
    id="sound",
    title="Sound",
    home=Home("~/.sound", env=("SOUND_HOME",), parents=(("SOUND_CONFIG", "sound"),)),
    project=".sound",
    places=(COMMANDS, SKILLS, AGENTS),
    tools={"read": "open"},
    reads="workspace",
    detect=("sound", "~/.sound"),
    surfaces=(
        Surface("hooks", "jsonc", ("settings.json",), (HOOK,), {"session-start": "Start"}, source=DOCS),
        Surface("permissions", "jsonc", ("settings.json",), (ALLOW,), source=DOCS),
        Surface("mcp", "toml", ("servers.toml",), (SERVER,), scope="global", source=DOCS),
        Surface("mcp", "yaml", ("./servers.yaml", "./servers.yml"), (SERVER,), scope="project", source=DOCS),
        Surface("instructions", "block", ("SOUND.md",), (TEXT,), source=DOCS),
    ),
    sources=(DOCS,),
)
CAPS = (
    Cap("command", 2_000, source=DOCS),
    Cap("command", 60, unit="characters", on_excess="warn", field="name", source=DOCS),
    Cap("agent", 400, unit="lines", source=DOCS),
    Cap("skill", 64, unit="characters", field="name", source=DOCS),
    Cap("skill", 1_024, unit="characters", on_excess="shrink", field="description", source=DOCS),
    Cap("skill", 900, unit="tokens", source=DOCS),
    Cap("skill", 4_000, unit="characters", on_excess="warn", field="listing", source=DOCS),
    Cap("rule", 3_000, field="chain", source=DOCS),
)


class Plugin:
    """What a plugin module is to the plugin manager: something with the four hooks."""

    def __init__(
        self, runtime: Runtime, caps: tuple[Cap, ...] = CAPS, converter: Converter | None = None
    ) -> None:
        self.runtime = runtime
        self._caps = caps
        self._converters = {} if converter is None else {"own": converter}

    @hookimpl
    def gsd_runtime(self) -> Runtime:
        return self.runtime

    @hookimpl
    def gsd_caps(self) -> tuple[Cap, ...]:
        return self._caps

    @hookimpl
    def gsd_converters(self) -> Mapping[str, Converter]:
        return self._converters


def changed(**fields: Any) -> Plugin:
    """Sound but for `fields`."""
    return Plugin(SOUND._replace(**fields))


def capped(*caps: Cap) -> Plugin:
    """Sound but for one more cap or a few."""
    return Plugin(SOUND, CAPS + caps)


def commands(converter: Converter, caps: tuple[Cap, ...] = CAPS) -> Plugin:
    """Sound but for how it writes commands."""
    place = COMMANDS._replace(forms=(Form("own"),))
    return Plugin(SOUND._replace(places=(place, SKILLS, AGENTS)), caps, converter)


def skills(converter: Converter) -> Plugin:
    """Sound but for how it writes skills."""
    return Plugin(
        SOUND._replace(places=(COMMANDS, SKILLS._replace(forms=(Form("own"),)), AGENTS)), CAPS, converter
    )


def places(*wrong: Place) -> Plugin:
    """Sound but for a place more or another one in its stead."""
    return changed(places=(COMMANDS, SKILLS, AGENTS, *wrong))


def surface(wrong: Surface) -> Plugin:
    """Sound but for one more surface."""
    return changed(surfaces=(*SOUND.surfaces, wrong._replace(source=DOCS)))


def text(draft: Draft) -> str:
    return f"# {draft.title}\n\n{draft.body}"


def counting() -> Converter:
    """A converter that never gives the same text twice."""
    numbers = itertools.count()
    return lambda draft: f"{text(draft)}\n{next(numbers)}\n"


def marking() -> Converter:
    """A converter that gives the same text all through one process and another in the next."""
    process = uuid.uuid4().hex
    return lambda draft: f"{text(draft)}\n{process}\n"


def writing(path: str) -> Converter:
    """A converter that leaves a file behind."""

    def convert(draft: Draft) -> str:
        file = Path(os.environ["HOME"], path)
        if file.parent.is_dir():
            file.write_text("left behind", encoding="utf-8")
        return text(draft)

    return convert


def healing(draft: Draft) -> str:
    """A converter that repairs what is installed before anybody can look."""
    for base in (os.environ["HOME"], os.getcwd()):
        file = Path(base, ".sound", "prompts", f"{draft.name}.md")
        if file.exists():
            file.write_text(text(draft), encoding="utf-8")
    return text(draft)


def unquoted(draft: Draft) -> str:
    return f"---\nname: {draft.name}\ndescription: about\n---\n{draft.body}"


def with_bom(draft: Draft) -> str:
    return f'\ufeff---\nname: "{draft.name}"\ndescription: "about"\n---\n{draft.body}'


def unclosed(draft: Draft) -> str:
    return f'---\nname: "{draft.name}"\ndescription: "about"\n{draft.body}'


def broken_yaml(draft: Draft) -> str:
    return f"---\nname: {draft.name}\ndescription: {draft.description}\n---\n{draft.body}"


def described(length: int) -> Converter:
    return lambda draft: f'---\nname: "{draft.name}"\ndescription: "{"d" * length}"\n---\n{draft.body}'


def misspelt(value: str) -> Any:
    """A value that the type checker would refuse, as a third party without one may write it."""
    return cast("Any", value)


LINKED = Home("~/.sound", env=("SOUND_HOME",), parents=(("SOUND_HOME", "below"),))
DEFECTS: Mapping[str, Callable[[], Plugin]] = {
    "sound": lambda: Plugin(SOUND),
    "no-places": lambda: changed(places=()),
    "unknown-tool": lambda: changed(tools={"teleport": "beam"}),
    "odd-detect": lambda: changed(detect=("/usr/bin/sound",)),
    "odd-start": lambda: changed(start="type {comand}"),
    "odd-cross-reads": lambda: changed(cross_reads=("skills/{name}/SKILL.md",)),
    "two-formats": lambda: surface(Surface("mcp", "yaml", ("settings.json",), (SERVER,))),
    "dead-cap": lambda: capped(Cap("reference", 10, source=DOCS)),
    "shrunk-name": lambda: capped(Cap("skill", 10, on_excess="shrink", field="name", source=DOCS)),
    "rule-alone": lambda: capped(Cap("rule", 3_000, source=DOCS)),
    "odd-unit": lambda: capped(Cap("skill", 10, unit=misspelt("pages"), source=DOCS)),
    "no-source": lambda: places(Place("rule", "rules/{name}.md", (inline,))),
    "ask-without-source": lambda: changed(asks=(Ask(("skill",), ("list",), ("*", "name")),)),
    "no-sources": lambda: changed(sources=()),
    "odd-date": lambda: changed(sources=(DOCS._replace(date="last week"),)),
    "no-such-day": lambda: changed(sources=(DOCS._replace(date="2026-02-30"),)),
    "dated-unknown": lambda: changed(sources=(NOWHERE._replace(date="2026-11-01"),)),
    "later-day": lambda: changed(sources=(DOCS._replace(date="2999-01-01"),)),
    "places-nothing": lambda: changed(places=(COMMANDS._replace(kind="workflow"),)),
    "home-outside": lambda: changed(home=Home("/etc/sound")),
    "windows-outside": lambda: changed(home=Home("~/.sound", windows="%APPDATA%/../../../sound")),
    "reserved-name": lambda: places(Place("rule", "aux/{name}.md", (inline,), source=DOCS)),
    "backslash": lambda: places(Place("rule", "rules\\{name}.md", (inline,), source=DOCS)),
    "name-twice": lambda: places(Place("rule", "{name}/{name}.md", (inline,), source=DOCS)),
    "flat-skill": lambda: changed(places=(SKILLS._replace(path="skills/{name}.md"),)),
    "same-path": lambda: places(Place("rule", "Prompts/{name}.md", (inline,), source=DOCS)),
    "impure": lambda: commands(counting()),
    "truncating": lambda: commands(lambda draft: text(draft)[:500]),
    "no-body": lambda: changed(places=(COMMANDS._replace(forms=(toml("name"),)),)),
    "not-toml": lambda: changed(places=(COMMANDS, SKILLS, AGENTS._replace(forms=(markdown("name"),)))),
    "bom-prompt": lambda: commands(lambda draft: "\ufeff" + text(draft)),
    "unquoted": lambda: skills(unquoted),
    "bom": lambda: skills(with_bom),
    "unclosed": lambda: skills(unclosed),
    "broken-yaml": lambda: skills(broken_yaml),
    "no-description": lambda: changed(places=(COMMANDS, SKILLS._replace(forms=(markdown("name"),)), AGENTS)),
    "long-description": lambda: skills(described(1_025)),
    "other-name": lambda: changed(
        places=(COMMANDS, SKILLS._replace(forms=(markdown(Field("name", constant="other"), "description"),))),
    ),
    "small-letters": lambda: changed(places=(COMMANDS, SKILLS._replace(path="skills/{name}/skill.md"))),
    "deep-skill": lambda: changed(places=(COMMANDS, SKILLS._replace(path="skills/{name}/deep/SKILL.md"))),
    "no-skill-file": lambda: changed(places=(COMMANDS, SKILLS._replace(path="skills/{name}.md"))),
    "another-each-time": lambda: commands(marking()),
    "healing": lambda: commands(healing),
    "litter": lambda: commands(writing("litter")),
    "occupied": lambda: surface(Surface("mcp", "jsonc", ("settings.json",), (Entry(("mine",), "ours"),))),
    "dead-surface": lambda: surface(
        Surface("instructions", "block", ("OTHER.md",), (Entry(("{block}",), "always the same"),))
    ),
    "through-link": lambda: commands(writing(".sound/prompts/litter")),
    "dead-variable": lambda: changed(home=LINKED),
    "too-small": lambda: capped(Cap("agent", 300, source=DOCS)),
}


def _put_in_place() -> None:
    for name, make in DEFECTS.items():
        plugin = make()
        plugin.runtime = plugin.runtime._replace(id=name)
        sys.modules[f"{__name__}.{name}"] = cast("Any", plugin)


_put_in_place()
