"""Where each line of an installed text comes from: its source lines, and what a budget may do to them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from gsd_install.content.model import Document, Section
from gsd_install.content.placeholders import is_marker
from gsd_install.emit.output import Output
from gsd_install.emit.target import Target
from gsd_install.kernel import frontmatter
from gsd_install.kernel.record import NamedTuple

_PLACEHOLDER = re.compile(r"\{gsd:[^}]*\}")


class Line(NamedTuple):
    """One line of a text: its line in the source file, 0 for one that we wrote, and what it is."""

    source: int
    what: str


class Stretch(NamedTuple):
    """Lines `first` to `last` of an installed file, 1-based, and the source lines they are made of.

    `what` is `text`, a rule of its author (`keep`, `isolate`, ...), `frontmatter`, `pointer`, or `launcher`
    for what sends the agent to the companion. `first` and `last` are 0 where the file's dialect spells the
    text anew, and the source lines are where we wrote it.
    """

    first: int
    last: int
    source_first: int
    source_last: int
    what: str


def discovered(target: Target, output: Output) -> bool:
    """Whether the host finds this file by itself, so that its caps count."""
    for place in target.places(output.kind):
        before, after = target.resolve(place.path).split("{name}")
        name = output.path[len(before) : len(output.path) - len(after)]
        whole = output.path == f"{before}{name}{after}"
        if name and whole and target.platform.path.sep not in name:
            return True
    return False


def trace(document: Document, source: str, output: Output, body: str) -> tuple[Stretch, ...]:
    """The stretches of an output, in order.

    `source` is the document's file and `body` what stands in the output before its dialect wrote it.
    """
    lines = _body(document, source, output.rendition)
    if document.kind == "command" and output.rendition != "pointer":
        whole = output.fit.body if output.fit and output.origins else body
        lines = _with_launcher(lines, source.split("\n"), whole)
    lines = _placed(lines, output, body)
    if output.kind == "rule":
        lines = _trimmed(lines, source.split("\n"))[: _count(body)]
    text = output.data.decode()
    fields = frontmatter.split(source, file=document.path).body_line - 1
    blank = len(body) - len(body.lstrip("\r\n"))
    # A dialect may leave out the blank lines at the top.
    for start in (0, blank):
        at = text.find(body[start:])
        if at >= 0:
            above = text.count("\n", 0, at)
            shown = lines[body.count("\n", 0, start) :]
            below = _count(text) - above - len(shown)
            parts = [_fields(1, above, fields), *_grouped(shown, above + 1)]
            return tuple(filter(None, [*parts, _fields(above + len(shown) + 1, below, fields)]))
    return tuple(_grouped(lines, 0))


def _with_launcher(lines: list[Line], source: list[str], body: str) -> list[Line]:
    """The lines of a command in which a stretch of its text was replaced, or one was put in."""
    shown = body.split("\n")[: _count(body)]

    def alike(line: Line, text: str) -> bool:
        if not line.source:
            return False
        pattern = ".*".join(map(re.escape, _PLACEHOLDER.split(source[line.source - 1])))
        return re.fullmatch(pattern, text) is not None

    most = min(len(lines), len(shown))
    head = next((at for at in range(most) if not alike(lines[at], shown[at])), most)
    most -= head
    tail = next((at for at in range(most) if not alike(lines[-1 - at], shown[-1 - at])), most)
    ours = [Line(0, "launcher")] * (len(shown) - head - tail)
    return [*lines[:head], *ours, *lines[len(lines) - tail :]]


def _trimmed(lines: list[Line], source: list[str]) -> list[Line]:
    """The lines without the blank ones at their top, which a rule does not keep."""
    first = next((at for at, line in enumerate(lines) if source[line.source - 1].strip("\r")), len(lines))
    return lines[first:]


def _fields(first: int, count: int, source: int) -> Stretch | None:
    """Lines that are made of the frontmatter."""
    return Stretch(first, first + count - 1, 1, source, "frontmatter") if count > 0 else None


def _body(document: Document, source: str, rendition: str) -> list[Line]:
    """The lines of a document's text, or of the gated section that is a step, as they are composed."""
    kind, _, name = rendition.partition(" ")
    step = name if kind == "step" else ""
    lines: list[Line] = []
    gated: set[str] = set()
    for section in document.sections:
        if section.id == step:
            lines += _section(section, source.split("\n"))
        elif not step and section.id not in gated:
            lines.append(Line(0, "pointer"))
            gated.add(section.id)
    return lines


def _section(section: Section, source: list[str]) -> Iterator[Line]:
    text = "".join(part if isinstance(part, str) else "-" for part in section.parts)
    number = section.line
    for _ in range(_count(text)):
        while is_marker(source[number - 1]):
            number += 1
        yield Line(number, section.hold or "text")
        number += 1


def _count(text: str) -> int:
    return text.count("\n") + (text != "" and not text.endswith("\n"))


def _placed(lines: list[Line], output: Output, body: str) -> list[Line]:
    """The lines of the body as it stands in the output, where parts of it may have moved."""
    if output.rendition == "pointer":
        return [Line(0, "pointer")] * _count(body)
    if not output.origins or output.fit is None:
        return lines
    found: list[Line] = []
    for origin in output.origins:
        count = _count(body[origin.start : origin.end])
        first = output.fit.body.count("\n", 0, max(origin.at, 0))
        found += [Line(0, "pointer")] * count if origin.at < 0 else lines[first : first + count]
    return found


def _grouped(lines: Iterable[Line], first: int) -> Iterator[Stretch]:
    """Runs of lines that follow each other in the source too; `first` is the number of the first, or 0."""
    run: Stretch | None = None
    for at, line in enumerate(lines, first):
        here = at if first else 0
        if run and line.what == run.what and line.source == (run.source_last and run.source_last + 1):
            run = run._replace(last=here, source_last=line.source)
            continue
        if run:
            yield run
        run = Stretch(here, here, line.source, line.source, line.what)
    if run:
        yield run
