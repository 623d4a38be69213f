"""What each hook of a content root becomes for one host: its events, the tools it is for, its command."""

from __future__ import annotations

import os
import re

from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from gsd_install.content.model import Catalog, Hook
    from gsd_install.emit.target import Target
    from gsd_install.runtime.model import Surface

# Forms of answers in which a script may simply print what the model is to know when a session starts.
_PRINTED = frozenset({"text", "specific", "specific-deny"})
_PLAIN = re.compile(r"[\w.:/~+-]+", re.ASCII)


def hook_tables(
    surface: Surface,
    catalog: Catalog,
    target: Target,
    located: Mapping[str, str],
    interpreter: str,
    launcher: str,
) -> Iterator[dict[str, Any]]:
    """What the placeholders of a hook entry stand for, once for each event of each hook; and its mark.

    A hook is left out where the host has none of its events, where it is for some tools and the host cannot
    tell them apart, and where it needs a launcher and there is none; a script that speaks when a session
    starts, where the host takes nothing but JSON.
    """
    for hook in catalog.hooks:
        if hook.run and not launcher:
            continue
        for event, matcher in events(surface, hook, target.runtime.tools):
            mark: tuple[str, ...] = ()
            if hook.run:
                command = _launched(surface, target, launcher, hook.run)
                mark = (" ".join(hook.run), f"bin/{launcher}")
            elif hook.line:
                command = _written(hook, target, located)
            else:
                path = located[hook.script]
                script = path if target.scope == "global" else target.spell(path)
                command = _command_line(_starter(script, interpreter), target)
                mark = (f"{catalog.id}/{hook.script}",)
            yield {"hook": hook.id, "event": event, "matcher": matcher, "command": command, "mark": mark}


def events(surface: Surface, hook: Hook, tools: Mapping[str, str]) -> list[tuple[str, str]]:
    """The host's events for a hook, each with its matcher (empty: all tools)."""
    for name in hook.events:
        if not hook.run and name == "session-start" and surface.envelope not in _PRINTED:
            continue
        if not hook.tools and name in surface.events:
            return [(surface.events[name], surface.every)]
        split = [f"{name}:{tool}" for tool in hook.tools]
        own = [surface.events[key] for key in split if key in surface.events]
        if own:
            return [(event, surface.every) for event in dict.fromkeys(own)]
        spelled = {**tools, **surface.tools}
        matched = dict.fromkeys(spelled[tool] for tool in hook.tools if tool in spelled)
        if matched and name in surface.events and "{matcher}" in repr(surface.entries):
            return [(surface.events[name], "|".join(matched))]
    return []


def _written(hook: Hook, target: Target, located: Mapping[str, str]) -> str:
    """A bundle's own line, with the place of its files in it; a path that needs quotes gets them."""
    text = ""
    for part in hook.line:
        if isinstance(part, str):
            text += part
            continue
        path = located[part.argument]
        path = (path if target.scope == "global" else target.spell(path)).replace("\\", "/")
        text += path if text.endswith(("'", '"')) or _PLAIN.fullmatch(path) else f'"{path}"'
    return text


def _starter(script: str, interpreter: str) -> list[str]:
    """How a script is started; one that is neither Python nor shell starts itself."""
    starter = {".py": [interpreter], ".sh": ["bash"]}.get(os.path.splitext(script)[1], [])
    return [*starter, script]


def _launched(surface: Surface, target: Target, launcher: str, run: tuple[str, ...]) -> str:
    """The launcher with words behind it, which need no quotes.

    A project's files are the same on every system: quoted, the path starts the script in a POSIX shell and
    the `.cmd` beside it in that of Windows.
    """
    words = " ".join(("--runtime", target.runtime.id, *run))
    if target.scope == "project":
        path = target.launcher(launcher)
        program = f"{surface.project_dir}/{path}" if surface.project_dir else f'"{path}"'
        return f"{program} {words}"
    path = target.below(target.payload, f"bin/{launcher}")
    if target.platform.os == "windows":
        slashed = path.replace("\\", "/")
        return f'"{slashed}.cmd" {words}'
    return f"{_command_line([path], target)} {words}"


def _command_line(words: list[str], target: Target) -> str:
    if target.platform.os == "windows":
        # Double quotes and forward slashes mean the same to cmd and to the bash that hosts bring along.
        slashed = [word.replace("\\", "/") for word in words]
        return " ".join(word if _PLAIN.fullmatch(word) else f'"{word}"' for word in slashed)
    from shlex import join

    return join(words)
