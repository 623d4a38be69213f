"""Summaries without a model: headings and key sentences, the same every time."""

from __future__ import annotations

import re

from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# The end of a sentence: a full-width stop, or another one with white space behind it. Both patterns begin
# with plain characters, and with rare ones, so that the search skips quickly to where one of them stands.
_END = re.compile("[.!?…。！？](?:(?<=[。！？])|['\")\\]”’]*(?=\\s|$))")
_KEY = re.compile(
    r"ust\b(?<=[mM]ust)|UST\b(?<=MUST)|ver\b(?<=[nN]ever)(?<!\wnever)|VER\b(?<=NEVER)"
    r"|ways\b(?<=[aA]lways)|WAYS\b(?<=ALWAYS)|ly\b(?<=[oO]nly)(?<!\wonly)|LY\b(?<=ONLY)"
    r"|quired\b(?<=[rR]equired)|QUIRED\b(?<=REQUIRED)|必须|不得|禁止|仅"
)
_FENCE = re.compile(" {0,3}(`{3,}|~{3,})")
_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)]) ")


def first_sentence(text: str) -> str:
    """The first sentence of a paragraph, on one line."""
    return _flat(text[: _sentence_end(text, 0)])


def key_sentences(paragraph: str) -> str:
    """The first sentence of a paragraph and the first later one that lays down a rule."""
    end = _sentence_end(paragraph, 0)
    first = _flat(paragraph[:end])
    rule = _KEY.search(paragraph, end)
    if rule is None:
        return first
    start, before = end, _END.search(paragraph, end, rule.start())
    while before:
        start = before.end()
        before = _END.search(paragraph, start, rule.start())
    return f"{first} {_flat(paragraph[start : _sentence_end(paragraph, rule.end())])}"


def _sentence_end(text: str, at: int) -> int:
    end = _END.search(text, at)
    return end.end() if end else len(text)


def _flat(text: str) -> str:
    text = text.strip()
    return " ".join(text.split()) if "\n" in text or "  " in text or "\t" in text else text


def summarised(text: str) -> str:
    """Headings, key sentences of paragraphs, first items of lists; code becomes a count of lines."""
    lines: list[str] = []
    # Fences apart, nothing reaches over an empty line, and most of what is between two is a plain row.
    for block in [text] if "```" in text or "~~~" in text else text.split("\n\n"):
        if block[:1].isalpha() and "\n" not in block:
            lines.append(key_sentences(block))
        else:
            for rows in _paragraphs(block):
                lines += _shortened(rows)
    return "\n".join(lines)


def _shortened(rows: list[str]) -> Iterator[str]:
    first = rows[0]
    if first[:1].isalpha():
        yield key_sentences("\n".join(rows))
    elif _FENCE.match(first):
        yield f"[code: {max(len(rows) - 2, 1)} lines]"
    elif first.startswith("#"):
        yield first.strip()
    elif first.startswith("|"):
        yield f"[table: {len(rows)} rows]"
    elif _ITEM.match(first):
        yield first.rstrip()
        items = sum(_ITEM.match(row) is not None for row in rows)
        if items > 1:
            yield f"[{items - 1} more items]"
    else:
        yield key_sentences("\n".join(rows))


def _paragraphs(text: str) -> Iterator[list[str]]:
    """Rows that belong together: a fence, a heading, or what stands between blank lines."""
    rows: list[str] = []
    closing = ""
    fenced = "```" in text or "~~~" in text
    for row in text.split("\n"):
        if closing:
            rows.append(row)
            if row.strip().startswith(closing) and not row.strip().strip(closing[0]):
                yield rows
                rows, closing = [], ""
            continue
        if row[:1].isalpha():  # nothing below begins with a letter
            rows.append(row)
            continue
        fence = _FENCE.match(row) if fenced else None
        bounded = fence is not None or row.startswith("#") or not row.strip()
        if rows and (bounded or (_ITEM.match(row) and not _ITEM.match(rows[0]))):
            yield rows
            rows = []
        if fence:
            rows, closing = [row], fence[1]
        elif row.startswith("#"):
            yield [row]
        elif row.strip():
            rows.append(row)
    if rows:
        yield rows
