"""The ledger: what we own at one location, per path and per entry in a file of the user's.

It is text, sorted, one entry a line, and holds no time. Paths are keys: POSIX and relative to the
location's root where they lie inside it, else absolute (which only the global scope may use). A
project's ledger is committed with the project, so it holds no fact about a machine.
"""

from __future__ import annotations

import os

from gsd_install.apply import disk
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from gsd_install.apply.model import Location

FORMAT = 1
NEW, BACKUP = ".gsd-new", ".gsd-backup"


class Owned(NamedTuple):
    """One file of ours.

    `sha256` is of the bytes we last put there or would have put there, `lf` of the same text with
    plain line ends where that differs. `kept`: a smaller selection does not want it, but it was edited, so it
    stays and is ours still. `found`: it was there, byte for byte, before us, so it is never
    deleted. `deleted`: the user deleted it and it stays so. `new` is the digest of the `.gsd-new` that
    waits beside an edited file. `backup`: a file of the user's waits beside it as `.gsd-backup`.
    """

    sha256: str
    executable: bool
    owners: tuple[str, ...]
    found: bool = False
    deleted: bool = False
    new: str = ""
    backup: bool = False
    lf: str = ""
    kept: bool = False


class Entry(NamedTuple):
    """One entry of ours in a file of the user's; `receipt` is what configedit needs to take it out.

    `value` is the digest of the value we last wrote. `deleted`: the user took it out and it stays so.
    """

    path: str
    format: str
    pointer: tuple[str, ...]
    value: str
    owners: tuple[str, ...]
    receipt: Mapping[str, Any]
    deleted: bool = False


class Ledger(NamedTuple):
    """All that is ours at one location; empty where nothing is installed.

    `units` maps a unit key to its record. `dirs` are directories we created. `roots` are the
    directories outside the location's root that files were declared to stay inside. `home` is the
    root the ledger was written for (global scope only). `source` is the file as read.
    """

    units: Mapping[str, Mapping[str, Any]] = {}
    files: Mapping[str, Owned] = {}
    entries: tuple[Entry, ...] = ()
    dirs: frozenset[str] = frozenset()
    roots: tuple[str, ...] = ()
    home: str = ""
    source: bytes | None = None


def key_of(location: Location, path: str) -> str:
    """The ledger's name of an absolute path."""
    root = location.root
    if path.startswith(root) and path[len(root) : len(root) + 1] == os.sep:
        path = path[len(root) + 1 :]
    return path if os.sep == "/" else path.replace(os.sep, "/")


def path_of(location: Location, key: str) -> str:
    """The absolute path of a key; inverse of `key_of`."""
    if os.sep != "/":
        key = key.replace("/", os.sep)
    elif location.root != "/":
        return key if key.startswith("/") else f"{location.root}/{key}"
    return os.path.join(location.root, key)


