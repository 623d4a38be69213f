"""A template filled with sections: the pieces of a context in their order. The order is the template's."""

from __future__ import annotations

from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from gsd_capabilities.context.sections import Section
    from gsd_capabilities.context.template import Node


class Piece(NamedTuple):
    """A literal text, or a section with the text that stands before it and goes with it."""

    text: str
    section: Section | None = None


def by_key(sections: Iterable[Section]) -> dict[str, list[Section]]:
    """The sections under the key of the template where they stand."""
    found: dict[str, list[Section]] = {}
    for one in sections:
        found.setdefault(one.key, []).append(one)
    return found


def arranged(nodes: Sequence[Node], sections: Sequence[Section], gone: Collection[str] = ()) -> list[Piece]:
    """The pieces of a context; a section of `gone` is no longer there, and its headings go with it."""
    present = by_key(one for one in sections if one.id not in gone)
    return [piece for node in nodes for piece in _pieces(node, present)]


def rendered(pieces: Iterable[Piece]) -> str:
    """The pieces in full."""
    return "".join([piece.text + (piece.section.text if piece.section else "") for piece in pieces])


def _pieces(node: Node, present: Mapping[str, list[Section]]) -> Iterator[Piece]:
    found = present.get(node.text, [])
    if node.kind == "literal":
        yield Piece(node.text)
    elif node.kind == "value":
        yield from (Piece("\n\n" if number else "", one) for number, one in enumerate(found))
    elif node.kind == "each":
        for one in found:
            yield from _item(node.inner, one, present)
    elif found:
        for inner in node.inner:
            yield from _pieces(inner, present)


def _item(nodes: Sequence[Node], one: Section, present: Mapping[str, list[Section]]) -> Iterator[Piece]:
    """One turn of a repetition; what stands before the text of the item goes with it."""
    item = {"title": one.title, "source": one.source, "text": one.text}
    before = ""
    for node in _leaves(nodes, item, present):
        if node.kind == "value" and node.text == "text":
            yield Piece(before, one)
            before = ""
        elif node.kind == "literal" or node.text in item:
            before += node.text if node.kind == "literal" else item[node.text]
        else:
            if before:
                yield Piece(before)
                before = ""
            yield from _pieces(node, present)
    if before:
        yield Piece(before)


def _leaves(
    nodes: Sequence[Node], item: Mapping[str, str], present: Mapping[str, list[Section]]
) -> Iterator[Node]:
    """The nodes of a repetition, with the conditions in it decided."""
    for node in nodes:
        if node.kind != "when":
            yield node
        elif item.get(node.text) or present.get(node.text):
            yield from _leaves(node.inner, item, present)
