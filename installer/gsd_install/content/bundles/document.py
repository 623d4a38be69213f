"""One file of a bundle becomes a document: whatever its author left out or put differently is made up for."""

from __future__ import annotations

from gsd_install.content.bundles import fields, tools, wording
from gsd_install.content.bundles.naming import Named
from gsd_install.content.model import Document, Section
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

# Keys whose value a document of ours holds too; everything else travels as its author wrote it.
_OURS = frozenset({"name", "description"})
_TOOLS = ("tools", "allowed-tools")
_CHANGES = frozenset({"write", "edit", "run"})
# At least one host drops an agent with a shorter text.
_SHORTEST_AGENT = 10


class Made(NamedTuple):
    """A document, and what a person should know about it: sentences that go behind its file's name."""

    document: Document
    said: tuple[str, ...]


def decoded(data: bytes, file: str) -> str:
    """The text of a document. Raises GsdError with the line and the offset of the first byte that is none."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise GsdError(
            f"the file is not UTF-8: byte {data[error.start]:#04x} at offset {error.start}",
            reason="encoding",
            file=file,
            line=data.count(b"\n", 0, error.start) + 1,
            hint="save it as UTF-8",
        ) from error


def made(item: Named, front: fields.Front, own: wording.Own) -> Made:
    """The document of one file that was read."""
    body = wording.unmarked(front.body)
    description, said = _description(front, body)
    if item.kind == "agent" and len(body.strip()) < _SHORTEST_AGENT:
        body = f"{description}\n\n{body}"
    meta, unknown = _meta(item.kind, front.fields, description)
    extra = {key: value for key, value in front.fields.items() if key not in _OURS and key not in meta}
    extra |= {key: front.fields[key] for key in _TOOLS if key in front.fields}
    lost = [key for key, value in extra.items() if not fields.is_writable(value)]
    extra = {key: value for key, value in extra.items() if key not in lost}
    parts = wording.parts(body, own, front.line)
    section = Section("", "always", parts, line=front.line)
    document = Document(item.kind, item.id, item.path, meta, (section,), False, item.name, extra)  # noqa: FBT003
    sentences = [front.said, said, _names(item, front.fields)]
    if unknown:
        sentences.append(f"the tools {', '.join(unknown)} have no counterpart in other hosts")
    if lost:
        sentences.append(f"the keys {', '.join(lost)} hold more than a host's frontmatter may")
    return Made(document, tuple(filter(None, sentences)))


def _meta(kind: str, given: Mapping[str, Any], description: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The frontmatter as one of ours, and the tools that are none. A bundle belongs to every profile."""
    meta: dict[str, Any] = {"description": description, "tier": "core"}
    if isinstance(given.get("title"), str):
        meta["title"] = given["title"]
    if kind == "command" and "argument-hint" in given:
        meta["argument-hint"] = _hint(given["argument-hint"])
    unknown: tuple[str, ...] = ()
    key = next((key for key in _TOOLS if key in given), None)
    if key is not None and kind != "skill":
        actions, unknown = tools.read(given[key])
        if actions:
            meta["tools"] = list(actions)
        if kind == "agent" and actions and not unknown and _CHANGES.isdisjoint(actions):
            meta["access"] = "read"
    return meta, unknown


def _hint(value: object) -> str:
    """`[phase]` without quotes is a list to YAML, and a hint to its author."""
    return f"[{fields.one_line(value)}]" if isinstance(value, list) else fields.one_line(value)


def _description(front: fields.Front, body: str) -> tuple[str, str]:
    """The description as one line, and what is said where it had to be found."""
    text = fields.one_line(front.fields.get("description", ""))
    if text:
        return text, ""
    return next(_sentences(body), "No description."), "it has no description: its first line is one now"


def _sentences(body: str) -> Iterator[str]:
    for line in body.splitlines():
        text = fields.one_line(line.strip().lstrip("#>*- \t"))
        if any(letter.isalnum() for letter in text):
            yield text


def _names(item: Named, given: Mapping[str, Any]) -> str:
    own = given.get("name")
    if item.kind == "skill" and isinstance(own, str) and own.strip() and own != item.name:
        return f"it calls itself {own!r}, and is installed as {item.name!r}"
    if item.kind == "skill" and item.spoken and item.spoken[0] != item.name:
        return f"it is installed as {item.name!r}"
    return ""