def load(location: Location) -> Ledger:
    """Read the ledger of a location; an empty one where there is none.

    Raises GsdError when it is damaged, of a newer format, or of another home.
    """
    if disk.look(location.ledger) is None:
        return Ledger()
    import json

    data = disk.read(location.ledger)
    try:
        stored = json.loads(data.decode("utf-8", "surrogateescape"))
    except ValueError as error:
        line = getattr(error, "lineno", None)
        raise _damaged(location, "it is not JSON", line, conflicted=b"<<<<<<<" in data) from error
    if not isinstance(stored, dict) or not isinstance(stored.get("format"), int):
        raise _damaged(location, "it has no format number")
    if stored["format"] != FORMAT:
        raise GsdError(
            f"this ledger has format {stored['format']}, and this version knows format {FORMAT}",
            reason="ledger_newer",
            file=location.ledger,
            hint="upgrade gsd-install",
        )
    try:
        read = _parsed(location, stored, data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _damaged(location, f"an entry is not as it should be ({error})") from error
    _require_same_home(location, read)
    return read


def dump(ledger: Ledger) -> bytes | None:
    """The text of a ledger; None for one that owns nothing, which has no file."""
    if not (ledger.units or ledger.files or ledger.entries):
        return None
    import json
    from json.encoder import encode_basestring as quoted

    encode = json.JSONEncoder(sort_keys=True, ensure_ascii=False).encode
    owners: dict[tuple[str, ...], str] = {}
    sections = [f'"format": {FORMAT}']
    if ledger.home:
        sections.append(f'"home": {encode(_spelled(ledger.home))}')
    if ledger.roots:
        sections.append('"roots": ' + _lines("[]", (encode(_spelled(root)) for root in sorted(ledger.roots))))
    units = (f"{encode(key)}: {encode(dict(record))}" for key, record in sorted(ledger.units.items()))
    sections.append('"units": ' + _lines("{}", units))
    dirs = (quoted(key) for key in sorted(ledger.dirs))
    sections.append('"dirs": ' + _lines("[]", dirs))
    files = (f"{quoted(key)}: {_line(ledger.files[key], owners, encode)}" for key in sorted(ledger.files))
    sections.append('"files": ' + _lines("{}", files))
    entries = (encode(_stored_entry(entry)) for entry in ledger.entries)
    sections.append('"entries": ' + _lines("[]", entries))
    return ("{\n" + ",\n".join(sections) + "\n}\n").encode("utf-8", "surrogateescape")


def same(one: Ledger, other: Ledger) -> bool:
    """Would both be written as the same text?"""
    return one[:-1] == other[:-1] or dump(one) == dump(other)


def _spelled(path: str) -> str:
    """An absolute path as text, the same whatever the locale makes of its bytes."""
    return os.fsencode(path).decode("utf-8", "surrogateescape")


def _native(text: str) -> str:
    """Inverse of `_spelled`."""
    return os.fsdecode(text.encode("utf-8", "surrogateescape"))


def _lines(brackets: str, items: Iterable[str]) -> str:
    text = ",\n".join(items)
    return f"{brackets[0]}\n{text}\n{brackets[1]}" if text else brackets


_FLAGS = ("found", "deleted", "new", "backup", "lf", "kept")


def _line(owned: Owned, owners: dict[tuple[str, ...], str], encode: Callable[[Any], str]) -> str:
    """The JSON of a file's entry; `owners` remembers that of the few sets of owners there are."""
    if owned.executable or owned[3:] != _PLAIN:
        return encode(_stored(owned))
    known = owners.get(owned.owners)
    if known is None:
        known = owners[owned.owners] = encode(owned.owners)
    return f'{{"owners": {known}, "sha256": "{owned.sha256}"}}'


def _stored(owned: Owned) -> dict[str, Any]:
    stored: dict[str, Any] = {"sha256": owned.sha256, "owners": owned.owners}
    if owned.executable:
        stored["x"] = True
    if owned[3:] != _PLAIN:
        stored |= {name: getattr(owned, name) for name in _FLAGS if getattr(owned, name)}
    return stored


_PLAIN = Owned("", executable=False, owners=())[3:]


def _stored_entry(entry: Entry) -> dict[str, Any]:
    stored = entry._asdict()
    if not entry.deleted:
        del stored["deleted"]
    return stored


def _parsed(location: Location, stored: dict[str, Any], data: bytes) -> Ledger:
    for key in (*stored["files"], *stored["dirs"], *(entry["path"] for entry in stored["entries"])):
        _require_inside(location, key)
    return Ledger(
        units={str(key): dict(record) for key, record in stored["units"].items()},
        files={key: _owned(item) for key, item in stored["files"].items()},
        entries=tuple(_entry(item) for item in stored["entries"]),
        dirs=frozenset(stored["dirs"]),
        roots=tuple(_native(root) for root in stored.get("roots", ())),
        home=_native(stored.get("home", "")),
        source=data,
    )


def _owned(item: dict[str, Any]) -> Owned:
    flags = {name: item[name] for name in _FLAGS if name in item} if len(item) > 2 else {}
    return Owned(str(item["sha256"]), bool(item.get("x")), tuple(item["owners"]), **flags)


def _entry(item: dict[str, Any]) -> Entry:
    values = {**item, "pointer": tuple(item["pointer"]), "owners": tuple(item["owners"])}
    return Entry(**values)


def _require_inside(location: Location, key: str) -> None:
    """A ledger can be edited by hand or arrive with a foreign project: its paths prove nothing."""
    if not isinstance(key, str):
        raise TypeError(f"{key!r} is not a path")
    drive = len(key) > 1 and key[1] == ":"
    if location.scope == "global" and (key.startswith("/") or drive):
        key = key[3:] if drive else key[1:]
    if "\\" in key or "\0" in key or any(part in {"", ".", ".."} for part in key.split("/")):
        raise ValueError(f"{key!r} does not stay inside its root")
    if location.scope == "project" and drive:
        raise ValueError(f"{key!r} is absolute")


def _require_same_home(location: Location, ledger: Ledger) -> None:
    """One state directory, two homes (XDG_STATE_HOME kept, HOME changed): paths would mean other files."""
    home = ledger.home
    if not home or home == location.root or not os.path.isdir(home) or os.path.samefile(home, location.root):
        return
    raise GsdError(
        f"this ledger is about another home, {home}",
        reason="ledger_home",
        file=location.ledger,
        hint="unset XDG_STATE_HOME, or set it to a directory of this home",
    )


def _damaged(location: Location, why: str, line: int | None = None, *, conflicted: bool = False) -> GsdError:
    if conflicted:
        hint = "resolve the merge conflict in it: keep the lines of both sides"
    elif location.scope == "project":
        hint = "bring it back from version control: git checkout -- .gsd/ledger.json"
    else:
        hint = "move it away, then run gsd-install adopt: files that are as we wrote them become ours again"
    return GsdError(
        f"the ledger is damaged: {why}", reason="ledger", file=location.ledger, line=line, hint=hint
    )
