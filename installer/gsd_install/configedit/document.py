"""What every format offers to the editor: a parsed file that can say how it changes."""

from __future__ import annotations

from typing import Protocol

from gsd_install.configedit.text import Text
from gsd_install.configedit.values import APPEND, Pointer
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

# Stands for the file itself where containers are counted.
FILE = -1


class Slot(NamedTuple):
    """One value that stands at a pointer: its data, its offset, and where it is in the format's own terms."""

    value: Any
    offset: int
    place: Any


class Insertion(NamedTuple):
    """A new body, and the containers on the way.

    Containers are counted by the steps that lead to them: 0 is the root, -1 the file. Those from `made`
    on were created with the entry; those up to `theirs` were there before any entry of ours.
    """

    body: str
    made: int
    theirs: int


class Document(Protocol):
    """A parsed file. Every edit answers with the new body; None means that no file is left."""

    text: Text

    def data(self) -> Any:
        """All of the file as data; None when it holds no value."""
        ...

    def slots(self, pointer: Pointer) -> list[Slot]:
        """What stands at a pointer: the value of a key, or every item when the last step is `-`.

        Raises GsdError (`type`) when something else than a container is in the way.
        """
        ...

    def create(self, pointer: Pointer, value: Any) -> str:
        """The body of a new file that holds one entry."""
        ...

    def insert(self, pointer: Pointer, value: Any) -> Insertion:
        """Set or append a value where none is yet, with the containers that it needs."""
        ...

    def delete(self, pointer: Pointer, slot: Slot, made: int, theirs: int) -> str | None:
        """Take one value out, and the containers that were created for it and hold nothing else."""
        ...

    def replace(self, pointer: Pointer, slot: Slot, value: Any) -> str:
        """Write another value in the place of one."""
        ...


def spell(pointer: Pointer) -> str:
    """A pointer in messages: `'hooks.SessionStart'`."""
    return repr(".".join(str(step) for step in pointer if step != APPEND)) if pointer else "the top"


def wanted(pointer: Pointer, depth: int) -> str:
    """The kind that the container reached by `depth` steps must have."""
    is_last = depth == len(pointer) - 1
    return "list" if isinstance(pointer[depth], int) or (is_last and pointer[-1] == APPEND) else "map"
