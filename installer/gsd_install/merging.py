"""Everything that several units put at one location, each path and entry once, with all who need it."""

from __future__ import annotations

from collections.abc import Callable

from gsd_install.apply.model import Edit, File
from gsd_install.emit.companion import KINDS
from gsd_install.emit.output import Emission, Insertion, Output
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any


class Merged:
    """Outputs and insertions by path; the owners of each are keys of units."""

    def __init__(self) -> None:
        self._outputs: dict[str, Output] = {}
        self._owners: dict[str, set[str]] = {}
        self._insertions: dict[tuple[Any, ...], tuple[Insertion, set[str]]] = {}
        self._shared: dict[tuple[Any, ...], tuple[Output, ...]] = {}

    def add(self, key: str, emission: Emission) -> None:
        """What one unit gets for itself."""
        for output in emission.outputs:
            self.put(key, output)
        for item in emission.insertions:
            identity = (item.path, item.pointer, repr(item.value))
            self._insertions.setdefault(identity, (item, set()))[1].add(key)

    def add_shared(self, key: str, identity: tuple[Any, ...], make: Callable[[], tuple[Output, ...]]) -> None:
        """What it shares with others: made once for each `identity`."""
        if identity not in self._shared:
            self._shared[identity] = make()
        for output in self._shared[identity]:
            self.put(key, output)

    def put(self, key: str, output: Output) -> None:
        """One file that a unit needs. Raises GsdError when another needs other bytes there."""
        known = self._outputs.setdefault(output.path, output)
        owners = self._owners.setdefault(output.path, set())
        if known is not output and known.data != output.data:
            raise GsdError(
                f"{', '.join(sorted(owners))} and {key} need different text at {output.path}",
                reason="output_clash",
                hint="change the prefix or the name in one content root",
            )
        owners.add(key)

    def files(self) -> tuple[File, ...]:
        """The files that the location should hold."""
        return tuple(
            File(output.path, output.data, output.executable, output.root, tuple(sorted(self._owners[path])))
            for path, output in self._outputs.items()
        )

    def edits(self) -> tuple[Edit, ...]:
        """The entries in files the user owns."""
        return tuple(
            Edit(item.path, item.format, item.pointer, item.value, item.root, tuple(sorted(owners)))
            for item, owners in self._insertions.values()
        )

    def outputs(self) -> tuple[Output, ...]:
        """Every output, once."""
        return tuple(self._outputs.values())

    def shared_size(self) -> tuple[int, int]:
        """How many texts are shared, and their bytes; the companion is no text."""
        sizes = [
            len(output.data)
            for output in self._outputs.values()
            if output.shared and output.kind not in KINDS
        ]
        return len(sizes), sum(sizes)
