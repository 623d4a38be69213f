"""What is served: the texts that are installed, and where a text is not installed, the one that ships.

A workflow is composed: every section of it stands where its author put it, and no marker does. So is an
agent; everything else is verbatim (`kernel.scope.should_compose` decides). What a host finds by itself keeps
its frontmatter; a text that is read by path has none, as installed.
"""

from __future__ import annotations

import os
import time

from gsd_capabilities.catalog import disk
from gsd_capabilities.catalog.addresses import ROOTS, RefusedError, address, refusal
from gsd_capabilities.catalog.pages import fingerprint
from gsd_capabilities.catalog.words import Payload, Words, words
from gsd_install.content import placeholders, tree
from gsd_install.content.catalog import load
from gsd_install.content.model import BODIES, DISCOVERED
from gsd_install.kernel import frontmatter, scope
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from gsd_install.content.model import Asset, Catalog, Document

MARKDOWN = "text/markdown"
ARGUMENT = "arguments"
INTERVAL_SECONDS = 1.0


class Entry(NamedTuple):
    """One line of the listing. `path` is the content path, `name` that without folder and suffix."""

    uri: str
    path: str
    kind: str
    name: str
    title: str
    description: str
    mime: str


class Command(NamedTuple):
    """A command as a prompt; `hint` says what may be typed behind it, empty where nothing may."""

    name: str
    title: str
    description: str
    hint: str


class Library:
    """Serves one content root, and what is installed of it in a payload root.

    `load` reads the root. The disk is looked at again when `interval` seconds have passed. `problem` is why
    the content cannot be read at present, or empty: until it can, what was read last is served. Raises
    GsdError when it cannot be read at all.
    """

    def __init__(
        self,
        root: str,
        payload: str = "",
        shown: str = "",
        runtime: str = "",
        *,
        interval: float = INTERVAL_SECONDS,
        load: Callable[[str], Catalog] = load,
    ) -> None:
        self._root, self._runtime, self._interval = root, runtime, interval
        self._load = load
        self._place = (payload, shown or payload)
        self._looked = time.monotonic()
        self._stamp = disk.stamp(self._watched())
        self._use(load(root))
        self.problem = ""

    def _use(self, catalog: Catalog) -> None:
        """Serve a catalog. Raises GsdError or OSError before anything of what was served is gone."""
        root, shown = self._place
        payload = Payload(root, catalog.id, shown) if root else None
        host = disk.host(root, self._runtime)
        installed = tuple(_installed(payload))
        files = {item.path: os.path.split(catalog.at(item.path)) for item in catalog.documents}
        sources = {path: tree.read(*file).decode("utf-8-sig") for path, file in files.items()}
        self.payload, self._catalog, self._sources = payload, catalog, sources
        self._inside = os.path.realpath(payload.folder) if payload else ""
        self._documents = {document.path: document for document in catalog.documents}
        self._assets = {asset.path: asset for asset in catalog.assets}
        self._words: Words = words(catalog.prefix, host, payload)
        listed = {entry.uri: entry for entry in (*map(_bare, installed), *_shipped_entries(catalog))}
        self.entries = tuple(sorted(listed.values()))
        self._index = {entry.uri: entry for entry in self.entries}
        self.listing = fingerprint(self._index)
        self.commands = tuple(
            sorted(_command(document) for document in catalog.documents if document.kind == "command")
        )
        self._texts: dict[str, str | bytes] = {}

    @property
    def name(self) -> str:
        """What the content is called."""
        return self._catalog.name

    def changed(self) -> bool:
        """Look at the disk, if it is time to; whether something else is served now."""
        now = time.monotonic()
        if now - self._looked < self._interval:
            return False
        self._looked = now
        try:
            stamp = disk.stamp(self._watched())
            if stamp == self._stamp:
                return False
            self._stamp = stamp
            self._use(self._load(self._root))
        except (GsdError, OSError) as error:
            self.problem = str(error)
            return False
        self.problem = ""
        return True

    def _watched(self) -> tuple[str, ...]:
        root, _ = self._place
        return (self._root, *(os.path.join(root, name) for name in ("content", "hosts") if root))

    def read(self, uri: str) -> tuple[Entry, str | bytes]:
        """A resource and its text, or its bytes where they are no text. Raises RefusedError."""
        entry = self._index.get(uri)
        if entry is None:
            raise refusal(uri)
        try:
            placed = self._placed(entry)
            if entry.path not in self._texts:
                self._texts[entry.path] = self._text(entry, placed)
        except OSError as error:
            missing = isinstance(error, FileNotFoundError)
            reason = "unknown_resource" if missing else "read_failed"
            raise RefusedError(reason, f"this cannot be read: {error.strerror}", uri) from error
        return entry, self._texts[entry.path]

    def _placed(self, entry: Entry) -> str:
        """The installed file of an entry, empty where there is none. Raises RefusedError for a link."""
        if self.payload is None or entry.kind not in BODIES:
            return ""
        file = self.payload.file(entry.path)
        if not os.path.lexists(file):
            return ""
        if not disk.is_inside(file, self._inside):
            raise RefusedError("traversal_refused", "this file leads out of the content", entry.uri)
        return file

    def _text(self, entry: Entry, placed: str) -> str | bytes:
        if placed:
            return disk.text(self._whole(entry, placed))
        if entry.path in self._assets:
            return disk.text(self._assets[entry.path].data)
        if entry.path not in self._documents:
            raise RefusedError("unknown_resource", "this is not installed any more", entry.uri)
        return self._shipped(self._documents[entry.path])

    def _whole(self, entry: Entry, file: str) -> bytes:
        """An installed text; where it is composed, with each of its steps where its pointer stands."""
        body = disk.read(file)
        if self.payload is None or not scope.should_compose(entry.kind):
            return body
        steps = disk.steps(self.payload, entry.name)
        for step in steps.values():
            if not disk.is_inside(step, self._inside):
                raise RefusedError("traversal_refused", "a step leads out of the content", entry.uri)
        return b"".join(disk.standing(line, steps) for line in body.splitlines(keepends=True))

    def _shipped(self, document: Document) -> str:
        """A text that is not installed, from the content root."""
        source = self._sources[document.path]
        body = frontmatter.split(source).body
        head = source[: len(source) - len(body)] if document.kind in DISCOVERED else ""
        if self._catalog.bundle or scope.should_compose(document.kind):
            return head + "".join(self._words.text(section.parts) for section in document.sections)
        return head + self._words.text(placeholders.parse(body, file=document.path, line=1))

    def prompt(self, name: str, arguments: Mapping[str, str]) -> tuple[Command, str]:
        """A command and its text with what was typed behind it. Raises RefusedError."""
        document = self._documents.get(f"commands/{name}.md")
        if document is None or document.id != name:
            raise RefusedError("unknown_prompt", "there is no such prompt", name)
        command = _command(document)
        unknown = set(arguments) - ({ARGUMENT} if command.hint else set())
        if unknown:
            raise RefusedError("invalid_params", "the prompt takes no such argument", min(unknown))
        given = arguments.get(ARGUMENT, "")
        return command, "".join(self._words.text(section.parts, given) for section in document.sections)


