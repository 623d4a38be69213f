"""Put something harmless in the place of a fault, line for line, so that the next fault comes to light.

Nothing of this is written anywhere; the loader stays the only judge of what is a fault.
"""

from __future__ import annotations

import json
import re

from gsd_install.content import placeholders
from gsd_install.kernel import markdown
from gsd_install.kernel.errors import GsdError

_CONTENT = "content.toml"
_HEAD = {"format": 1, "id": "lint", "name": "lint", "version": "0", "prefix": "lint"}
_DESCRIPTION = "description: x"
_NOWHERE = " resolves to nothing"
_PLACEHOLDER = re.compile(r"\{\{gsd:|\{gsd:[^{}\r\n]*\}?")
_MARKER = re.compile(r"[ \t]*<!--[ \t]*(/?)gsd:([a-z]+)")

# Faults of an opening marker: a sound one takes its place, so that what closes it is none.
_OPENINGS = frozenset(
    {
        "duplicate_id",
        "missing_id",
        "missing_when",
        "malformed_id",
        "unknown_when",
        "malformed_attributes",
        "unrecognized_attribute",
    }
)
# Faults of a region that goes with all of its markers.
_REGIONS = frozenset({"nested_section", "gated_agent", "bad_hold"})


class Mended:
    """The files of a content root while they are mended.

    `contents` are the files by path, `shifts` the lines that were put into one, `dropped` the paths that
    were taken out.
    """

    def __init__(self, root: str, contents: dict[str, bytes]) -> None:
        self._root = root
        self._head = contents.get(_CONTENT, b"")
        self.contents = contents
        self.shifts: dict[str, int] = {}
        self.dropped: set[str] = set()
        self._headless: set[str] = set()

    def path(self, error: GsdError) -> str:
        """The file of an error relative to the root; empty for the root."""
        return (error.file or "").removeprefix(self._root).lstrip("/")

    def line(self, error: GsdError) -> int:
        """Its line in the file as its author wrote it."""
        path = self.path(error)
        if path == _CONTENT and error.line is None:
            return _key_line(self._head, error.message)
        if error.line is None or path not in self.contents:
            return 1
        if error.reason in _REGIONS:
            return self._marker(error) - self.shifts.get(path, 0)
        if error.message.startswith("requires: "):
            return error.line  # read from the file itself
        return max(1, error.line - self.shifts.get(path, 0))

    def follows(self, error: GsdError) -> bool:
        """Whether an error is nothing but a consequence of one that was noted before."""
        if error.reason == "unresolved":
            named = error.message.removesuffix(_NOWHERE).split()[-1].strip("}'")
            return any(named in (path, _id(path)) for path in self.dropped)
        if error.reason == "empty_content":
            return bool(self.dropped)
        return error.reason == "no_description" and self.path(error) in self._headless

    def mend(self, error: GsdError) -> None:
        """Take the fault out. A file that cannot be mended is dropped."""
        path = self.path(error)
        before = self.contents.get(path)
        if path in ("", _CONTENT):
            self.contents[_CONTENT] = _head(self.contents.get(_CONTENT, b""), error.message)
        elif error.reason == "encoding":
            self.contents[path] = self.contents[path].decode("utf-8", errors="replace").encode()
        elif error.line is not None and before is not None and path.endswith(".md"):
            rows = before.decode("utf-8").split("\n")
            self._mend_rows(error, path, rows)
            self.contents[path] = "\n".join(rows).encode()
        # Several references that lead nowhere can stand in one line, which is mended once.
        if self.contents.get(path) == before and not (error.reason == "unresolved" and path.endswith(".md")):
            self._drop(path)

    def _mend_rows(self, error: GsdError, path: str, rows: list[str]) -> None:
        at = min((error.line or 1), len(rows)) - 1  # a lone CR ends lines that have no row here
        frame = markdown.FRAME.match("\n".join(rows))
        top = frame[0].count("\n") if frame else 0
        if error.reason == "no_description":
            self._describe(path, rows, top)
        elif error.reason == "unclosed_frontmatter":
            rows[at] = ""
            self._headless.add(path)
        elif error.message.startswith("requires: "):
            _comment(rows, at + self.shifts.get(path, 0), top)
        elif at < top:
            if rows[at].startswith("description"):
                self._headless.add(path)
            _comment(rows, at, top)
        elif error.reason in {"bad_placeholder", "unknown_placeholder", "unresolved"}:
            rows[at] = _without_placeholder(rows[at], error.message)
        elif error.reason in _OPENINGS:
            rows[at] = f'<!-- gsd:section id="lint-{at}" when="always" -->'
        elif error.reason == "close_with_attributes":
            rows[at] = "<!-- /gsd:section -->"
        elif error.reason in _REGIONS:
            _unmark(rows, self._marker(error) - 1)
        elif error.reason == "literal_region":
            _keep_literal(rows, at)
        else:
            rows[at] = ""

    def _describe(self, path: str, rows: list[str], top: int) -> None:
        added = [_DESCRIPTION] if top else ["---", _DESCRIPTION, "---"]
        own = next((at for at in range(1, top) if rows[at].startswith("description:")), 0)
        if own:
            _comment(rows, own, top)
        rows[bool(top) : bool(top)] = added
        self.shifts[path] = self.shifts.get(path, 0) + len(added)

    def _marker(self, error: GsdError) -> int:
        """The line of the marker that an error means: where it says, or the line above its text."""
        rows = self.contents[self.path(error)].decode("utf-8").split("\n")
        line = min(error.line or 1, len(rows))
        leading = error.message.startswith("an isolate region") and not _MARKER.match(rows[line - 1])
        return max(1, line - (leading or error.reason == "gated_agent"))

    def _drop(self, path: str) -> None:
        """Take a file or a folder out; with a SKILL.md, what stands beside it."""
        folder = path.removesuffix("SKILL.md") if path.startswith("skills/") else path
        folder = folder.rstrip("/") + "/"
        gone = [name for name in self.contents if name == path or name.startswith(folder)]
        for name in gone:
            del self.contents[name]
        self.dropped.update(gone)


