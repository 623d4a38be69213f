"""Placeholders in text: `{gsd:path workflows/x.md}`, `{{gsd:` as an escape, literal regions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gsd_install.content.model import VERBS, Part, Placeholder
from gsd_install.kernel.errors import GsdError

_ANY = re.compile(r"\{\{gsd:|\{gsd:([^{}\r\n]*)\}?")
# Anything that starts a line like a marker of a literal region, and what a well-formed one is.
_LITERAL = re.compile(r"^[ \t]{0,3}<!--[ \t]*(/?)[ \t]*gsd:literal\b[^\r\n]*(?:\r?\n|\Z)", re.MULTILINE)
_MARKER = re.compile(r"<!-- /?gsd:literal -->")
_WITH_ARGUMENT = frozenset({"path", "launcher", "agent", "command", "tool"})


def parse(text: str, *, file: str, line: int) -> tuple[Part, ...]:
    """Split `text`, which starts at `line` of `file`, into plain text and placeholders.

    Lines that open or close a literal region disappear; between them everything is plain text. Raises
    GsdError for a placeholder nobody knows, one that lacks its argument, or a region that is not closed.
    """
    if "gsd:" not in text:
        return (text,) if text else ()
    return tuple(_joined(_parts(text, file, line)))


def is_marker(line: str) -> bool:
    """Whether a line opens or closes a literal region, and so disappears."""
    return _LITERAL.match(line) is not None


def _parts(text: str, file: str, line: int) -> Iterator[Part]:
    position, open_at = 0, -1
    for marker in _LITERAL.finditer(text):
        closing = marker.group(1) == "/"
        at = line + text.count("\n", 0, marker.start())
        if not _MARKER.fullmatch(marker[0].strip()):
            raise GsdError(
                f"this marker of a literal region cannot be read: {marker[0].strip()!r}",
                reason="literal_region",
                file=file,
                line=at,
                hint="a line holds `<!-- gsd:literal -->` or `<!-- /gsd:literal -->` and nothing else",
            )
        if closing != (open_at >= 0):
            word = "closes no" if closing else "opens inside another"
            raise GsdError(
                f"this marker {word} literal region",
                reason="literal_region",
                file=file,
                line=at,
                hint="literal regions stand in pairs and do not nest",
            )
        stretch = text[position : marker.start()]
        if closing:
            yield stretch
        else:
            yield from _placeholders(stretch, file, line + text.count("\n", 0, position))
        position, open_at = marker.end(), (-1 if closing else at)
    if open_at >= 0:
        raise GsdError(
            "this literal region is not closed",
            reason="literal_region",
            file=file,
            line=open_at,
            hint="end it with a line <!-- /gsd:literal -->",
        )
    yield from _placeholders(text[position:], file, line + text.count("\n", 0, position))


def _placeholders(text: str, file: str, line: int) -> Iterator[Part]:
    position = 0
    for match in _ANY.finditer(text):
        yield text[position : match.start()]
        position = match.end()
        if match.group(1) is None:
            yield "{gsd:"
            continue
        at = line + text.count("\n", 0, match.start())
        yield _placeholder(match.group(0), match.group(1), file, at)
    yield text[position:]


def _placeholder(source: str, content: str, file: str, line: int) -> Placeholder:
    verb, _, argument = content.strip().partition(" ")
    argument = argument.strip()
    if not source.endswith("}"):
        raise GsdError(
            f"the placeholder {source!r} is not closed",
            reason="bad_placeholder",
            file=file,
            line=line,
            hint="write {{gsd: for a literal {gsd:",
        )
    if verb not in VERBS:
        raise GsdError(
            f"unknown placeholder {source!r}",
            reason="unknown_placeholder",
            file=file,
            line=line,
            hint=f"known: {', '.join(VERBS)}; write {{{{gsd: for a literal {{gsd:",
        )
    if bool(argument) != (verb in _WITH_ARGUMENT):
        need = "needs an argument" if verb in _WITH_ARGUMENT else "takes no argument"
        example = f"{{gsd:{verb} ...}}" if verb in _WITH_ARGUMENT else f"{{gsd:{verb}}}"
        raise GsdError(
            f"the placeholder {source!r} {need}",
            reason="bad_placeholder",
            file=file,
            line=line,
            hint=f"write {example}",
        )
    return Placeholder(verb, argument, line)


def _joined(parts: Iterator[Part]) -> Iterator[Part]:
    """The same text with neighbouring plain strings joined and empty ones left out."""
    text = ""
    for part in parts:
        if isinstance(part, str):
            text += part
            continue
        if text:
            yield text
        text = ""
        yield part
    if text:
        yield text
