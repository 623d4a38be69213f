"""How placeholders read where content is served: in the words of a host that is installed, or neutrally."""

from __future__ import annotations

import os
from types import MappingProxyType

from gsd_capabilities.catalog.addresses import address
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from gsd_install.content.model import Part, Placeholder


class Words(NamedTuple):
    """What placeholders become. `place` gives the path of an installed text as an agent opens it, or None.

    `launcher` is the folder of launchers as an agent types it, empty where the companion is not installed.
    """

    prefix: str
    invoke: str = "{name}"
    arguments: str = "the arguments"
    tools: Mapping[str, str] = MappingProxyType({})
    title: str = "this host"
    launcher: str = ""
    place: Callable[[str], str | None] = lambda _: None

    def of(self, placeholder: Placeholder, arguments: str | None = None) -> str:
        """What one placeholder becomes; `arguments` stands in for the words typed behind a command."""
        argument = placeholder.argument
        match placeholder.verb:
            case "path":
                return self.place(argument) or address(argument)
            case "launcher":
                return f"{self.launcher}/{argument}" if self.launcher else argument
            case "agent":
                return f"{self.prefix}-{argument}"
            case "command":
                return self.invoke.replace("{name}", f"{self.prefix}-{argument}")
            case "invoke":
                return self.invoke.replace("{name}", argument)
            case "tool":
                return self.tools.get(argument, argument)
            case "args":
                return self.arguments if arguments is None else arguments
            case _:
                return self.title

    def text(self, parts: tuple[Part, ...], arguments: str | None = None) -> str:
        """The text of parts, each placeholder replaced."""
        return "".join(part if isinstance(part, str) else self.of(part, arguments) for part in parts)


def words(prefix: str, host: Mapping[str, Any] | None, payload: Payload | None) -> Words:
    """The words for a content in a host, whose facts the installer wrote down, or None for no host."""
    neutral = Words(prefix)
    if payload is not None:
        neutral = neutral._replace(launcher=payload.launcher, place=payload.place)
    if host is None:
        return neutral
    return neutral._replace(
        invoke=host["invoke"], arguments=host["arguments"], tools=host["tools"], title=host["title"]
    )


class Payload(NamedTuple):
    """An installed payload root, absolute; `shown` is how an agent there writes it."""

    root: str
    content: str
    shown: str

    @property
    def folder(self) -> str:
        """Where the texts of the content are."""
        return os.path.join(self.root, "content", self.content)

    @property
    def launcher(self) -> str:
        """The folder of launchers as an agent types it."""
        return f"{self.shown}/bin" if os.path.isdir(os.path.join(self.root, "bin")) else ""

    def file(self, path: str) -> str:
        """Where the installed text of a content path is or would be."""
        return os.path.join(self.folder, *path.split("/"))

    def place(self, path: str) -> str | None:
        """An installed text as an agent opens it; None where it is not installed."""
        return f"{self.shown}/content/{self.content}/{path}" if os.path.isfile(self.file(path)) else None
