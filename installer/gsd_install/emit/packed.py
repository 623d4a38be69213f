"""What shipped content comes to in shipped runtimes, made when the package is built.

One file in the content root holds what `emit` gave for each runtime and scope, and the texts that are shared,
all for the usual directories; a directory that is elsewhere, another plugin or changed content, and `emit` is
asked again.

Hosts differ in where a text goes more than in what it says, so each text and each string is stored once, and
numbers stand for them. The file is: `MAGIC` and the length of the head, the head (JSON), a part for each
runtime and scope (columns of numbers in four bytes), a table of `ROW` bytes for each text, and the texts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import compress, repeat

from gsd_install.content.model import TIERS
from gsd_install.content.tree import EMITTED, walk
from gsd_install.emit.output import Emission, Output
from gsd_install.emit.target import Target
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

MAGIC = b"gsd-emitted 3 "
_START = len(MAGIC) + 10  # the magic and the length of the head in nine digits
_COLUMNS = 9  # of outputs
NOBODY = 0xFFFF_FFFF  # the number of a document that is placed nowhere
ROW = 40  # of a text: where it begins and its length in four bytes each, its SHA-256


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
    """The packed emissions of one content root, whose file is `data`; `stored` is the head of that file."""

    def __init__(self, data: bytes, stored: Mapping[str, Any], begin: int) -> None:
        self.head = Head(*stored["head"])
        self._data, self._begin = data, begin
        self._strings: list[str] = stored["strings"]
        self._places: Mapping[str, list[int]] = stored["parts"]
        self._table, self._texts_at = begin + stored["table"], begin + stored["texts"]
        self._texts: dict[int, tuple[bytes, str]] = {}

    def emission(
        self, target: Target, digest: str, profile: str, elsewhere: frozenset[str], launcher: str = ""
    ) -> Emission | None:
        """What a target gets of a profile; None where that is not packed for exactly this target and plugin.

        `digest` is that of the plugin's module. Skills that stand `elsewhere` are left out, as `emit` does.
        """
        if target.configured is not None or not digest:
            return None
        part = self._part(f"{target.runtime.id}-{target.scope}")
        words = [digest, launcher, target.spell(target.own), target.spell(target.payload)]
        if part is None or part.strings() != words:
            return None
        most = TIERS.index(profile)
        tiers, placed = part.numbers(), list(zip(part.strings(), part.strings(), part.strings(), strict=True))
        there = _there(placed, target, elsewhere)
        listed = tuple(item for item, tier in zip(placed, tiers, strict=True) if tier <= most)
        outputs = self._outputs(part, most, roots(target), without=there)
        kinds = [kind for kind, *_ in listed]
        absent = {kind for tier, kind in zip(part.numbers(), part.strings(), strict=True) if tier <= most}
        said = zip(part.numbers(), part.numbers(), part.strings(), strict=True)
        return Emission(
            outputs=outputs,
            insertions=(),
            placed=tuple((kind, kinds.count(kind)) for kind in dict.fromkeys(kinds)),
            listed=listed,
            absent=tuple(sorted(absent)),
            warnings=tuple(text for tier, of, text in said if tier <= most and of not in there),
        )

    def shared(self, target: Target, profile: str) -> tuple[Output, ...] | None:
        """The shared texts of a profile; None where they are not packed for this target's payload."""
        part = self._shared(target)
        if part is None:
            return None
        return self._outputs(part, TIERS.index(profile), roots(target), shared=True)

    def described(self, target: Target) -> tuple[Output, ...] | None:
        """What the companion reads about the content; None where it is not packed for this payload."""
        part = self._shared(target)
        if part is None:
            return None
        part.skip(_COLUMNS)
        return self._outputs(part, 0, roots(target), shared=True)

    def _shared(self, target: Target) -> _Part | None:
        part = self._part(f"shared-{target.scope}")
        return part if part and part.strings() == [target.spell(target.payload)] else None

    def _part(self, name: str) -> _Part | None:
        if name not in self._places:
            return None
        start, size = self._places[name]
        return _Part(self._data, self._begin + start, size, self._strings)

    def _outputs(
        self,
        part: _Part,
        most: int,
        folders: Sequence[tuple[str, str, str]],
        *,
        without: Collection[int] = (),
        shared: bool = False,
    ) -> tuple[Output, ...]:
        """The next outputs of a part, up to a tier, `without` those of some documents that are placed."""
        known, text = self._texts.get, self._text
        tiers, owners = part.numbers(), part.numbers()
        texts = [known(number) or text(number) for number in part.numbers()]
        wheres, below, flags = part.numbers(), part.strings(), part.numbers()
        places = [folders[where] for where in wheres]
        paths: Iterable[str]
        if folders[0][1] == "/":
            paths = [place[0] + path for place, path in zip(places, below, strict=True)]
        else:
            paths = [
                place[0] + path.replace("/", place[1]) for place, path in zip(places, below, strict=True)
            ]
        columns = zip(
            paths,
            [data for data, _ in texts],
            [flag == 1 for flag in flags],
            [place[2] for place in places],
            part.strings(),
            part.strings(),
            repeat(shared),
            part.strings(),
            repeat(None),
            repeat(()),
            [sha256 for _, sha256 in texts],
        )
        wanted = (tier <= most and owner not in without for tier, owner in zip(tiers, owners, strict=True))
        return tuple(map(partial(tuple.__new__, Output), compress(columns, wanted)))

    def _text(self, number: int) -> tuple[bytes, str]:
        """A text and its digest."""
        row = self._table + number * ROW
        data = self._data
        start = self._texts_at + int.from_bytes(data[row : row + 4], "little")
        size = int.from_bytes(data[row + 4 : row + 8], "little")
        found = self._texts[number] = data[start : start + size], data[row + 8 : row + ROW].hex()
        return found


