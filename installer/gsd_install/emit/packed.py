"""What shipped content comes to in shipped runtimes, made when the package is built.

One file for each runtime and scope, and one for the texts that are shared, below `emitted/` in the content
root. They hold what `emit` gave, document by document, for the usual directories; a directory that is
elsewhere, another plugin or changed content, and `emit` is asked again. A file is one line of JSON and behind
it the bytes of all outputs, of which the line says where each begins and how long it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from gsd_install.content.tree import EMITTED, walk
from gsd_install.emit.output import Output, Piece
from gsd_install.emit.target import Target
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple
from gsd_install.runtime.packed import encode

if TYPE_CHECKING:
    from typing import Any

FORMAT = 2
HEAD = "head.json"
SUFFIX = ".pack"


class Head(NamedTuple):
    """What a content root says about itself. `profiles` are document paths, `commands` ids, by profile."""

    id: str
    name: str
    version: str
    prefix: str
    requires: str
    start: str
    profiles: Mapping[str, list[str]]
    commands: Mapping[str, list[str]]


class Pack:
    """The packed emissions of one content root."""

    def __init__(self, root: str, head: Head) -> None:
        self.head = head
        self._root = root
        self._files: dict[str, Any] = {}

    def pieces(
        self,
        target: Target,
        plugin: tuple[str, Any],
        profile: str,
        elsewhere: frozenset[str],
        launcher: str = "",
    ) -> list[Piece] | None:
        """The pieces of a profile; None where they are not packed for exactly this target and plugin.

        `plugin` is the digest of its module and its encoded caps. Skills that stand `elsewhere` are left
        out, as `emit` does.
        """
        packed = self._read(f"{target.runtime.id}-{target.scope}")
        if packed is None or not plugin[0] or packed["plugin"] != list(plugin):
            return None
        if packed["launcher"] != launcher:
            return None
        if (
            target.configured is not None
            or packed["own"] != target.spell(target.own)
            or not _usual(packed, target)
        ):
            return None
        roots = _Roots(target, packed["data"])
        found = []
        wanted = set(self.head.profiles[profile])
        for path, (kind, name, description, absent, outputs, warnings) in packed["pieces"].items():
            if path not in wanted:
                continue
            if kind == "skill" and elsewhere and not elsewhere.isdisjoint(target.cross_read(name)):
                outputs, warnings = (), ()
            made = tuple(roots.output(item, shared=False) for item in outputs)
            found.append(Piece(kind, name, description, absent, made, tuple(warnings)))
        return found

    def shared(self, target: Target, profile: str) -> tuple[Output, ...] | None:
        """The shared texts of a profile; None where they are not packed for this target's payload."""
        packed = self._read(f"shared-{target.scope}")
        if packed is None or not _usual(packed, target):
            return None
        roots = _Roots(target, packed["data"])
        texts = packed["pieces"]
        return tuple(
            roots.output(item, shared=True)
            for path in self.head.profiles[profile]
            for item in texts.get(path, ())
        )

    def described(self, target: Target) -> tuple[Output, ...] | None:
        """What the companion reads about the content; None where it is not packed for this payload."""
        packed = self._read(f"shared-{target.scope}")
        if packed is None or not _usual(packed, target):
            return None
        roots = _Roots(target, packed["data"])
        return tuple(roots.output(item, shared=True) for item in packed["described"])

    def _read(self, name: str) -> Any:
        if name not in self._files:
            try:
                with open(f"{self._root}/{EMITTED}/{name}{SUFFIX}", "rb") as file:
                    line, _, data = file.read().partition(b"\n")
                self._files[name] = {**json.loads(line), "data": data}
            except FileNotFoundError:
                self._files[name] = None
        return self._files[name]


