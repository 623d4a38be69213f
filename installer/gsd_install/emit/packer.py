"""Put emissions together for the file that `packed` reads, when a distribution is built."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterable, Mapping, Sequence

from gsd_install.content.model import TIERS
from gsd_install.emit.output import Output, Piece, rank
from gsd_install.emit.packed import MAGIC, NOBODY, ROW, Head, roots, signature
from gsd_install.emit.target import Target
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any


class Packer:
    """Puts emissions together for the file that `open_pack` reads.

    `features` is what `open_pack` will be given.
    """

    def __init__(self, root: str, head: Head, features: Iterable[Any] = ()) -> None:
        self._head = {"tree": signature(root), "features": list(features), "head": head}
        self._tiers = {path: at for at in (2, 1, 0) for path in head.profiles[TIERS[at]]}
        self._strings: dict[str, int] = {}
        self._texts: dict[bytes, int] = {}
        self._parts: dict[str, bytes] = {}

    def put_pieces(
        self, target: Target, digest: str, pieces: Mapping[str, Piece], launcher: str = ""
    ) -> None:
        """Take the pieces of one target, by document, whose plugin's module has that digest.

        Left out are targets where a document had to be changed to fit (its explanation is not packed), or has
        no place and is written because another one points at it, which depends on the profile.
        """
        outputs = [output for piece in pieces.values() for output in piece.outputs]
        if any(output.fit or output.origins for output in outputs) or any(
            piece.absent and piece.outputs for piece in pieces.values()
        ):
            return
        in_order = sorted(pieces.items(), key=lambda item: rank(item[1]))
        found = [(self._tiers[path], piece) for path, piece in in_order]
        placed = [(tier, piece) for tier, piece in found if piece.kind]
        owner = {id(piece): number for number, (_, piece) in enumerate(placed)}
        made = [
            (tier, owner.get(id(piece), NOBODY), output) for tier, piece in found for output in piece.outputs
        ]
        absent = dict.fromkeys((tier, piece.absent) for tier, piece in found if piece.absent)
        said = [
            (tier, owner.get(id(piece), NOBODY), text) for tier, piece in found for text in piece.warnings
        ]
        columns = [
            self._numbered((digest, launcher, target.spell(target.own), target.spell(target.payload))),
            [tier for tier, _ in placed],
            self._numbered(piece.kind for _, piece in placed),
            self._numbered(piece.name for _, piece in placed),
            self._numbered(piece.description for _, piece in placed),
            *self._columns(made, target),
            [tier for tier, _ in absent],
            self._numbered(kind for _, kind in absent),
            [tier for tier, _, _ in said],
            [of for _, of, _ in said],
            self._numbered(text for _, _, text in said),
        ]
        self._put(f"{target.runtime.id}-{target.scope}", columns)

    def put_shared(self, target: Target, outputs: Iterable[Output], described: Iterable[Output]) -> None:
        """Take the shared texts of the target's scope, and what the companion reads about them."""
        columns = [
            self._numbered([target.spell(target.payload)]),
            *self._columns([(self._tiers[output.source], NOBODY, output) for output in outputs], target),
            *self._columns([(0, NOBODY, output) for output in described], target),
        ]
        self._put(f"shared-{target.scope}", columns)

    def packed(self) -> bytes:
        """The whole file."""
        table, start = [], 0
        for text in self._texts:
            place = start.to_bytes(4, "little") + len(text).to_bytes(4, "little")
            table.append(place + hashlib.sha256(text).digest())
            start += len(text)
        parts, end = {}, 0
        for name, part in self._parts.items():
            parts[name] = [end, len(part)]
            end += len(part)
        places = {"parts": parts, "table": end, "texts": end + ROW * len(table)}
        head = _dump({**self._head, "strings": list(self._strings), **places})
        start_of_file = MAGIC + b"%09d\n" % len(head)
        return b"".join((start_of_file, head, *self._parts.values(), *table, *self._texts))

    def _put(self, name: str, columns: Iterable[Sequence[int]]) -> None:
        numbers = [number for column in columns for number in (len(column), *column)]
        self._parts[name] = struct.pack(f"<{len(numbers)}I", *numbers)

    def _columns(self, outputs: Sequence[tuple[int, int, Output]], target: Target) -> tuple[list[int], ...]:
        """Outputs, each with its tier and the number of the document it is of, as `_outputs` reads them."""
        folders = [folder for folder, *_ in roots(target)]
        found = [output for *_, output in outputs]
        wheres = [
            next(at for at, folder in enumerate(folders) if output.path.startswith(folder))
            for output in found
        ]
        paths = [output.path[len(folders[at]) :] for at, output in zip(wheres, found, strict=True)]
        return (
            [tier for tier, _, _ in outputs],
            [owner for _, owner, _ in outputs],
            [self._texts.setdefault(output.data, len(self._texts)) for output in found],
            wheres,
            self._numbered(paths),
            [int(output.executable) for output in found],
            self._numbered(output.kind for output in found),
            self._numbered(output.source for output in found),
            self._numbered(output.rendition for output in found),
        )

    def _numbered(self, texts: Iterable[str]) -> list[int]:
        return [self._string(text) for text in texts]

    def _string(self, text: str) -> int:
        return self._strings.setdefault(text, len(self._strings))


def _dump(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