class _Part:
    """The columns of one runtime and scope, read from first to last; each begins with its length."""

    __slots__ = ("_at", "_numbers", "_strings")

    def __init__(self, data: bytes, start: int, size: int, strings: Sequence[str]) -> None:
        import struct

        self._numbers = struct.unpack_from(f"<{size // 4}I", data, start)
        self._at = 0
        self._strings = strings

    def numbers(self) -> tuple[int, ...]:
        """The next column."""
        start = self._at + 1
        self._at = start + self._numbers[start - 1]
        return self._numbers[start : self._at]

    def strings(self) -> list[str]:
        """The next column, whose numbers stand for strings."""
        return list(map(self._strings.__getitem__, self.numbers()))

    def skip(self, columns: int) -> None:
        """Pass over columns."""
        for _ in range(columns):
            self.numbers()


def _there(
    placed: Iterable[tuple[str, str, str]], target: Target, elsewhere: frozenset[str]
) -> frozenset[int]:
    """The numbers of those skills of which the host lists another host's copy."""
    if not elsewhere:
        return frozenset()
    patterns = target.cross_read("{name}")
    return frozenset(
        number
        for number, (kind, name, _) in enumerate(placed)
        if kind == "skill" and any(path.replace("{name}", name) in elsewhere for path in patterns)
    )


def open_pack(root: str, features: Iterable[Any] = ()) -> Pack | None:
    """The pack of a content root; None where there is none or the tree is another one by now.

    `features` is the signature of the capabilities whose content is merged into it.

    Names and sizes tell, as with a .pyc: reading every text to make sure would take longer than emitting it.
    """
    try:
        with open(os.path.join(root, EMITTED), "rb") as file:
            data = file.read()
    except OSError:
        return None
    if not data.startswith(MAGIC):
        return None
    begin = _START + int(data[len(MAGIC) : _START])
    stored = json.loads(data[_START:begin])
    if stored["features"] != list(features) or stored["tree"] != signature(root):
        return None
    return Pack(data, stored, begin)


def signature(root: str) -> list[list[Any]]:
    """Names and sizes of a content root's files."""
    return [[file.path, file.size] for file in walk(root)]


def roots(target: Target) -> tuple[tuple[str, str, str], ...]:
    """The folders that outputs stand in, by number: with a separator at the end, that, and their root."""
    separator = "\\" if target.platform.os == "windows" else "/"
    folders = ((target.own, target.root_of(target.own)), (target.payload, target.root_of(target.payload)),
               (target.base, target.base))  # fmt: skip
    return tuple((target.below(folder, ""), separator, root) for folder, root in folders)
