"""The shared converters: a draft becomes the text of a file.

Each is a pure function. The names in `DIALECTS` are what a `Form` may say.
"""

from __future__ import annotations

from gsd_install.kernel import frontmatter_writer
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.runtime.model import Converter, Draft

if TYPE_CHECKING:
    from gsd_install.runtime.words import FieldValue

_EMPTY = '""\n'


def markdown(draft: Draft) -> str:
    """YAML frontmatter, a blank line, the text."""
    return f"{frontmatter_writer.render(draft.fields)}\n{_started(draft.body)}"


def plain(draft: Draft) -> str:
    """A first-level heading, the description, the text."""
    return f"# {draft.title}\n\n{draft.description}\n\n{_started(draft.body)}"


def _started(body: str) -> str:
    """The text without blank lines at its top; blanks that indent its first line stay."""
    return body.lstrip("\r\n")


def toml(draft: Draft) -> str:
    """Top-level keys. Long text is a multi-line literal where TOML can hold it so, else escaped."""
    return "".join(f"{_toml_key(key)} = {_toml_value(value)}\n" for key, value in draft.fields.items())


def _toml_key(key: str) -> str:
    bare = key.isascii() and key.replace("-", "").replace("_", "").isalnum()
    return key if bare else _toml_string(key)


def _toml_value(value: FieldValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        return f"[{', '.join(_toml_value(item) for item in value)}]"
    if isinstance(value, dict):
        return (
            "{ " + ", ".join(f"{_toml_key(key)} = {_toml_value(item)}" for key, item in value.items()) + " }"
        )
    if "\n" in value and "'''" not in value and not _has_control(value) and not value.endswith("'"):
        return f"'''\n{value}'''"
    return _toml_string(value)


def _toml_string(text: str) -> str:
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(escapes.get(char) or _escape_control(char) for char in text) + '"'


def _escape_control(char: str) -> str:
    return f"\\u{ord(char):04X}" if char < " " or char == "\x7f" else char


def _has_control(text: str) -> bool:
    # A bare carriage return is not allowed in a literal, and a reader may fold CRLF.
    return any((char < " " and char not in "\n\t") or char == "\x7f" for char in text)


def yaml(draft: Draft) -> str:
    """Top-level keys. Text of several lines is a literal block where YAML can hold it so, else quoted."""
    return "".join(_yaml_entry(key, value) for key, value in draft.fields.items()) or "{}\n"


def _yaml_entry(key: str, value: FieldValue) -> str:
    if not isinstance(value, str) or not _is_block(value):
        return _yaml_lines(key, value)
    # The number says how deep the block is: without it, blanks that begin the text would.
    lines = (f"  {line}\n" if line else "\n" for line in value.removesuffix("\n").split("\n"))
    keep = "-" if not value.endswith("\n") else "+" if value.endswith("\n\n") else ""
    return f"{_yaml_lines(key, '').removesuffix(_EMPTY)}|2{keep}\n{''.join(lines)}"


def _yaml_lines(key: str, value: FieldValue) -> str:
    return frontmatter_writer.render({key: value}).removeprefix("---\n").removesuffix("---\n")


def _is_block(text: str) -> bool:
    return "\n" in text and not text.isspace() and not any(map(_breaks_a_block, text))


def _breaks_a_block(char: str) -> bool:
    """Controls, a byte order mark, and what YAML 1.1 takes for an end of line."""
    return (
        (char < " " and char not in "\n\t")
        or "\x7f" <= char <= "\x9f"
        or char in "\u2028\u2029\ufeff\ufffe\uffff"
    )


def json(draft: Draft) -> str:
    """One object, two blanks deep, with every letter as itself."""
    from json import dumps

    return dumps(dict(draft.fields), ensure_ascii=False, indent=2) + "\n"


DIALECTS: dict[str, Converter] = {
    "json": json,
    "markdown": markdown,
    "plain": plain,
    "toml": toml,
    "yaml": yaml,
}
