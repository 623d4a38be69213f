"""The ids of what a ledger tells of: `T-3`, `D-1`, `M-12`, `job-2`.

Whoever makes one holds the lock. Where git joined the ledgers of two branches, one may have been given twice.
"""

from __future__ import annotations

from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection


def next_id(word: str, known: Collection[str]) -> str:
    """An id that nothing has, however many lines of the ledger are lost."""
    number = len(known) + 1
    while f"{word}-{number}" in known:
        number += 1
    return f"{word}-{number}"


def own_id(given: str, known: Collection[str]) -> str:
    """`given`, or where something has it already the first of `given.2`, `given.3`, ... that is free."""
    number, made = 1, given
    while made in known:
        number += 1
        made = f"{given}.{number}"
    return made
