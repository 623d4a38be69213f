"""A bundle's text taken apart: what names a file, a command or the arguments, and all the rest.

A span is taken only where it begins and ends like one, and only where it names something of this bundle:
the path of a command where it has that command, `/plan` where it has a command plan. A longer name, a
part of another path and an address are text. All spans and texts, put together, are the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from gsd_install.content.bundles.author import PROJECT, ROOT, ROOT_VARIABLE
from gsd_install.content.model import Part, Placeholder
from gsd_install.kernel import markdown
from gsd_install.kernel.record import NamedTuple

_PATH = r"(?:/[\w.@+~-]++)"
_FOLDER = re.escape(PROJECT)
_NAME = r"[A-Za-z0-9_]++(?:[:-][A-Za-z0-9_]++)*+"
_END = r"(?![\w/({=-]|[.:?#]\w)"
_QUOTED = re.compile(rf"\\?[\"']{_PATH}++")
_MARKER = re.compile(r"[ \t]*<!--[ \t]*/?gsd:(?:section|literal|keep|isolate|drop|shrink)\b[^\r\n]*-->[ \t]*")


class Own(NamedTuple):
    """What texts of a bundle may name.

    `files` and `folders` map a path as texts spell it, below the root of the bundle or the folder of its
    author's host, to that path in the catalog. `typed` maps what stands behind a slash (`plan`, `git:commit`,
    `acme:plan`) to the name that hosts show; `spoken` maps `acme:reviewer`, without one. `pattern` finds what
    may be any of it.
    """

    files: Mapping[str, str]
    folders: Mapping[str, str]
    typed: Mapping[str, str]
    spoken: Mapping[str, str]
    pattern: re.Pattern[str]


class Span(NamedTuple):
    """What `parts` stand for in the source, from `start` to `end`."""

    start: int
    end: int
    parts: tuple[Part, ...]


def pattern(plugins: Iterable[str]) -> re.Pattern[str]:
    """What finds everything that may be a span; `plugins` are the names that a bundle goes by."""
    names = "|".join(re.escape(name) for name in plugins if name)
    spoken = rf"|(?<![\w/.:@$~\\-])(?P<spoken>(?:{names}):{_NAME}){_END}" if names else ""
    return re.compile(
        rf"(?P<root>{re.escape(ROOT)}|\${ROOT_VARIABLE}(?!\w))(?P<below>{_PATH}*+/?)"
        rf"|(?<![\w./~$}}%\\-])(?:(?P<home>~|\$HOME|\$\{{HOME\}})/|\./)?{_FOLDER}(?P<inside>{_PATH}++/?)"
        r"|(?P<args>\$ARGUMENTS)(?![\w\[])"
        rf"|(?<![\w/.:~}})\]\\<$%=-])(?<!=[\"'])(?<!\]\()/(?P<typed>{_NAME}){_END}" + spoken
    )


def parts(text: str, own: Own, line: int = 1) -> tuple[Part, ...]:
    """`text`, which starts at `line` of its file, as texts and placeholders; `{gsd:` in it is text."""
    found: list[Part] = []
    position = 0
    for span in spans(text, own):
        at = line + text.count("\n", 0, span.start)
        found.append(text[position : span.start])
        found += [part._replace(line=at) if isinstance(part, Placeholder) else part for part in span.parts]
        position = span.end
    return _joined([*found, text[position:]])


def spans(text: str, own: Own) -> Iterator[Span]:
    """Every span of `text`, in order."""
    for match in own.pattern.finditer(text):
        made = _placeholders(text, match, own)
        if made:
            yield Span(match.start(), match.end(), made)


def unmarked(text: str) -> str:
    """`text` without the lines that mark sections and regions: in a bundle they mean nothing."""
    if "gsd:" not in text:
        return text
    gone = [
        (line.start, line.end)
        for line in markdown.scan(text, frontmatter=False)
        if line.kind == "comment"
        and not line.inner
        and _MARKER.fullmatch(text[line.start : line.end].rstrip("\r\n"))
    ]
    kept, position = [], 0
    for start, end in gone:
        kept.append(text[position:start])
        position = end
    return "".join([*kept, text[position:]])


def names_root(text: str) -> Iterator[str]:
    """The paths below its root, or its author's host's, that a text of a bundle names; empty for the root."""
    for match in pattern(()).finditer(text):
        if match["root"]:
            below = match["below"] or (_QUOTED.match(text, match.end()) or [""])[0]
            yield below.strip("\\/\"'").rstrip(".")
        elif match["inside"]:
            yield match["inside"].strip("/").rstrip(".")


def _placeholders(text: str, match: re.Match[str], own: Own) -> tuple[Part, ...]:
    if match["args"]:
        return (Placeholder("args", "", 0),)
    if match["root"]:
        key, rest = _resolved(match["below"], own) or (".", match["below"])
        quoted = text[match.start() - 1 : match.start()] == '"'
        return Placeholder("path", key, 0, "$HOME" if quoted else "~"), rest
    if match["inside"]:
        found = _resolved(match["inside"], own)
        return (Placeholder("path", found[0], 0, match["home"] or "~"), found[1]) if found else ()
    typed = match["typed"]
    if typed:
        return (Placeholder("invoke", own.typed[typed], 0),) if typed in own.typed else ()
    name = own.spoken.get(match["spoken"])
    return (name,) if name else ()


def _resolved(path: str, own: Own) -> tuple[str, str] | None:
    """The longest beginning of `path` that is a file or a folder of the bundle, and the rest."""
    end = len(path)
    bare = path.rstrip("./")
    for stop in (end, len(bare)):
        if path[1:stop] in own.files:
            return own.files[path[1:stop]], path[stop:]
    stop = len(bare)
    while stop > 0:
        if path[1:stop] in own.folders:
            return own.folders[path[1:stop]], path[stop:]
        stop = path.rfind("/", 0, stop)
    return None


def _joined(found: Iterable[Part]) -> tuple[Part, ...]:
    made: list[Part] = []
    for part in found:
        if isinstance(part, str) and made and isinstance(made[-1], str):
            made[-1] += part
        elif part != "":
            made.append(part)
    return tuple(made)
