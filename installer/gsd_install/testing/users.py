"""Files as a user may have them at every place where a runtime wants to add entries of ours.

They hold comments, odd spacing, CRLF line ends and no final newline; and beside every entry of ours
there stands one of the user's, in the same object or array.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from gsd_install.emit.hooks import events
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple
from gsd_install.testing import sample

if TYPE_CHECKING:
    from typing import Any

    from gsd_install.content.model import Hook
    from gsd_install.runtime.model import Entry, Surface
    from gsd_install.testing.emission import Case

KEPT = "kept as it was"
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def write(case: Case) -> dict[Path, str]:
    """Write a file at every path of every surface of the scope; return their texts by path."""
    texts: dict[Path, str] = {}
    for path, surfaces in _by_path(case).items():
        file = Path(case.target.resolve(path))
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        texts[file] = _WRITERS[surfaces[0].format](_containers(surfaces))
        file.write_bytes(texts[file].encode())
        file.chmod(0o600)
    return texts


def faults(case: Case, texts: Mapping[Path, str], hooks: Iterable[Hook]) -> Iterator[str]:
    """Sentences about files `--with all` should have edited, and about lines of the user's that are gone.

    `texts` is what `write` returned, empty where no file was there; `hooks` are those of the content.
    """
    tools = case.target.runtime.tools
    for surface in case.surfaces:
        unheard = surface.name == "hooks" and not any(events(surface, hook, tools) for hook in hooks)
        if not surface.entries or unheard:
            continue
        file = Path(case.target.resolve(surface.paths[0 if texts else -1]))
        found = file.read_bytes().decode() if file.is_file() else ""
        if found == texts.get(file, "") or sample.SURFACE_MARKS.get(surface.name, "") not in found:
            yield f"{file}: nothing came of the surface {surface.name!r}"
    for file, text in texts.items():
        lines = _lines(file.read_bytes().decode())
        yield from (f"{file}: the user's line {line!r} is gone" for line in _lines(text) if line not in lines)


def _lines(text: str) -> list[str]:
    """The lines of a text without what may change around an entry: indentation and a comma at the end."""
    return [line.strip().rstrip(",") for line in text.splitlines()]


def _by_path(case: Case) -> dict[str, list[Surface]]:
    found: dict[str, list[Surface]] = {}
    for surface in case.surfaces:
        for path in surface.paths:
            found.setdefault(path, []).append(surface)
    return found


class _Container(NamedTuple):
    """Where an entry of ours goes: an object, or an array with `item` of the user's in it."""

    steps: tuple[str, ...]
    item: dict[str, str] | str | None


def _containers(surfaces: list[Surface]) -> list[_Container]:
    found: dict[tuple[str, ...], _Container] = {}
    for surface in surfaces:
        for entry in surface.entries:
            for event in surface.events.values() or [""]:
                container = _container(entry, event)
                found[container.steps] = container
    return [container for container in found.values() if container.steps]


def _container(entry: Entry, event: str) -> _Container:
    steps = tuple(step.replace("{event}", event) for step in entry.pointer[:-1])
    if entry.pointer[-1] != "-":
        return _Container(steps, None)
    return _Container(steps, {"mine": KEPT} if isinstance(entry.value, dict) else KEPT)


def _nested(containers: list[_Container]) -> dict[str, Any]:
    tree: dict[str, Any] = {"mine": KEPT}
    for steps, item in containers:
        place = tree
        for step in steps[:-1]:
            place = place.setdefault(step, {})
        if item is None:
            place.setdefault(steps[-1], {})["mine"] = KEPT
        else:
            place[steps[-1]] = [item]
    return tree


def _jsonc(containers: list[_Container]) -> str:
    text = json.dumps(_nested(containers), indent="\t")
    return text.replace("{", "{\n\t// a comment of mine", 1).replace("\n", "\r\n")


def _toml(containers: list[_Container]) -> str:
    top, tables = ["# a comment of mine", f"mine = '{KEPT}'  # odd   spacing"], []
    for steps, item in containers:
        array = f"{_dotted(steps[-1:])} = [ '{KEPT}' ]"
        if item is None:
            tables += [f"[{_dotted((*steps, 'mine'))}]", f"mine = '{KEPT}'"]
        elif isinstance(item, dict):
            tables += [f"[[{_dotted(steps)}]]", f"mine = '{KEPT}'"]
        elif len(steps) == 1:
            top.append(array)
        else:
            tables += [f"[{_dotted(steps[:-1])}]", array]
    return "\r\n".join([*top, "", *tables])


def _dotted(steps: tuple[str, ...]) -> str:
    return ".".join(step if _BARE.fullmatch(step) else json.dumps(step) for step in steps)


def _yaml(containers: list[_Container]) -> str:
    import yaml

    text: str = yaml.safe_dump(_nested(containers), sort_keys=False)
    return f"# a comment of mine\n{text}".replace("\n", "\r\n").rstrip()


def _block(_: list[_Container]) -> str:
    return f"# Mine\r\n\r\n*  {KEPT}\r\n   <!-- a comment of mine -->"


_WRITERS = {"jsonc": _jsonc, "toml": _toml, "yaml": _yaml, "block": _block}
