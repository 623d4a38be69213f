"""Instruction files that a host reads together up to a limit: ours must not crowd the user's own text out.

What does not fit beside the user's part becomes a pointer to files; where even that is too much it stays
out, and the report says so. The size that counts is that of the file as it will be.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence

from gsd_install.configedit import edit
from gsd_install.emit.output import Emission, Insertion, Sum
from gsd_install.emit.rules import Pointed
from gsd_install.emit.target import Target
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.measure import measure
from gsd_install.kernel.record import NamedTuple
from gsd_install.runtime.model import Cap


class Reader(NamedTuple):
    """A unit whose host reads instruction files, and its caps.

    One that is planned has an emission, and `rules` gives the block that points at the rules instead of
    holding them.
    """

    key: str
    target: Target
    caps: tuple[Cap, ...]
    emission: Emission | None = None
    rules: Callable[[], Pointed] | None = None


class Limit(NamedTuple):
    """A cap on a chain, and the host that has it."""

    target: Target
    cap: Cap


def fitted(readers: Sequence[Reader]) -> tuple[Mapping[str, Emission], tuple[Sum, ...]]:
    """The emissions of planned readers, by key, with blocks that keep every chain cap; and the sums.

    A file that several hosts read keeps the caps of all of them. Raises GsdError (reason `over_cap`) where
    a cap refuses.
    """
    emissions = {reader.key: reader.emission for reader in readers if reader.emission}
    sums: list[Sum] = []
    for path in dict.fromkeys(item.path for emission in emissions.values() for item in _blocks(emission)):
        limits = [
            Limit(reader.target, cap)
            for reader in readers
            for cap in reader.caps
            if _reads(reader, cap, path)
        ]
        if limits:
            file = _File(path, readers, limits)
            emissions |= file.settle()
            sums += file.sums()
    return emissions, tuple(sums)


def _blocks(emission: Emission, path: str | None = None) -> list[Insertion]:
    """The instruction blocks of an emission, in one file or in all."""
    return [
        item
        for item in emission.insertions
        if (item.surface, item.format) == ("instructions", "block") and path in (None, item.path)
    ]


def _reads(reader: Reader, cap: Cap, path: str) -> bool:
    """Whether a cap of a host limits the file."""
    target = reader.target
    if cap.field != "chain" or cap.scope not in (None, target.scope):
        return False
    surfaces = [surface for surface in target.runtime.surfaces if surface.scope in (None, target.scope)]
    paths = [path for surface in surfaces if surface.name == "instructions" for path in surface.paths]
    return path in map(target.resolve, paths)


class _File:
    """One instruction file: what the user has in it, the blocks of ours, and the caps of its readers."""

    def __init__(self, path: str, readers: Sequence[Reader], limits: list[Limit]) -> None:
        self._path = path
        self._limits = limits
        self._readers = [reader for reader in readers if reader.emission and _blocks(reader.emission, path)]
        self._emissions = {reader.key: reader.emission for reader in self._readers if reader.emission}
        self._names = list(self._texts())
        self._found: bytes | None = None
        if os.path.isfile(path):
            with open(path, "rb") as file:
                self._found = file.read()

    def settle(self) -> Mapping[str, Emission]:
        """The emissions, with pointers in the place of rules or with nothing where that is needed."""
        over = self._over()
        if not over:
            return self._emissions
        said = [self._said(limit) for limit in over]
        self._emissions = {reader.key: self._pointing(reader) for reader in self._readers}
        what = "the block points at the rules instead"
        still = self._over()
        for limit in still:
            if limit.cap.on_excess == "refuse":
                hint = "shorten your own part of it, or leave out --with instructions"
                raise GsdError(self._said(limit), reason="over_cap", file=self._path, hint=hint)
        if still:
            what = "not even a pointer to the rules has room, so nothing of ours is in it"
            self._emissions = {key: self._without(emission) for key, emission in self._emissions.items()}
        first = self._readers[0].key
        warned = (*self._emissions[first].warnings, *(f"{text}: {what}" for text in said))
        return {**self._emissions, first: self._emissions[first]._replace(warnings=warned)}

    def sums(self) -> Iterator[Sum]:
        """What each cap counts, as it is settled."""
        for limit in self._limits:
            yours = self._size({}, limit.cap)
            yield Sum(limit.target.runtime.id, limit.cap, self._size(self._texts(), limit.cap) - yours, yours)

    def _texts(self) -> dict[str, str]:
        """The blocks of ours, by name."""
        blocks = [item for emission in self._emissions.values() for item in _blocks(emission, self._path)]
        return {item.pointer[-1]: str(item.value) for item in blocks}

    def _over(self) -> list[Limit]:
        texts = self._texts()
        return [limit for limit in self._limits if self._size(texts, limit.cap) > limit.cap.limit]

    def _said(self, limit: Limit) -> str:
        cap, yours = limit.cap, self._size({}, limit.cap)
        ours = self._size(self._texts(), cap) - yours
        return (
            f"{limit.target.spell(self._path)} would have {yours:,} {cap.unit} of yours and {ours:,} "
            f"of ours, the limit of {limit.target.runtime.title} is {cap.limit:,}"
        )

    def _size(self, texts: Mapping[str, str], cap: Cap) -> int:
        """How much the file has with these blocks of ours in it."""
        data = self._found
        for name in self._names:
            data = _put(data, name, texts.get(name), self._path)
        found = data or b""
        return len(found) if cap.unit == "bytes" else measure(found.decode(errors="replace"), cap.unit)

    def _pointing(self, reader: Reader) -> Emission:
        if reader.rules is None:
            raise ValueError(f"{reader.key} is planned and has no rules")
        pointed = reader.rules()
        emission = self._emissions[reader.key]
        ours = _blocks(emission, self._path)
        insertions = [
            item._replace(value=pointed.text) if item in ours else item for item in emission.insertions
        ]
        return emission._replace(insertions=tuple(insertions), outputs=emission.outputs + pointed.files)

    def _without(self, emission: Emission) -> Emission:
        gone = _blocks(emission, self._path)
        return emission._replace(
            insertions=tuple(item for item in emission.insertions if item not in gone),
            outputs=tuple(output for output in emission.outputs if output.kind != "rule"),
        )


def _put(data: bytes | None, name: str, text: str | None, path: str) -> bytes | None:
    """The file with that text in our block of that name; without the block where the text is None."""
    document = edit.load(data, "block", path)
    slots = document.slots((name,))
    if text is None:
        body = document.delete((name,), slots[0], 0, 0) if slots else document.text.body
        return None if body is None else document.text.encode(body)
    if slots:
        return document.text.encode(document.replace((name,), slots[0], text.rstrip("\n")))
    return edit.put(data, "block", (name,), text, file=path)[0]