def open_pack(root: str, features: Iterable[Any] = ()) -> Pack | None:
    """The pack of a content root; None where there is none or the tree is another one by now.

    `features` is the signature of the capabilities whose content is merged into it.

    Names and sizes tell, as with a .pyc: reading every text to make sure would take longer than emitting it.
    """
    try:
        with open(f"{root}/{EMITTED}/{HEAD}", "rb") as file:
            stored = json.loads(file.read())
    except OSError:
        return None
    if stored["format"] != FORMAT or stored["features"] != list(features):
        return None
    if stored["tree"] != signature(root):
        return None
    return Pack(root, Head(*stored["head"]))


def signature(root: str) -> list[list[Any]]:
    """Names and sizes of a content root's files."""
    return [[file.path, file.size] for file in walk(root)]


def pack_head(root: str, head: Head, features: Iterable[Any] = ()) -> bytes:
    """The head as it is stored; `features` as `open_pack` will be given it."""
    return _dump({"format": FORMAT, "tree": signature(root), "features": list(features), "head": head})


def pack_pieces(
    target: Target, plugin: tuple[str, Any], pieces: Mapping[str, Piece], launcher: str = ""
) -> bytes | None:
    """The pieces of one target as they are stored; None where they cannot be.

    That is where a document had to be changed to fit (its explanation is not packed), or has no place and is
    written because another one points at it, which depends on the profile.
    """
    outputs = [output for piece in pieces.values() for output in piece.outputs]
    if any(output.fit or output.origins for output in outputs) or any(
        piece.absent and piece.outputs for piece in pieces.values()
    ):
        return None
    store = _Store(target)
    stored = {
        path: [*piece[:4], [store.put(output) for output in piece.outputs], piece.warnings]
        for path, piece in pieces.items()
        if any(piece)  # of a shared body nothing is to be said
    }
    return store.packed(
        {
            "plugin": plugin,
            "launcher": launcher,
            "own": target.spell(target.own),
            "payload": _payload(target),
            "pieces": stored,
        }
    )


def pack_shared(target: Target, outputs: Iterable[Output], described: Iterable[Output]) -> bytes:
    """The shared texts of one scope, and what the companion reads about them, as they are stored."""
    store = _Store(target)
    stored: dict[str, list[Any]] = {}
    for output in outputs:
        stored.setdefault(output.source, []).append(store.put(output))
    known = [store.put(output) for output in described]
    return store.packed({"payload": _payload(target), "described": known, "pieces": stored})


def plugin_key(digest: str, caps: tuple[Any, ...]) -> tuple[str, Any]:
    """What tells one state of a plugin from another."""
    return digest, encode(caps)


class _Roots:
    """Turns stored outputs into outputs of one target."""

    def __init__(self, target: Target, data: bytes) -> None:
        self._target = target
        self._data = data
        self._roots = {
            "own": (target.own, target.root_of(target.own)),
            "base": (target.base, target.base),
            "payload": (target.payload, target.root_of(target.payload)),
        }

    def output(self, stored: list[Any], *, shared: bool) -> Output:
        where, path, start, size, executable, kind, source, rendition = stored
        folder, root = self._roots[where]
        data = self._data[start : start + size]
        return Output(
            self._target.below(folder, path), data, executable, root, kind, source, shared, rendition
        )


class _Store:
    """Takes the bytes of outputs, each text once, and says where they are."""

    def __init__(self, target: Target) -> None:
        self._folders = {"own": target.own, "payload": target.payload, "base": target.base}
        self._places: dict[bytes, int] = {}
        self._size = 0

    def put(self, output: Output) -> list[Any]:
        where = next(name for name, folder in self._folders.items() if output.path.startswith(f"{folder}/"))
        relative = output.path[len(self._folders[where]) + 1 :]
        if output.data not in self._places:
            self._places[output.data] = self._size
            self._size += len(output.data)
        place = [self._places[output.data], len(output.data)]
        return [where, relative, *place, output.executable, output.kind, output.source, output.rendition]

    def packed(self, head: Mapping[str, Any]) -> bytes:
        return b"".join((_dump(head), b"\n", *self._places))


def _payload(target: Target) -> str:
    return target.spell(target.payload)


def _usual(packed: Mapping[str, Any], target: Target) -> bool:
    return bool(packed["payload"] == _payload(target))


def _dump(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
