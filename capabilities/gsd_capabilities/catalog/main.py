"""The command line of `gsd-mcp-server`.

gsd-mcp-server [--scope global|project] [--runtime ID] [--payload DIR] [--content DIR] [--cwd DIR]
               [--transport stdio|http] [--host ADDRESS] [--port N]
               [--pack SCENARIO [--upstream FILE] [--session ID]]
"""

from __future__ import annotations

import os
import sys

from gsd_install.kernel.errors import DONE, FAILED, INTERRUPTED, GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence
    from typing import TextIO

    from gsd_capabilities.catalog.desk import Desk
    from gsd_capabilities.catalog.gateway import Gateway
    from gsd_capabilities.catalog.service import Service
    from gsd_install.content.model import Catalog

_EXTRA = "gsd-install[mcp]"
_ANY_ADDRESS = ("", "0.0.0.0", "::")  # noqa: S104 - these are refused


class Places(NamedTuple):
    """What is served: a content root, the payload root as it is and as an agent writes it, a folder."""

    content: str
    payload: str
    shown: str
    cwd: str


def console() -> int:
    """Entry point of the console script."""
    try:
        return _main(sys.argv[1:])
    except GsdError as error:
        hint = f"hint: {error.hint}\n" if error.hint else ""
        _say(sys.stderr, f"gsd-mcp-server: {error}\n{hint}")
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except ModuleNotFoundError as error:
        if error.name not in ("mcp", "mcp_types", "anyio", "pydantic", "uvicorn"):
            raise
        _say(sys.stderr, f"gsd-mcp-server: {error.name} is missing\nhint: pipx install '{_EXTRA}'\n")
        return FAILED


def _main(argv: Sequence[str]) -> int:
    args = _parser().parse_args(argv)
    _check_pack(args)
    if args.transport == "http":
        return _http(args)
    from gsd_capabilities.catalog.streams import claimed

    wire = claimed()  # first of all: from here on nothing else can write to the client

    import signal

    import anyio

    from gsd_capabilities.catalog.transport import stdio

    # A read that waits for the client ends at once, as with SIGTERM: every write here is atomic.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    service = _service(args)
    anyio.run(stdio, service.server, *wire)
    return DONE


def _check_pack(args: argparse.Namespace) -> None:
    """Raises UsageError `bad_pack` for options that need a pack, and for a pack that many would share."""
    if not args.pack and (args.upstream or args.session):
        message, hint = "--upstream and --session need --pack", "--pack chat"
    elif args.pack and args.transport == "http":
        message, hint = "a pack is of one client, and http serves many", "--transport stdio"
    else:
        return
    raise UsageError(message, reason="bad_pack", hint=hint)


def _http(args: argparse.Namespace) -> int:
    if args.host in _ANY_ADDRESS:
        message = f"{args.host or 'an empty address'!r} would serve every network this machine is in"
        raise UsageError(message, reason="bad_host", hint="--host takes the one address that clients use")
    from gsd_capabilities.catalog.transport import LOOPBACK, http

    if args.host not in LOOPBACK:
        _say(sys.stderr, "gsd-mcp-server: whoever reaches this address can change the planning files\n")

    try:
        http(_service(args).server, args.host, args.port, lambda address: _say(sys.stdout, f"{address}\n"))
    except OSError as error:
        message = f"port {args.port} of {args.host} cannot be opened: {error.strerror}"
        raise GsdError(message, reason="no_port", hint="--port 0 takes one that is free") from error
    return DONE


def _say(stream: TextIO, text: str) -> None:
    stream.write(text)
    stream.flush()


def _service(args: argparse.Namespace) -> Service:
    import gc

    from gsd_capabilities.catalog.desk import Desk
    from gsd_capabilities.catalog.library import Library
    from gsd_capabilities.catalog.service import Service

    here = places(args, os.getcwd(), os.environ)
    library = Library(here.content, here.payload, here.shown, args.runtime, load=_loaded)
    desk = Desk(here.cwd, here.payload, args.runtime, os.environ)
    made = Service(library, desk, _gateway(args, desk) if args.pack else None)
    gc.freeze()  # the content and the SDK stay: looking for garbage in them would be paid by requests
    return made


