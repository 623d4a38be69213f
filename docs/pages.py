"""The command line of every generator in this folder: `--check` or `--write` of one page."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FOLDER = os.path.dirname(os.path.abspath(__file__))


def command(name: str, page: Callable[[], str], script: str) -> int:
    """Check or write the page `name` beside this file; `script` made it.

    Exit status 0 when the page is written or right, 1 when it is stale or cannot be made: `page` raises
    ValueError with a message of its own then.
    """
    target = os.path.join(FOLDER, name)
    parser = argparse.ArgumentParser(description=f"docs/{name} from the code")
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--check", action="store_true", help="fail when the page is not up to date")
    mode.add_argument("--write", action="store_true", help="write the page")
    write = parser.parse_args().write
    try:
        data = page().encode()
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    if write:
        with open(target, "wb") as file:
            file.write(data)
    elif read(target) != data:
        sys.stderr.write(f"{target} is not what the code says\nfix: python docs/{script} --write\n")
        return 1
    return 0


def read(path: str) -> bytes | None:
    """What a page holds now; None where there is none."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table in Markdown."""
    lines = (head, ("---",) * len(head), *rows)
    return "".join(f"| {' | '.join(row)} |\n" for row in lines)
