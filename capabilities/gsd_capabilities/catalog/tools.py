"""The tools of the server: their names, their schemas and what they do."""

from __future__ import annotations

import base64

from gsd_capabilities.catalog import disk, state
from gsd_capabilities.catalog.addresses import RefusedError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from gsd_capabilities.catalog.desk import Desk

TEXT: Mapping[str, Any] = {"type": "string"}
WORDS: Mapping[str, Any] = {"type": "array", "items": {"type": "string"}}
COUNT: Mapping[str, Any] = {"type": "integer", "minimum": 0}

# What every tool answers with. `artifact` stands in for an `output` that is too bulky for a conversation.
OUTPUT: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "ok": {"type": "boolean"},
        "output": TEXT,
        "encoding": {"type": "string", "enum": ["utf-8", "base64"]},
        "artifact": TEXT,
        "bytes": COUNT,
        "notes": WORDS,
        "reason": TEXT,
        "message": TEXT,
        "hint": TEXT,
    },
    "required": ["ok"],
    "additionalProperties": False,
}


class Answer(NamedTuple):
    """What a tool found: bytes, and notes about them. `recovered` bytes were asked back and stay whole."""

    data: bytes
    notes: tuple[str, ...] = ()
    recovered: bool = False
    instructions: bool = False


class Field(NamedTuple):
    """One argument of a tool."""

    schema: Mapping[str, Any]
    description: str
    required: bool = False


class Tool(NamedTuple):
    """One tool; `writes` says that it may change files of the project."""

    name: str
    title: str
    description: str
    fields: Mapping[str, Field]
    run: Callable[[Desk, Mapping[str, Any]], Answer]
    writes: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        return {
            "type": "object",
            "properties": {
                name: {**field.schema, "description": field.description}
                for name, field in self.fields.items()
            },
            "required": [name for name, field in self.fields.items() if field.required],
            "additionalProperties": False,
        }


def checked(tool: Tool, arguments: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """The arguments of a call as the schema says. Raises RefusedError `invalid_params`."""
    given = arguments or {}
    for name in given:
        if name not in tool.fields:
            message = f"{tool.name} takes {', '.join(tool.fields)}, not {name}"
            raise RefusedError("invalid_params", message, name)
    for name, field in tool.fields.items():
        if name not in given and field.required:
            raise RefusedError("invalid_params", f"{tool.name} needs {name}", name)
        if name in given and not _is(given[name], field.schema):
            raise RefusedError("invalid_params", f"{name} is not of type {field.schema['type']}", name)
    return given


def _is(value: object, schema: Mapping[str, Any]) -> bool:
    if schema is WORDS:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    if schema is COUNT:
        return type(value) is int and value >= 0
    return isinstance(value, str)


def invoke(desk: Desk, given: Mapping[str, Any]) -> Answer:
    """Run any verb."""
    words = given["words"]
    ran = desk.run(words, given.get("stdin", ""))
    recovered = words[:2] == ["artifact", "get"]
    return Answer(ran.data, ran.notes, recovered, instructions=words[0] in ("init", "render"))


def read_state(desk: Desk, given: Mapping[str, Any]) -> Answer:
    """Read a planning file."""
    return Answer(state.read(desk.cwd, given["path"]))


def write_state(desk: Desk, given: Mapping[str, Any]) -> Answer:
    """Write a planning file."""
    size = state.write(desk.cwd, given["path"], given["content"])
    return Answer(f"{size} bytes are in {given['path']}\n".encode())


def render(desk: Desk, given: Mapping[str, Any]) -> Answer:
    """Print a workflow for one invocation."""
    limit = ["--max-tokens", str(given["max_tokens"])] if "max_tokens" in given else []
    ran = desk.run(["render", *limit, given["workflow"], "-"], given.get("arguments", ""))
    return Answer(ran.data, ran.notes, instructions=True)


def query(desk: Desk, given: Mapping[str, Any]) -> Answer:
    """Look for predicates."""
    ran = desk.run(["query", "context-predicates", *(f"--{name}={value}" for name, value in given.items())])
    return Answer(ran.data, ran.notes)


def artifact(desk: Desk, given: Mapping[str, Any]) -> Answer:
    """Read an artifact back."""
    options = [f"--{name}={given[name]}" for name in ("budget", "bytes", "lines") if name in given]
    ran = desk.run(["artifact", "get", *options, given["reference"]])
    return Answer(ran.data, ran.notes, recovered=True)


def shown(data: bytes) -> dict[str, Any]:
    """Bytes as the structured answer holds them."""
    text = disk.text(data)
    if isinstance(text, str):
        return {"output": text, "bytes": len(data)}
    return {"output": base64.b64encode(data).decode(), "encoding": "base64", "bytes": len(data)}


_PATH = Field(TEXT, "the file, relative to .planning: STATE.md, phases/01-login/01-01-PLAN.md", required=True)

TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "gsd_artifact_get",
            "Get an artifact",
            "Reads back a bulky result by its reference, whole or in part, within a budget.",
            {
                "reference": Field(TEXT, "what stands in for the result", required=True),
                "budget": Field(COUNT, "the most bytes to answer with (default: 50000)"),
                "lines": Field(TEXT, "only these lines: 10-20, 10- or 10, counted from 1"),
                "bytes": Field(TEXT, "only these bytes: 0-999, 500- or 0, counted from 0"),
            },
            artifact,
        ),
        Tool(
            "gsd_invoke_command",
            "Run a verb of gsd-tools",
            "Runs one verb of gsd-tools in the project: state get, phase list, validate, commit and so on.",
            {
                "words": Field(WORDS, 'the verb and its words: ["state", "get"]', required=True),
                "stdin": Field(TEXT, "what the verb reads where one of its words is -"),
            },
            invoke,
            writes=True,
        ),
        Tool(
            "gsd_query_predicates",
            "Query conventions",
            "Finds the project's conventions that meet every filter given; at least one is needed.",
            {
                "class": Field(TEXT, "the class: RULE"),
                "prefix": Field(TEXT, "how the id begins: RULE.tests"),
                "contains": Field(TEXT, "text that the id or the value holds"),
            },
            query,
        ),
        Tool(
            "gsd_read_state",
            "Read a planning file",
            "Reads one file below .planning.",
            {"path": _PATH},
            read_state,
        ),
        Tool(
            "gsd_render",
            "Render a workflow",
            "The text of a workflow with exactly the sections that these arguments and this project need.",
            {
                "workflow": Field(TEXT, "its id: plan-phase", required=True),
                "arguments": Field(TEXT, "what was typed behind the command: 3 --research"),
                "max_tokens": Field(COUNT, "a budget: sections give way to pointers"),
            },
            render,
        ),
        Tool(
            "gsd_write_state",
            "Write a planning file",
            "Replaces one file below .planning as a whole, or makes it; its folder must be there.",
            {"path": _PATH, "content": Field(TEXT, "the whole text of the file", required=True)},
            write_state,
            writes=True,
        ),
    )
}
