"""What a verb of `gsd-tools` is given, and what it is made of.

A module with verbs has a mapping `VERBS` from names ("state get") to `Verb`; `main` finds it by name and
imports it only when it is asked for.
"""

from __future__ import annotations

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Request(NamedTuple):
    """One invocation of a verb.

    `words` and `options` stood behind the verb; options have no dashes, and one without a value maps to
    the empty text. `payload` is what the launcher passed, `runtime` what `--runtime` named. `stdin` reads
    standard input to its end. `terminal` says that a person sees the answer.
    """

    words: tuple[str, ...]
    options: Mapping[str, str]
    cwd: str
    payload: str | None
    environ: Mapping[str, str]
    stdin: Callable[[], bytes]
    runtime: str | None = None
    terminal: bool = False


def file_of(request: Request, name: str) -> bytes:
    """The bytes of a file that an option or a word names. Raises GsdError `unreadable`."""
    import os

    try:
        with open(os.path.join(request.cwd, name), "rb") as file:
            return file.read()
    except OSError as error:
        message, hint = f"cannot be read: {error.strerror}", f"names of files are relative to {request.cwd}"
        raise GsdError(message, reason="unreadable", file=name, hint=hint) from error


class Verb(NamedTuple):
    """A verb: `run` answers with a value for JSON, or with text, bytes or `Printed` to print as they are.
    An answer in `Faulty` is printed likewise and ends the command with 1.

    `values` names its options with a value, `flags` those without. A verb with `passes` hands options that
    it does not know on among the words, because they belong to somebody else. The answer of one that `spills`
    is stored when it is bulky.
    """

    run: Callable[[Request], object]
    usage: str
    values: frozenset[str] = frozenset()
    flags: frozenset[str] = frozenset()
    passes: bool = False
    spills: bool = False


class Printed(NamedTuple):
    """Bytes for standard output, and lines for standard error about them."""

    data: bytes
    notes: tuple[str, ...] = ()


class Faulty(NamedTuple):
    """A whole answer that says that something is wrong."""

    answer: object