def _head(data: bytes, message: str) -> bytes:
    """A content.toml that is right at the key a message is about; a new one where it does not parse."""
    import tomllib

    try:
        table: dict[str, object] = tomllib.loads(data.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        table = {}
    words = re.findall(r"\w+", message)
    key = next((word for word in words if word in table or word in _HEAD), "")
    table.pop(key, None)
    known = {**table, **({key: _HEAD[key]} if key in _HEAD else {})} if table else _HEAD
    return "".join(f"{json.dumps(name)} = {_simple(value)}\n" for name, value in known.items()).encode()


def _key_line(data: bytes, message: str) -> int:
    """The line of content.toml that holds a key which a message names; 1 where none does."""
    words = re.findall(r"\w+", message)
    rows = data.decode("utf-8", errors="replace").split("\n")
    keys = [re.match(r'[ \t"\[]*(\w+)"?[ \t]*[=\]]', row) for row in rows]
    return next((number for number, key in enumerate(keys, 1) if key and key[1] in words), 1)


def _simple(value: object) -> str:
    """A value as TOML; what content.toml never holds only has to stay no text."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str | int) else "[]"


def _id(path: str) -> str:
    """What a document of that path is called."""
    return path.removesuffix("/SKILL.md").removesuffix(".md").partition("/")[2]


def _comment(rows: list[str], at: int, top: int) -> None:
    """Make a row of the frontmatter, and those that continue it, say nothing."""
    key = re.match(r"[^\s#-]", rows[at])
    end = at + 1
    while key and end < top - 1 and re.match(r"[ \t-]", rows[end]):
        end += 1
    rows[at:end] = ["#"] * (end - at)


def _without_placeholder(row: str, message: str) -> str:
    """A row without the placeholder that a message is about, or without each that cannot be read."""
    named = message.removesuffix(_NOWHERE)

    def harmless(match: re.Match[str]) -> str:
        try:
            parts = placeholders.parse(match[0], file="", line=1)
        except GsdError:
            return ""
        spelled = [f"{{gsd:{part.verb} {part.argument}}}" for part in parts if not isinstance(part, str)]
        return "" if named in spelled else match[0]

    return _PLACEHOLDER.sub(harmless, row)


def _unmark(rows: list[str], at: int) -> None:
    """Take a marker out, and with an opening one the next that closes, where there are enough of those."""
    match = _MARKER.match(rows[at])
    rows[at] = ""
    if match is None or match[1]:
        return
    markers = [(number, found[1]) for number, row in enumerate(rows) if (found := _same(match[2], row))]
    closing = [number for number, closes in markers if closes]
    following = next((number for number in closing if number > at), None)
    if following is not None and 2 * len(closing) > len(markers):
        rows[following] = ""


def _keep_literal(rows: list[str], at: int) -> None:
    """Take a marker of a literal region out; what an opening one was meant for stays literal."""
    opens = "/gsd:" not in rows[at]
    rows[at] = ""
    for number in range(at + 1, len(rows) if opens else 0):
        if _MARKER.match(rows[number]):
            break
        rows[number] = _PLACEHOLDER.sub(lambda match: "{{" + match[0].lstrip("{"), rows[number])


def _same(word: str, row: str) -> re.Match[str] | None:
    found = _MARKER.match(row)
    return found if found and found[2] == word else None
