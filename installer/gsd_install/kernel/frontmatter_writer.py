"""The block of `key: value` lines at the top of a document, written so that no host has to guess.

Every string is quoted. The reader is `frontmatter`; it is apart because installs write and rarely read.
"""

from __future__ import annotations

from collections.abc import Mapping

from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence

    Value = str | int | bool | Sequence[str] | Mapping[str, "Value"]

# Keys that some YAML reader takes for something other than the text they are.
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
# Not compiled on import: most values never come to it, and it takes as long as the rest of this module.
_UNSAFE = "[\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]"
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def render(fields: Mapping[str, Value], *, block_lists: bool = False) -> str:
    """The block for `fields` in their order, `---` lines included, ending in a line end.

    Lists stand on the line of their key, or with `block_lists` one item a line.
    """
    return "".join(("---\n", *_rendered(fields, "", block_lists=block_lists), "---\n"))


def _rendered(fields: Mapping[str, Value], indent: str, *, block_lists: bool) -> Iterator[str]:
    for key, value in fields.items():
        yield f"{indent}{_rendered_key(key)}:"
        if isinstance(value, int):
            yield f" {str(value).lower()}\n"
        elif isinstance(value, str):
            yield f" {quote(value)}\n"
        elif isinstance(value, Mapping):
            yield "\n" if value else " {}\n"
            yield from _rendered(value, indent + "  ", block_lists=block_lists)
        elif block_lists and value:
            yield "\n"
            yield from (f"{indent}  - {quote(item)}\n" for item in value)
        else:
            yield f" [{', '.join(map(quote, value))}]\n"


def _rendered_key(key: str) -> str:
    bare = key[:1].isalpha() and key.isascii() and key.replace("-", "a").replace("_", "a").isalnum()
    return key if bare and key.lower() not in _WORDS else quote(key)


def quote(value: str) -> str:
    """`value` as a double-quoted string on one line, the same in YAML and in JSON.

    Only what a reader could trip over is escaped; letters of every script and emoji stay themselves.
    Raises ValueError for a lone surrogate, which no file can hold.
    """
    text = value.replace("\\", "\\\\").replace('"', '\\"')
    if not text.isprintable():
        import re

        text = re.sub(_UNSAFE, _escaped, text)
    return f'"{text}"'


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    if "\ud800" <= character <= "\udfff":
        raise ValueError(f"lone surrogate {character!r} in a frontmatter value")
    return _SHORT.get(character) or f"\\u{ord(character):04x}"