def _gateway(args: argparse.Namespace, desk: Desk) -> Gateway:
    from gsd_capabilities.catalog import upstreams
    from gsd_capabilities.catalog.gateway import Gateway

    entries = upstreams.read(os.path.abspath(args.upstream), os.environ) if args.upstream else ()
    servers = [upstreams.upstream(entry, desk.cwd) for entry in entries]
    return Gateway(args.pack, desk, servers, args.session)


def _loaded(root: str) -> Catalog:
    """A content root; the shipped one with what capabilities bring to it, as it is installed."""
    from gsd_install.content.catalog import load_with

    if root != shipped():
        return load_with(root).catalog
    from gsd_install.gathering import gather_capabilities

    return load_with(root, gather_capabilities().features).catalog


def places(args: argparse.Namespace, cwd: str, environ: Mapping[str, str]) -> Places:
    """Where everything is. Raises UsageError `no_folder`, GsdError `no_content_root`."""
    folder = os.path.abspath(os.path.join(cwd, args.cwd))
    if not os.path.isdir(folder):
        raise UsageError("there is no such folder", reason="no_folder", file=folder, hint="--cwd DIR")
    from gsd_capabilities.companion.payload import spelled

    content = os.path.join(cwd, args.content) if args.content else shipped()
    payload = os.path.abspath(os.path.join(cwd, args.payload)) if args.payload else ""
    payload = payload or installed(args.scope, folder, environ)
    return Places(content, payload, spelled(payload, environ), folder)


def shipped() -> str:
    """The content root that comes with this distribution, found without importing it. Raises GsdError."""
    from importlib.util import find_spec

    spec = find_spec("gsd_content")
    for location in (spec.submodule_search_locations or ()) if spec else ():
        return location
    raise GsdError("no content comes with this", reason="no_content_root", hint="--content DIR")


def installed(scope: str, cwd: str, environ: Mapping[str, str]) -> str:
    """The payload root of a scope, whether or not it is there; without a scope, the one that is there.

    Empty where nobody has a home.
    """
    from gsd_capabilities.companion import payload

    everywhere = payload.everywhere(environ)
    if scope == "global":
        return everywhere
    try:
        return payload.root(None, cwd, {} if scope == "project" else environ)
    except GsdError:
        from gsd_capabilities.companion.project import find

        return everywhere if scope != "project" else os.path.join(find(cwd).root, payload.FOLDER)


def _parser() -> argparse.ArgumentParser:
    import argparse

    made = argparse.ArgumentParser(
        prog="gsd-mcp-server",
        description="Serves the installed commands, workflows, agents, skills and references over MCP.",
        allow_abbrev=False,
    )
    made.add_argument(
        "--scope", choices=("global", "project"), default="", help="whose installed texts to serve"
    )
    made.add_argument(
        "--runtime", metavar="ID", default="", help="write commands and tools as this host does"
    )
    made.add_argument("--payload", metavar="DIR", default="", help="the folder of installed texts")
    made.add_argument(
        "--content", metavar="DIR", default="", help="another content root than the shipped one"
    )
    made.add_argument("--cwd", metavar="DIR", default="", help="the project (default: the current folder)")
    made.add_argument("--transport", choices=("stdio", "http"), default="stdio", help="default: stdio")
    made.add_argument("--host", metavar="ADDRESS", default="127.0.0.1", help="with http (default: 127.0.0.1)")
    made.add_argument("--port", metavar="N", type=int, default=8765, help="with http (default: 8765)")
    made.add_argument(
        "--pack", metavar="SCENARIO", default="", help="only tools within the budget of this scenario"
    )
    made.add_argument(
        "--upstream", metavar="FILE", default="", help="servers whose tools can be discovered (mcpServers)"
    )
    made.add_argument(
        "--session", metavar="ID", default="", help="keep what was discovered, for gsd-tools packs too"
    )
    return made
