"""The command line of every generator in this folder: `--check` or `--write` of its pages."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from gsd_install.contents import open_contents
from gsd_install.kernel.errors import GsdError
from gsd_install.runtime.platform import Platform
from gsd_install.shipped import shipped_root

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from gsd_install.contents import Content

# No machine has a say in a page.
MACHINE = Platform("linux", "/home/ann", {}, "/home/ann/work")
FOLDER = os.path.dirname(os.path.abspath(__file__))


def command(name: str, page: Callable[[], str], script: str) -> int:
    """Check or write the page `name` beside this file, as `commands` does."""
    return commands(lambda: {os.path.join(FOLDER, name): page()}, script)


def commands(pages: Callable[[], Mapping[str, str]], script: str) -> int:
    """Check or write pages, which `pages` makes, by path; `script` is the generator.

    Exit status 0 when all are written or right, 1 when one is stale or cannot be made: `pages` raises
    GsdError, or ValueError with a message of its own, then.
    """
    parser = argparse.ArgumentParser(description="pages from the code")
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--check", action="store_true", help="fail when a page is not up to date")
    mode.add_argument("--write", action="store_true", help="write what is not")
    write = parser.parse_args().write
    try:
        made = {path: text.encode() for path, text in pages().items()}
    except (GsdError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    stale = [path for path, data in made.items() if read(path) != data]
    for path in stale:
        if write:
            with open(path, "wb") as file:
                file.write(made[path])
        else:
            sys.stderr.write(f"{path} is not what the code says\nfix: python docs/{script} --write\n")
    return 0 if write else min(len(stale), 1)


def read(path: str) -> bytes | None:
    """What a page holds now; None where there is none."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def shipped_content() -> Content:
    """The content that ships, with what every feature brings.

    Raises ValueError where a capability cannot be read: a page would be smaller without a word.
    """
    [found] = open_contents([shipped_root()], MACHINE)
    if found.gathered is None or found.gathered.problems:
        raise ValueError("\n".join(found.gathered.problems if found.gathered else ["no features"]))
    return found


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table in Markdown."""
    lines = (head, ("---",) * len(head), *rows)
    return "".join(f"| {' | '.join(row)} |\n" for row in lines)