def _installed(payload: Payload | None) -> Iterator[str]:
    """Texts of a payload; the steps of a workflow are part of it."""
    if payload is None:
        return
    for path in disk.files(payload.folder):
        folder, _, rest = path.partition("/")
        kind = ROOTS.get(folder)
        if kind in BODIES and path.endswith(".md") and not (kind == "workflow" and "/" in rest):
            yield path


def _shipped_entries(catalog: Catalog) -> Iterator[Entry]:
    for document in catalog.documents:
        if document.path.partition("/")[0] in ROOTS:
            yield _entry(document.path, document.meta)
    for asset in catalog.assets:
        if asset.kind == "skill":
            yield _entry(asset.path, {}, _mime(asset))


def _bare(path: str) -> Entry:
    return _entry(path, {})


def _entry(path: str, meta: Mapping[str, object], mime: str = MARKDOWN) -> Entry:
    folder, _, rest = path.partition("/")
    name = rest.removesuffix(".md")
    base = name.rpartition("/")[2] if folder != "skills" else name.removesuffix("/SKILL")
    title = str(meta.get("title") or base.replace("-", " ").capitalize())
    described = " ".join(str(meta.get("description", "")).split())
    return Entry(address(path), path, ROOTS[folder], name, title, described, mime)


def _command(document: Document) -> Command:
    entry = _entry(document.path, document.meta)
    return Command(document.id, entry.title, entry.description, str(document.meta.get("argument-hint", "")))


def _mime(asset: Asset) -> str:
    if asset.path.endswith(".md"):
        return MARKDOWN
    return "text/plain" if isinstance(disk.text(asset.data), str) else "application/octet-stream"
