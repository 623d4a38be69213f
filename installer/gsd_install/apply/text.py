"""Digests and line ends of installed texts, and the three-way merge."""

from __future__ import annotations

from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_install.apply.ledger import Owned


def digest(data: bytes) -> str:
    """The SHA-256 of some bytes, in hexadecimal."""
    import hashlib  # which loads OpenSSL, and a run that finds all in place asks for no digest

    return hashlib.sha256(data).hexdigest()


def is_text(data: bytes) -> bool:
    """Can these bytes be merged line by line?"""
    if b"\0" in data:
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def is_crlf(data: bytes) -> bool:
    """Does every line end with CR LF, and is there one?"""
    if b"\r" not in data:
        return False  # finding one byte is many times faster than counting two
    count = data.count(b"\r\n")
    return count > 0 and count == data.count(b"\n") and is_text(data)


def to_lf(data: bytes) -> bytes:
    """The same text with plain line ends."""
    return data.replace(b"\r\n", b"\n")


def lf_digest(data: bytes) -> str:
    """The digest a checkout without CR would have; empty where that is no different."""
    return digest(to_lf(data)) if is_crlf(data) else ""


def matches(owned: Owned, data: bytes, sha256: str) -> bool:
    """Are these bytes, whose digest is `sha256`, what we wrote?

    A checkout that changed every line end from LF to CR LF or back did not change the text.
    """
    if sha256 == owned.sha256 or sha256 == owned.lf:
        return True
    return is_crlf(data) and digest(to_lf(data)) in {owned.sha256, owned.lf}


def merge(base: bytes, mine: bytes, theirs: bytes) -> bytes | None:
    """`mine` with what changed from `base` to `theirs`; None where both changed the same lines.

    Line ends follow `mine`. What is not text never merges.
    """
    if not (is_text(base) and is_text(mine) and is_text(theirs)):
        return None
    crlf = is_crlf(mine)
    if crlf:
        base, mine, theirs = to_lf(base), to_lf(mine), to_lf(theirs)
    merged = _merged(base, mine, theirs)
    return merged.replace(b"\n", b"\r\n") if merged is not None and crlf else merged


def _merged(base: bytes, mine: bytes, theirs: bytes) -> bytes | None:
    from merge3 import Merge3

    merger = Merge3(
        base.splitlines(keepends=True), mine.splitlines(keepends=True), theirs.splitlines(keepends=True)
    )
    lines: list[bytes] = []
    for group in merger.merge_groups():
        if group[0] == "conflict":
            return None
        lines += group[1]
    return b"".join(lines)
