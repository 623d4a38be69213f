"""An entry of the user's own that does what ours would do: behind another launcher, with arguments."""

from __future__ import annotations

import json

from gsd_install.apply.text import digest
from gsd_install.configedit.values import strings
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any


def value_digest(value: Any) -> str:
    """The digest of an entry's value."""
    return digest(json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode())


def wrapped(
    data: bytes | None,
    format: str,  # noqa: A002
    pointer: tuple[str, ...],
    mark: tuple[str, ...],
    ours: frozenset[str],
    *,
    file: str,
) -> Any:
    """The last element of an array that holds every text of `mark`; None where there is none.

    Elements with a digest among `ours` do not count, nor do those of a file that is not there or of another
    shape. Raises GsdError when the file does not parse.
    """
    if not mark or data is None or pointer[-1] != "-":
        return None
    from gsd_install.configedit.edit import load

    try:
        slots = load(data, format, file).slots(pointer)
    except GsdError as error:
        if error.reason != "type":
            raise
        return None
    found = [
        slot.value for slot in slots if _holds(slot.value, mark) and value_digest(slot.value) not in ours
    ]
    return found[-1] if found else None


def _holds(value: Any, mark: tuple[str, ...]) -> bool:
    """Whether the strings of a value, one after the other, hold every text."""
    text = " ".join(strings(value)).replace("\\", "/")
    return all(part in text for part in mark)
