"""Text on its way to one host: sections become step files, placeholders become the host's words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gsd_install.content.model import Catalog, Document, Part, Placeholder
from gsd_install.emit.target import Target
from gsd_install.kernel.applicability import ATOMS
from gsd_install.kernel.record import NamedTuple
from gsd_install.runtime.model import Runtime

Render = Callable[[Placeholder], str]


class Stretch(NamedTuple):
    """Consecutive text of a document; `hold` says what a budget may do to it (content/holds.py)."""

    text: str
    hold: str = ""


class Step(NamedTuple):
    """A gated section as a text of its own; `path` is relative to the content's folder."""

    id: str
    path: str
    text: str


def step_path(document: Document, section: str) -> str:
    """Where a gated section of a workflow stands, relative to the content's folder."""
    return f"{document.path.removesuffix('.md')}/steps/{section}.md"


def step_pointer(when: str, path: str) -> str:
    """The line that stands in a body for a gated section whose text is at `path`."""
    return f"**When {ATOMS[when].meaning}:** read {path}, do what it says, then go on here."


def composed(
    document: Document, render: Render, spell: Callable[[str], str]
) -> tuple[tuple[Stretch, ...], tuple[Step, ...]]:
    """The text of a document with a pointer in the place of each gated section, and those sections.

    The order of the source is kept; no byte of it is lost.
    """
    body: list[Stretch] = []
    steps: dict[str, Step] = {}
    for section in document.sections:
        text = rendered(section.parts, render)
        if not section.id:
            body.append(Stretch(text, section.hold))
            continue
        path = step_path(document, section.id)
        if path not in steps:
            body.append(Stretch(f"{step_pointer(section.when, spell(path))}\n", ""))
        steps[path] = Step(section.id, path, steps[path].text + text if path in steps else text)
    return tuple(body), tuple(steps.values())


def rendered(parts: tuple[Part, ...], render: Render) -> str:
    """The text of parts, each placeholder replaced."""
    return "".join(part if isinstance(part, str) else render(part) for part in parts)


def renderer(catalog: Catalog, target: Target, located: Mapping[str, str]) -> Render:
    """How placeholders of a catalog read in one target. `located` maps content paths to absolute ones."""
    runtime = target.runtime

    def render(placeholder: Placeholder) -> str:
        argument = placeholder.argument
        match placeholder.verb:
            case "path":
                return _from_home(target.spell(located[argument]), placeholder.home)
            case "launcher":
                return target.launcher(argument)
            case "agent":
                return f"{catalog.prefix}-{argument}"
            case "command":
                return invocation(runtime, f"{catalog.prefix}-{argument}")
            case "invoke":
                return invocation(runtime, argument)
            case "tool":
                return runtime.tools.get(argument, argument)
            case "args":
                return runtime.arguments
            case _:
                return runtime.title

    return render


def _from_home(path: str, home: str) -> str:
    return home + path[1:] if path.startswith("~/") else path


def invocation(runtime: Runtime, name: str) -> str:
    """How a person types a command in this host."""
    return runtime.invoke.replace("{name}", name)
