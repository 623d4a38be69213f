"""The run-time companion in the payload: its code, its launchers, and what it reads about the content.

Below the payload root stand `lib/` (packages as they are imported), `bin/` (launchers), `hosts/<runtime
id>.json` and `<content id>/companion.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from gsd_install.content.model import CONTEXT
from gsd_install.emit.output import Output
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

    from gsd_install.content.model import Catalog, Document
    from gsd_install.emit.interpreter import Interpreter
    from gsd_install.emit.target import Target

FORMAT = 1

# Kinds of outputs that are no content: a report counts them apart.
KINDS = ("code", "launcher", "manifest")


class Code(NamedTuple):
    """What capabilities bring along. `files` are paths below `lib/` and bytes; `launchers` are names and
    `module:function`; `render` is the launcher that renders workflows, or empty."""

    files: tuple[tuple[str, bytes], ...] = ()
    launchers: tuple[tuple[str, str], ...] = ()
    render: str = ""


def placed(code: Code, target: Target, interpreter: Interpreter) -> tuple[Output, ...]:
    """The code and its launchers; the same for every runtime of the scope, and for every project."""
    if not code.launchers:
        return ()
    from gsd_install.emit.launchers import launchers

    outputs = [_output(target, f"lib/{path}", data, "code") for path, data in code.files]
    for name, function in code.launchers:
        first, *others = launchers(name, function, interpreter)
        outputs.append(_output(target, f"bin/{first[0]}", first[1], "launcher", executable=True))
        outputs += [_output(target, f"bin/{path}", data, "launcher") for path, data in others]
    if target.scope == "project":
        outputs.append(_output(target, ".gitignore", b"__pycache__/\n", "manifest"))
    return tuple(outputs)


def host(target: Target) -> Output:
    """How one runtime spells things, for answers that a person or an agent reads there."""
    runtime = target.runtime
    facts: dict[str, Any] = {
        "id": runtime.id,
        "title": runtime.title,
        "invoke": runtime.invoke,
        "arguments": runtime.arguments,
        "tools": dict(runtime.tools),
    }
    hooks = next(
        (item for item in runtime.surfaces if item.name == "hooks" and item.scope in (None, target.scope)),
        None,
    )
    if hooks is not None and hooks.entries:
        tools = {**runtime.tools, **hooks.tools}
        facts["hooks"] = {"envelope": hooks.envelope, "events": dict(hooks.events), "tools": tools}
    return _output(target, f"hosts/{runtime.id}.json", _json(facts), "manifest")


def described(
    catalog: Catalog,
    documents: Iterable[Document],
    target: Target,
    specific: frozenset[str],
) -> tuple[Output, ...]:
    """What the companion needs to know of a content root: where workflows stand, what gates their sections.

    The install profile makes no difference. A workflow that reads differently from host to host does not
    stand in the payload and is left out.
    """
    base = f"content/{catalog.id}"
    found: dict[str, dict[str, Any]] = {"workflow": {}, "command": {}, "agent": {}, "skill": {}}
    context = None
    for document in documents:
        if document.kind == "workflow" and document.path not in specific:
            sections = list(_sections(document, base, target))
            about = {"description": document.meta.get("description", "")}
            found["workflow"][document.id] = {
                "path": f"{base}/{document.path}",
                "sections": sections,
                **about,
            }
        elif document.path == CONTEXT:
            context = f"{base}/{CONTEXT}"
        elif document.kind == "command":
            found["command"][document.id] = {"hint": document.meta.get("argument-hint", "")}
        elif document.kind == "agent":
            found["agent"][document.id] = {"effort": document.meta.get("effort", "standard")}
        elif document.kind == "skill":
            found["skill"][document.id] = {"description": document.meta.get("description", "")}
    facts: dict[str, Any] = {
        "format": FORMAT,
        "content": catalog.id,
        "version": catalog.version,
        "prefix": catalog.prefix,
        "workflows": found["workflow"],
        "commands": found["command"],
        "agents": found["agent"],
        "skills": found["skill"],
        "context": context,
    }
    if catalog.features:
        from gsd_install.emit.extension import table

        facts["capabilities"] = table(catalog, lambda path: f"{base}/{path}")
    return (_output(target, f"{catalog.id}/companion.json", _json(facts), "manifest"),)


def _sections(document: Document, base: str, target: Target) -> Iterator[dict[str, str]]:
    """Its gated sections, each once: one that stands in several places is one text."""
    from gsd_install.emit.text import step_path, step_pointer

    seen = set()
    for section in document.sections:
        if section.id and section.id not in seen:
            seen.add(section.id)
            read = f"{base}/{step_path(document, section.id)}"
            pointer = step_pointer(section.when, target.spell(target.below(target.payload, read)))
            yield {"id": section.id, "when": section.when, "read": read, "pointer": pointer}


def _json(facts: Mapping[str, Any]) -> bytes:
    return f"{json.dumps(facts, ensure_ascii=False)}\n".encode()


def _output(target: Target, path: str, data: bytes, kind: str, *, executable: bool = False) -> Output:
    where = target.below(target.payload, path)
    return Output(where, data, executable, target.root_of(where), kind, path, shared=True)
