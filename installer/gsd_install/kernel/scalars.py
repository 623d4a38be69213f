"""One value of the frontmatter as text: quoted and plain strings, read strictly.

The rules are those of YAML 1.2 for flow scalars, less everything that some host reads differently.
Errors carry no place; the caller knows it.
"""

from __future__ import annotations

import re

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import NoReturn

_QUOTED = re.compile(r"""'((?:[^']|'')*+)'|"((?:[^"\\]|\\.)*+)\"""")
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_ESCAPES = dict(zip('0abtnvfre "/\\N_LP', '\0\a\b\t\n\v\f\r\x1b "/\\\x85\xa0\u2028\u2029', strict=True))
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_QUOTE_IT = "put the value in double quotes"


def refuse(message: str, hint: str) -> NoReturn:
    """Raise the error of a value outside the subset."""
    raise GsdError(message, reason="bad_frontmatter", hint=hint)


def string(text: str, at: int = 0) -> tuple[str, int]:
    """The quoted string that starts at `at`, and the offset behind it."""
    match = _QUOTED.match(text, at)
    if match is None:
        refuse("the quotes are not closed on this line", "close them; write a line break as `\\n`")
    if match[1] is not None:
        return match[1].replace("''", "'"), match.end()
    return _ESCAPE.sub(_unescaped, match[2]), match.end()


def plain(text: str) -> str:
    """`text` itself, unless a YAML reader would take it for something else than this string."""
    if text in ("", "~", "-", "?") or text.lower() == "null" or text[0] in "[]{},&*!|>'\"%@`#:":
        refuse(f"{text!r} is not a plain text", _QUOTE_IT)
    if text.startswith(("- ", "? ", "-\t", "?\t")) or text.endswith(":") or re.search(r":[ \t]", text):
        refuse(
            f"{text!r} is not a plain text: a blank behind `:`, `-` or `?` has a meaning in YAML", _QUOTE_IT
        )
    return text


def inline_list(text: str) -> tuple[list[str], int]:
    """The items of the list `[a, "b"]` that `text` starts with, and the offset behind it."""
    items: list[str] = []
    at = _past_blanks(text, 1)
    while text[at : at + 1] != "]":
        item, at = _item(text, at)
        items.append(item)
        if text[at : at + 1] == ",":
            at = _past_blanks(text, at + 1)
        elif text[at : at + 1] != "]":
            refuse("this list is not closed on its line", "close it with `]`, or write one `- item` a line")
    return items, at + 1


def uncommented(text: str) -> str:
    """`text` without the comment at its end, which needs a blank before it, and without blanks there."""
    comment = re.search(r"[ \t]#", text)
    return text[: comment.start() if comment else None].rstrip(" \t")


def typed(text: str) -> str | int | bool:
    """A plain text as the value it stands for: `true`, `false`, an integer, else itself."""
    if text in ("true", "false"):
        return text == "true"
    return int(text) if _INTEGER.fullmatch(text) else text


def folded(rows: list[str]) -> str:
    """YAML's folding: a line break is a blank, n blank rows are n line breaks, indented rows stay."""
    text, before, blanks = "", "", 0
    for row in rows:
        if not row:
            blanks += 1
            continue
        if before:
            kept = row[0] in " \t" or before[0] in " \t"
            text += "\n" * (blanks + kept) or " "
        else:
            text += "\n" * blanks
        text += row
        before, blanks = row, 0
    return text


def _item(text: str, at: int) -> tuple[str, int]:
    """One item of an inline list, and the offset of the comma or bracket behind it."""
    if text[at : at + 1] in ("'", '"'):
        item, end = string(text, at)
        return item, _past_blanks(text, end)
    end = at
    while text[end : end + 1] not in ("", ",", "]"):
        end += 1
    item = text[at:end].strip(" \t")
    if any(mark in item for mark in "[{}") or f" {item}" != uncommented(f" {item}"):
        refuse(f"{item!r} is not a plain list item", "put the item in double quotes")
    return (plain(item), end) if end < len(text) else (item, end)


def _past_blanks(text: str, at: int) -> int:
    while text[at : at + 1] in (" ", "\t"):
        at += 1
    return at


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code is None and match[4] in _ESCAPES:
        return _ESCAPES[match[4]]
    number = int(code or "d800", 16)
    if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        refuse(f"unknown escape {match[0]!r}", "write the character itself, and a backslash as `\\\\`")
    return chr(number)
