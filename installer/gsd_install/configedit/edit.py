"""Entries of ours in files the user owns: put, look after, update, take out again.

A receipt is what has to be remembered of an entry: its pointer, the hash of its value, and which
containers came with it. It holds no text of the file, so it can be stored anywhere. Whatever is not
ours is never written anew: every edit inserts or removes spans, and is checked afterwards by reading
the result.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from gsd_install.configedit import inside
from gsd_install.configedit.document import FILE, Document, Insertion, Slot, spell
from gsd_install.configedit.parts import holds, marks_in, marks_of
from gsd_install.configedit.text import decode
from gsd_install.configedit.values import (
    APPEND,
    bears,
    digest,
    outcomes,
    trace,
    with_entry,
    with_other,
)
from gsd_install.kernel.errors import BUG, GsdError
from gsd_install.kernel.record import NamedTuple

Receipt = dict[str, Any]
# `extended`: all of ours is there, and something of the user's inside it.
State = Literal["present", "extended", "changed", "missing"]


class DamageError(GsdError):
    """An edit would have harmed the file, so its bytes were not returned: a bug of ours."""

    exit_code = BUG


class _Found(NamedTuple):
    """Where an entry is: its slot when all of it is there, and its place when it is in an array."""

    state: State
    slot: Slot | None
    at: int | None


def check(data: bytes, format: str, *, file: str) -> None:  # noqa: A002
    """Raise GsdError (file, line, column, hint) when the file does not parse."""
    load(data, format, file)


def put(
    data: bytes | None,
    format: str,  # noqa: A002
    pointer: tuple[str, ...],
    value: Any,
    *,
    file: str,
    others: Iterable[Receipt] = (),
) -> tuple[bytes, Receipt]:
    """Add an entry; None stands for a file that does not exist yet. `others` are receipts of the same file.

    A last step `-` appends to an array, otherwise the pointer's key is set. Where the user already has
    an equal value the bytes come back as they are and the receipt says that it is not ours. Raises
    GsdError: `occupied` when the key holds something else, `type` when the way is blocked, `syntax`.
    """
    value = _comparable(format, value)
    document = load(data, format, file)
    slots = document.slots(pointer)
    if data is not None and any(digest(slot.value) == digest(value) for slot in slots):
        return data, _receipt(pointer, value, None)
    if slots and pointer[-1] != APPEND:
        raise _occupied(document, pointer, slots[-1])
    if data is None:
        added = Insertion(document.create(pointer, value), FILE, -1)
    else:
        added = document.insert(pointer, value)
    result = document.text.encode(added.body)
    allowed = [with_entry(document.data(), pointer, value)]
    if slots:
        # Behind a YAML text that the end of the file ends, nothing can be added: it goes before it.
        *values, last = (slot.value for slot in slots)
        allowed.append(with_entry(document.data(), pointer[:-1], [*values, value, last]))
    _verify(result, format, file, allowed)
    receipt = _receipt(pointer, value, added)
    if added.made == FILE or any(other.get("file") for other in others):
        # Whatever the user did in a file that was made for entries of ours, it goes when nothing is left.
        receipt |= {"file": True, "theirs": FILE}
    return result, receipt


def state(data: bytes | None, format: str, receipt: Receipt, *, file: str) -> State:  # noqa: A002
    """Whether an entry is there as it was written; in an array, wherever the user moved it.

    Raises GsdError when the file does not parse.
    """
    return "missing" if data is None else _locate(load(data, format, file), receipt).state


def take(data: bytes, format: str, receipt: Receipt, *, file: str) -> bytes | None:  # noqa: A002
    """Remove one entry, and containers created for it that are empty again.

    None means that the file was created for entries and holds nothing any more. An entry that the user
    changed or removed, or that was the user's from the start, leaves the bytes as they are. Of one that
    the user put something into, our elements go and the rest stays.
    """
    document = load(data, format, file)
    state, slot, index = _locate(document, receipt)
    if slot is None or not receipt["ours"]:
        return data
    pointer = tuple(receipt["pointer"])
    if state == "extended":
        left = inside.take(
            document, inside.base(pointer, index), marks_in(receipt), _reread(document, format)
        )
        return left.text.encode(left.text.body)
    allowed = list(outcomes(document.data(), pointer, index))
    body = document.delete(pointer, slot, receipt["made"], receipt["theirs"])
    result = None if body is None else document.text.encode(body)
    _verify(result, format, file, allowed)
    return result


def update(
    data: bytes,
    format: str,  # noqa: A002
    receipt: Receipt,
    value: Any,
    *,
    file: str,
) -> tuple[bytes, Receipt]:
    """Give an entry another value in its place.

    In an entry that the user put something into, only our elements change. Where the rest of the value
    differs too, that entry is left to the user, and the new value becomes an entry of its own.
    Raises GsdError: `changed` or `missing` when the entry is not there as it was written.
    """
    pointer = tuple(receipt["pointer"])
    value = _comparable(format, value)
    if receipt["hash"] == digest(value):
        return data, receipt
    if not receipt["ours"]:
        return put(data, format, pointer, value, file=file, others=[receipt])
    document = load(data, format, file)
    found = _locate(document, receipt)
    if found.slot is None:
        raise _lost(document, pointer, found)
    if any(digest(slot.value) == digest(value) for slot in document.slots(pointer)):
        # The user has the new value too: one copy is enough, and it is theirs.
        return take(data, format, receipt, file=file) or b"", _receipt(pointer, value, None)
    if found.state == "extended":
        return _update_inside(document, format, receipt, found, value)
    data_before = document.data()
    result = document.text.encode(document.replace(pointer, found.slot, value))
    moved = [with_entry(left, pointer, value) for left in outcomes(data_before, pointer, found.at)]
    _verify(result, format, file, [with_other(data_before, pointer, found.at, value), *moved])
    return result, _renewed(receipt, value)


def _update_inside(
    document: Document,
    format: str,  # noqa: A002
    receipt: Receipt,
    found: _Found,
    value: Any,
) -> tuple[bytes, Receipt]:
    pointer, marks, reread = tuple(receipt["pointer"]), marks_in(receipt), _reread(document, format)
    entry = inside.base(pointer, found.at)
    after = inside.update(document, entry, marks, value, reread)
    if after is not None:
        return after.text.encode(after.text.body), _renewed(receipt, value)
    if pointer[-1] != APPEND:
        raise _lost(document, pointer, found)
    left = inside.take(document, entry, marks, reread).text
    return put(left.encode(left.body), format, pointer, value, file=left.file, others=[receipt])


def load(data: bytes | None, format: str, file: str) -> Document:  # noqa: A002
    """Parse a file in one of the formats; None and an empty file have no value. Raises GsdError."""
    text = decode(data, file, lenient=format == "block")
    if format == "jsonc":
        from gsd_install.configedit.jsonc import JsoncDocument

        return JsoncDocument(text)
    if format == "toml":
        from gsd_install.configedit.toml import TomlDocument

        return TomlDocument(text)
    if format == "yaml":
        from gsd_install.configedit.yaml import YamlDocument

        return YamlDocument(text)
    if format == "block":
        from gsd_install.configedit.block import BlockDocument

        return BlockDocument(text)
    raise ValueError(f"unknown format {format!r}")


def _comparable(format: str, value: Any) -> Any:  # noqa: A002
    """The value as it is read back."""
    if format != "block":
        return value
    from gsd_install.configedit.block import normal

    return normal(value)


def _locate(document: Document, receipt: Receipt) -> _Found:
    pointer = tuple(receipt["pointer"])
    try:
        slots = document.slots(pointer)
    except GsdError as error:
        if error.reason != "type":
            raise
        return _Found("missing", None, None)
    same = [at for at, slot in enumerate(slots) if digest(slot.value) == receipt["hash"]]
    marks = marks_in(receipt)
    if pointer[-1] == APPEND:
        if same:
            return _Found("present", slots[same[-1]], same[-1])
        around = [at for at, slot in enumerate(slots) if holds(slot.value, marks)]
        if around:
            return _Found("extended", slots[around[-1]], around[-1])
        edited = any(bears(slot.value, receipt.get("trace", "")) for slot in slots)
        return _Found("changed" if edited else "missing", None, None)
    # A key that somebody doubled has no one meaning: hands off.
    if same and len(slots) == 1:
        return _Found("present", slots[0], None)
    if len(slots) == 1 and holds(slots[0].value, marks):
        return _Found("extended", slots[0], None)
    return _Found("changed" if slots else "missing", None, None)


def _receipt(pointer: tuple[str, ...], value: Any, added: Insertion | None) -> Receipt:
    receipt = {**_identity(pointer, value), "ours": added is not None}
    if added is not None:
        receipt |= {"made": added.made, "theirs": added.theirs}
    return receipt


def _renewed(receipt: Receipt, value: Any) -> Receipt:
    """A receipt for another value in the same place."""
    place: Receipt = {key: receipt[key] for key in ("ours", "made", "theirs", "file") if key in receipt}
    return {**_identity(tuple(receipt["pointer"]), value), **place}


def _identity(pointer: tuple[str, ...], value: Any) -> Receipt:
    identity: Receipt = {"pointer": list(pointer), "hash": digest(value)}
    marks = marks_of(value)
    if marks:
        identity["parts"] = [[list(mark.at), mark.hash] for mark in marks]
    found = trace(value) if pointer[-1] == APPEND else None
    return {**identity, "trace": found} if found else identity


def _reread(document: Document, format: str) -> inside.Reread:  # noqa: A002
    text = document.text

    def reread(body: str, expected: Any) -> Document:
        result = text.encode(body)
        _verify(result, format, text.file, [expected])
        return load(result, format, text.file)

    return reread


def _verify(result: bytes | None, format: str, file: str, allowed: list[Any]) -> None:  # noqa: A002
    """Read an edited file again: it must hold what it held, plus or minus the one entry."""
    try:
        data = None if result is None else load(result, format, file).data()
    except GsdError as error:
        raise DamageError(f"an edit would have made this file unreadable ({error})", **_bug(file)) from error
    if digest(data) not in map(digest, allowed):
        raise DamageError("an edit would have changed other entries of this file", **_bug(file))


def _bug(file: str) -> dict[str, Any]:
    return {"reason": "damage", "file": file, "hint": "nothing was changed; please report this file's layout"}


def _occupied(document: Document, pointer: tuple[str, ...], slot: Slot) -> GsdError:
    return document.text.failure(
        slot.offset,
        f"{spell(pointer)} is already set to something else",
        reason="occupied",
        hint="rename or remove that entry, then run the command again",
    )


def _lost(document: Document, pointer: tuple[str, ...], found: _Found) -> GsdError:
    return GsdError(
        f"the entry {spell(pointer)} was {'removed' if found.state == 'missing' else 'changed'} by hand",
        reason="missing" if found.state == "missing" else "changed",
        file=document.text.file,
        hint="take it out by hand, then run the command again",
    )
