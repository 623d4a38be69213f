"""What tells one set of files from another."""

from __future__ import annotations

from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def of_files(contents: Mapping[str, bytes]) -> str:
    """One SHA-256, in hexadecimal, of every path and every byte; the order does not matter."""
    import hashlib

    total = hashlib.sha256()
    for path in sorted(contents):
        total.update(f"{path}\0{len(contents[path])}\0".encode())
        total.update(contents[path])
    return total.hexdigest()
