"""What a host says of an event, under one set of names.

At most 1 MiB is read, and no host is waited for that leaves its end of the pipe open.
"""

from __future__ import annotations

import json
import os

from gsd_capabilities.hooks.envelopes import ENVELOPES
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.companion.request import Request

LIMIT = 1_048_576
FIRST_SECONDS, MORE_SECONDS = 1.0, 0.25
_EVENT = ("hook_event_name", "hookEventName", "agent_action_name")
_SESSION = ("session_id", "sessionId", "conversation_id", "trajectory_id")
_INPUT = ("tool_input", "toolArgs", "tool_info")
_RESULT = ("tool_response", "tool_output", "tool_result", "toolResult", "result_json", "output")
_PATH = ("file_path", "path", "absolute_path", "filePath", "target_file")
_COMMAND = ("command", "command_line", "cmd")


class Host(NamedTuple):
    """What the installer wrote down: the form of answers, our event and action names by the host's."""

    envelope: str = "text"
    events: Mapping[str, str] = {}
    tools: Mapping[str, str] = {}


class Asked(NamedTuple):
    """One question to a hook.

    `event` is our name of it, empty for one nobody knows; `said_event` the host's. `heard` says whether the
    model takes in text then. `cwd` is where the session runs. `fields` are the host's own; `input` are those
    of the tool `tool`, `action` our name of it. `broken` says why standard input was no event.
    """

    event: str
    said_event: str
    heard: bool
    cwd: str
    session: str
    action: str
    tool: str
    fields: Mapping[str, object]
    input: Mapping[str, object]
    environ: Mapping[str, str]
    payload: str | None
    runtime: str | None
    broken: str

    @property
    def project(self) -> Project:
        from gsd_capabilities.companion.project import find

        return find(self.cwd)

    @property
    def command(self) -> str:
        """The shell command that the tool is about to run; empty when it runs none."""
        return _text(self.input, _COMMAND) or _text(self.fields, _COMMAND)

    @property
    def path(self) -> str:
        """The file that the tool works on; empty when it names none."""
        return _text(self.input, _PATH)

    @property
    def results(self) -> Iterator[str]:
        """Every text that the tool brought back."""
        for name in _RESULT:
            yield from _texts(self.fields.get(name))

    def text(self, *names: str) -> str:
        """The first of these fields that is text, of the event or of what it is about."""
        return _text(self.fields, names) or _text(self.input, names)


def host_of(payload: str | None, runtime: str | None) -> Host:
    """What is known of a host; nothing for one that was not installed. Raises OSError, ValueError."""
    if payload is None or not runtime or os.path.basename(runtime) != runtime:
        return Host()
    try:
        with open(os.path.join(payload, "hosts", f"{runtime}.json"), "rb") as file:
            facts = json.loads(file.read()).get("hooks", {})
    except FileNotFoundError:
        return Host()
    events = {host: ours.partition(":")[0] for ours, host in facts.get("events", {}).items()}
    tools = {host: ours for ours, host in facts.get("tools", {}).items()}
    actions = {host: ours.partition(":")[2] for ours, host in facts.get("events", {}).items() if ":" in ours}
    return Host(facts.get("envelope", "text"), events, {**tools, **actions})


def received(descriptor: int) -> bytes:
    """What stands on a pipe: to its end, to 1 MiB, or until nothing more comes."""
    data, patience = b"", FIRST_SECONDS
    if os.isatty(descriptor):
        return data
    while len(data) <= LIMIT and _ready(descriptor, patience):
        chunk = os.read(descriptor, min(65_536, LIMIT + 1 - len(data)))
        if not chunk:
            break
        data, patience = data + chunk, MORE_SECONDS
    return data


def asked(data: bytes, host: Host, request: Request, usual: str) -> Asked:
    """The question in `data`; at the event `usual` where it does not name one."""
    fields, broken = _parsed(data)
    about = _mapping(fields, _INPUT)
    said_event = _text(fields, _EVENT)
    tool = _text(fields, ("tool_name", "toolName")) or said_event  # some hosts have an event for each tool
    event = host.events.get(said_event, "") if said_event else usual
    said_event = said_event or next((name for name, ours in host.events.items() if ours == usual), "")
    return Asked(
        event=event,
        said_event=said_event,
        heard=event in ENVELOPES[host.envelope].context,
        cwd=_folder(fields, about) or request.cwd,
        session=_text(fields, _SESSION),
        action=host.tools.get(tool, ""),
        tool=tool,
        fields=fields,
        input=about,
        environ=request.environ,
        payload=request.payload,
        runtime=request.runtime,
        broken=broken,
    )


def _ready(descriptor: int, seconds: float) -> bool:
    """Whether reading will not block."""
    import select

    try:
        return bool(select.select([descriptor], [], [], seconds)[0])
    except OSError:
        return True  # Windows cannot wait for a pipe; hosts there close it


def _parsed(data: bytes) -> tuple[Mapping[str, object], str]:
    text = data.decode("utf-8", "replace").lstrip("\ufeff")
    if not text.strip():
        return {}, ""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        size = f"more than {LIMIT} bytes" if len(data) > LIMIT else f"{len(data)} bytes"
        return {}, f"no event in {size}: {error}"
    return (found, "") if isinstance(found, dict) else ({}, "the event is no object")


def _folder(fields: Mapping[str, object], about: Mapping[str, object]) -> str:
    """Where the session runs. A host with several roots may send a `cwd` that is not the project's."""
    roots = fields.get("workspace_roots")
    named = roots[0] if isinstance(roots, list) and roots else None
    for folder in (named, fields.get("cwd"), about.get("cwd")):
        if isinstance(folder, str) and os.path.isdir(folder):
            return folder
    return ""


def _mapping(fields: Mapping[str, object], names: tuple[str, ...]) -> Mapping[str, object]:
    """The first of these that is an object, or JSON text of one."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, str) and value.lstrip().startswith("{"):
            value, _ = _parsed(value.encode("utf-8", "replace"))
        if isinstance(value, dict):
            return value
    return {}


def _text(fields: Mapping[str, object], names: tuple[str, ...]) -> str:
    for name in names:
        value = fields.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
