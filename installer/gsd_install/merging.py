"""Everything that several units put at one location, each path and entry once, with all who need it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gsd_install.apply.model import Edit, File
from gsd_install.emit.companion import KINDS
from gsd_install.emit.output import Emission, Insertion, Output
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    # Who needs an output: units by their keys, those that were added together in one set.
    _Groups = tuple[set[str], ...]


class Merged:
    """Outputs and insertions by path; the owners of each are keys of units.

    Units that share many files own them as one group, so that a file costs the same whoever else needs it.
    """

    def __init__(self) -> None:
        self._outputs: dict[str, Output] = {}
        self._groups: dict[str, _Groups] = {}
        self._insertions: dict[tuple[Any, ...], dict[str, Insertion]] = {}
        self._shared: dict[tuple[Any, ...], _Groups] = {}

    def add(self, key: str, emission: Emission) -> None:
        """What one unit gets for itself."""
        groups = ({key},)
        for output in emission.outputs:
            self._put(output, groups)
        runtime = f"--runtime {_runtime(key)} "
        for item in emission.insertions:
            said = repr(item.value)
            if item.mark:  # where two hosts run what stands in one file, it stands there once
                said = said.replace(runtime, "--runtime ")
            self._insertions.setdefault((item.path, item.pointer, said), {})[key] = item

    def spoken_for(self) -> Iterator[tuple[str, str]]:
        """Units whose hooks name the runtime of another unit, because both read one file; and that unit."""
        pairs: dict[tuple[str, str], None] = {}
        for items in self._insertions.values():
            first, *others = sorted(items)
            if items[first].mark:
                pairs |= {(other, first): None for other in others if _runtime(other) != _runtime(first)}
        yield from pairs

    def add_shared(self, key: str, identity: tuple[Any, ...], make: Callable[[], tuple[Output, ...]]) -> None:
        """What it shares with others: made once for each `identity`."""
        groups = self._shared.get(identity)
        if groups is None:
            groups = self._shared[identity] = ({key},)
            for output in make():
                self._put(output, groups)
        groups[0].add(key)

    def put(self, key: str, output: Output) -> None:
        """One file that a unit needs. Raises GsdError when another needs other bytes there."""
        self._put(output, ({key},))

    def _put(self, output: Output, groups: _Groups) -> None:
        """Take an output of a group, which stands alone in `groups`, the same object for all its outputs."""
        known = self._outputs.setdefault(output.path, output)
        if known is output:
            self._groups[output.path] = groups
            return
        owners = self._groups[output.path]
        if known.data != output.data:
            names = f"{', '.join(_together(owners))} and {', '.join(_together(groups))}"
            raise GsdError(
                f"{names} need different text at {output.path}",
                reason="output_clash",
                hint="change the prefix or the name in one content root",
            )
        self._groups[output.path] = owners + groups

    def files(self) -> tuple[File, ...]:
        """The files that the location should hold."""
        known: dict[tuple[int, ...] | int, tuple[str, ...]] = {}
        found = []
        for path, output in self._outputs.items():
            groups = self._groups[path]
            identity = id(groups) if len(groups) == 1 else tuple(map(id, groups))
            owners = known.get(identity)
            if owners is None:
                owners = known[identity] = _together(groups)
            found.append(File(path, output.data, output.executable, output.root, owners, output.sha256))
        return tuple(found)

    def edits(self) -> tuple[Edit, ...]:
        """The entries in files the user owns, each as the first of its units has it."""
        found = []
        for items in self._insertions.values():
            first, *_ = owners = tuple(sorted(items))
            item = items[first]
            found.append(Edit(item.path, item.format, item.pointer, item.value, item.root, owners, item.mark))
        return tuple(found)

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


def _runtime(key: str) -> str:
    return key.partition(":")[0]


def _together(groups: _Groups) -> tuple[str, ...]:
    return tuple(sorted(set().union(*groups)))
