"""What an install of the sample content must have put on the disk for one runtime in one scope."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple
from gsd_install.testing import sample
from gsd_install.testing.places import folder

if TYPE_CHECKING:
    from gsd_install.runtime.model import Place
    from gsd_install.testing.emission import Case

BOM = "\ufeff"


class Link(NamedTuple):
    """A path at which a user may have put a link, to a directory or to a file."""

    path: Path
    is_directory: bool


def files(case: Case, place: Place) -> dict[Path, str]:
    """The files that a place must hold, each with the word that shows its text."""
    kinds = [place.kind]
    if place.kind == "skill" and not any(other.kind == "command" for other in case.places):
        kinds.append("command")  # a command goes to the nearest kind the runtime has
    names = [pair for kind in kinds for pair in sample.MARKS.get(kind, ())]
    return {Path(case.target.resolve(place.path.replace("{name}", name))): mark for name, mark in names}


def faults(case: Case, everything: str) -> Iterator[str]:
    """Sentences about documents that did not arrive; `everything` is all installed text."""
    for place in case.places:
        pointers = any(not form.whole for form in place.forms)
        for file, mark in files(case, place).items():
            if not file.is_file():
                yield f"the place {place.path!r} got no {file.name}"
                continue
            text = file.read_text(encoding="utf-8")
            if mark not in text and not (pointers and mark in everything):
                yield f"{file}: the text of its document is not in it"
            yield from (f"{file}: {fault}" for fault in _unreadable(file, text))
    yield from (f"the text {mark!r} is nowhere" for mark in sample.BODY_MARKS if mark not in everything)


def _unreadable(file: Path, text: str) -> Iterator[str]:
    if text.startswith(BOM):
        yield "it starts with a byte order mark"
    if "{gsd:" in text:
        yield "a placeholder is left in it"
    import yaml

    try:
        if file.suffix == ".toml":
            tomllib.loads(text)
        elif file.suffix == ".json":
            json.loads(text)
        elif text.startswith("---\n"):
            yaml.safe_load(text.split("\n---\n", 1)[0])
    except (ValueError, yaml.YAMLError) as error:
        yield f"it does not parse: {error}"


def links(case: Case) -> list[Link]:
    """Paths on the way to a place that a user may have made a link: directories, then files.

    The runtime's own directory is none of them: that one is a link in many a set-up.
    """
    directories = [case.target.resolve(path) for place in case.places if (path := folder(place.path))]
    first = [next(iter(files(case, place))) for place in case.places if files(case, place)]
    return [
        *(Link(Path(path), is_directory=True) for path in dict.fromkeys(directories)),
        *(Link(path, is_directory=False) for path in first),
    ]


def own_files(case: Case) -> list[Path]:
    """The files of places that are relative to the runtime's own directory."""
    own = [place for place in case.places if not place.path.startswith(("~/", "./"))]
    return [file for place in own for file in files(case, place)]


def moves(case: Case, into: Path) -> list[tuple[Mapping[str, str], Path]]:
    """Environments that move the runtime's own directory below `into`, and where each moves it."""
    home = case.runtime.home
    found: list[tuple[Mapping[str, str], Path]] = [({name: str(into)}, into) for name in home.env]
    return found + [({name: str(into)}, into / below) for name, below in home.parents]


def unmoved(files: Iterable[Path], own: Path) -> Iterator[str]:
    """Sentences about files that should stand below `own`."""
    yield from (f"{file} is not there" for file in files if not file.is_file())
    yield from (f"{file} is not below {own}" for file in files if own not in file.parents)
