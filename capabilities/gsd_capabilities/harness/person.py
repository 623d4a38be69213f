"""The person in front of the terminal, where there is one."""

from __future__ import annotations

import contextlib
import sys

from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO, Protocol

    from gsd_capabilities.companion.request import Request

    class Person(Protocol):
        """Whoever can be told and asked; an answer is None where nobody is there."""

        def tell(self, text: str) -> bool:
            """Show a line; whether anybody could see it."""

        def ask(self, question: str) -> str | None:
            """What they answer, on one line."""

        def hear(self, piece: str) -> None:
            """Show a piece of an answer as it comes in."""


class Nobody:
    """No terminal: nothing is shown, nothing is answered."""

    def tell(self, text: str) -> bool:  # noqa: ARG002 - the protocol
        """Nobody could see it."""
        return False

    def ask(self, question: str) -> str | None:  # noqa: ARG002 - the protocol
        """Nobody is there to answer."""
        return None

    def hear(self, piece: str) -> None:
        """Nobody is there to see it."""


class Terminal:
    """The terminal of this process, whatever its standard streams are connected to."""

    def tell(self, text: str) -> bool:
        """Show a line."""
        with _opened() as terminal:
            terminal.write(f"{_plain(text)}\n".encode(errors="replace"))
        return True

    def ask(self, question: str) -> str | None:
        """One line from the keyboard; None at its end."""
        with _opened() as terminal:
            terminal.write(f"{_plain(question)}\n> ".encode(errors="replace"))
            return _line(terminal)

    def hear(self, piece: str) -> None:
        """Show a piece. An answer is not lost where nobody can see it come in."""
        with contextlib.suppress(OSError), _opened() as terminal:
            terminal.write(_plain(piece).encode(errors="replace"))


def present(request: Request) -> Person:
    """The person who sees the answer of this request, if it goes to a terminal that can be opened."""
    if not request.terminal:
        return Nobody()
    try:
        with _opened():
            return Terminal()
    except OSError:
        return Nobody()


@contextlib.contextmanager
def _opened() -> Iterator[IO[bytes]]:
    if sys.platform == "win32":
        with open("CONIN$", "rb", buffering=0) as keys, open("CONOUT$", "rb+", buffering=0) as screen:
            yield _Both(keys, screen)  # type: ignore[misc]
    else:
        with open("/dev/tty", "rb+", buffering=0) as terminal:
            yield terminal


class _Both:
    """A console whose keyboard and screen are two files."""

    def __init__(self, keys: IO[bytes], screen: IO[bytes]) -> None:
        self.read, self.write = keys.read, screen.write


def _line(terminal: IO[bytes]) -> str | None:
    data = b""
    while (byte := terminal.read(1)) and byte != b"\n":
        data += byte
    return data.decode("utf-8", "replace").strip() if byte or data else None


def _plain(text: str) -> str:
    """Without what would make a terminal do more than show text."""
    return "".join(char if char.isprintable() or char in "\n\t" else "?" for char in text)
