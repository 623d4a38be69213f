"""The text of a config.json: where each value stands, and changes of one value that move nothing else."""

from __future__ import annotations

import re

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_BLANK = re.compile(r"[ \t\r\n]*")
_DEEPEST = 64


class Member(NamedTuple):
    """One `"key": value` of an object, or the whole (key and path empty).

    `start` is the offset of the key, `value_start` to `end` the value. `members` is None unless the value
    is an object.
    """

    path: tuple[str, ...]
    start: int
    value_start: int
    end: int
    value: object
    members: tuple[Member, ...] | None

    def member(self, name: str) -> Member | None:
        """The member called `name`, if this is an object that has it."""
        return next((member for member in self.members or () if member.path[-1] == name), None)


def parse(text: str) -> Member:
    """The object that `text` is. Raises GsdError `bad_json` with the line."""
    start = _past(text, len(text) - len(text.removeprefix("\ufeff")))
    try:
        if text[start : start + 1] != "{":
            raise _wrong(text, start, "this is not a JSON object")
        whole = _value(text, (), start, start)
        end = _past(text, whole.end)
        if end < len(text):
            raise _wrong(text, end, "there is text behind the object")
    except (ValueError, RecursionError) as error:
        at = getattr(error, "pos", start)
        raise _wrong(text, at, str(getattr(error, "msg", error)).lower()) from None
    return whole


def change(text: str, path: tuple[str, ...], value: object) -> str:
    """`text` with `value` at `path`; objects that are missing on the way are added at the end.

    Raises GsdError `bad_json`, and `bad_value` when something on the way is not an object.
    """
    holder = parse(text)
    for at, name in enumerate(path):
        found = holder.member(name)
        if found is None:
            return _added(text, holder, path[at:], value)
        if at == len(path) - 1:
            return text[: found.value_start] + _written(value) + text[found.end :]
        if found.members is None:
            raise _wrong(text, found.start, f"{'.'.join(found.path)} must be an object", "bad_value")
        holder = found
    raise AssertionError("a path is never empty")


def remove(text: str, path: tuple[str, ...]) -> str:
    """`text` without the member at `path`; unchanged when there is none. Raises GsdError `bad_json`."""
    holder = parse(text)
    for name in path[:-1]:
        found = holder.member(name)
        if found is None:
            return text
        holder = found
    members = holder.members or ()
    gone = holder.member(path[-1])
    if gone is None:
        return text
    at = members.index(gone)
    if at + 1 < len(members):
        return text[: gone.start] + text[members[at + 1].start :]
    start = members[at - 1].end if at else holder.value_start + 1
    return text[:start] + text[gone.end if at else _past(text, gone.end) :]


def _value(text: str, path: tuple[str, ...], start: int, at: int) -> Member:
    """The value at offset `at` as a member of the object around it. Raises ValueError or GsdError."""
    from json import JSONDecoder

    if text[at : at + 1] != "{":
        value, end = JSONDecoder(parse_constant=_refuse, object_pairs_hook=_unique).raw_decode(text, at)
        return Member(path, start, at, end, value, None)
    if len(path) > _DEEPEST:
        raise _wrong(text, at, "objects are nested too deeply")
    members: list[Member] = []
    end = _past(text, at + 1)
    if text[end : end + 1] != "}":
        end = _members(text, path, end, members)
    value = {member.path[-1]: member.value for member in members}
    return Member(path, start, at, end + 1, value, tuple(members))


def _members(text: str, path: tuple[str, ...], at: int, members: list[Member]) -> int:
    """Read members from offset `at`; the offset of the closing brace."""
    from json import JSONDecoder

    seen: set[str] = set()
    while True:
        if text[at : at + 1] != '"':
            raise _wrong(text, at, "a key in double quotes is missing here")
        name, end = JSONDecoder().raw_decode(text, at)
        if name in seen:
            raise _wrong(text, at, f"the key {name!r} stands here twice")
        seen.add(name)
        end = _past(text, end)
        if text[end : end + 1] != ":":
            raise _wrong(text, end, "a colon is missing here")
        members.append(_value(text, (*path, name), at, _past(text, end + 1)))
        at = _past(text, members[-1].end)
        if text[at : at + 1] == "}":
            return at
        if text[at : at + 1] != ",":
            raise _wrong(text, at, "a comma or a closing brace is missing here")
        at = _past(text, at + 1)


def _added(text: str, holder: Member, path: tuple[str, ...], value: object) -> str:
    """`text` with a new last member of `holder`, laid out as the others are."""
    for name in reversed(path[1:]):
        value = {name: value}
    new = f"{_written(path[0])}: {_written(value)}"
    if holder.members:
        last = holder.members[-1]
        before = re.search(r"(?:\r\n?|\n)[ \t]*\Z", text[: last.start])
        return text[: last.end] + "," + (before[0] if before else " ") + new + text[last.end :]
    end = re.search(r"(?:\r\n?|\n)", text)
    if not end:
        return text[: holder.value_start] + "{" + new + "}" + text[holder.end :]
    row = text[: holder.value_start].replace("\r", "\n").rpartition("\n")[2]
    indent = end[0] + row[: len(row) - len(row.lstrip(" \t"))]
    return f"{text[: holder.value_start]}{{{indent}  {new}{indent}}}{text[holder.end :]}"


def _written(value: object) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)


def _past(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The object of `pairs`, inside an array. Raises ValueError for a key that stands there twice."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a key stands in one object twice")
    return made


def _refuse(word: str) -> object:
    raise ValueError(f"{word} is not JSON")


def _wrong(text: str, at: int, message: str, reason: str = "bad_json") -> GsdError:
    from gsd_capabilities.companion.planning_text import line_at

    return GsdError(message, reason=reason, line=line_at(text, at))


def leaves(whole: Member, is_group: Callable[[str], bool]) -> Iterator[tuple[str, Member]]:
    """Every member that is not itself a group of settings, with its dotted name."""
    for member in whole.members or ():
        name = ".".join(member.path)
        if is_group(name) and member.members is not None:
            yield from leaves(member, is_group)
        else:
            yield name, member
