"""The entry point: pick the verb, run it, print once, return one exit code."""

from __future__ import annotations

import gc
import importlib
import os
import sys

from gsd_install.kernel.errors import FAILED, INTERRUPTED, GsdError
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.version import VERSION

if TYPE_CHECKING:
    from typing import NoReturn


def console() -> NoReturn:
    """The console script: `run`, in a process that lives for a moment.

    Collecting garbage and taking the interpreter apart would cost a fifth of an install, for memory the
    system takes back anyway.
    """
    gc.disable()
    code = run()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        code = code or FAILED  # whoever read us is gone
    os._exit(code)


def run(argv: list[str] | None = None) -> int:
    """Run `gsd-install` with `argv` (default: the process arguments) and return its exit code."""
    argv = sys.argv[1:] if argv is None else argv
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a console that lacks a character shows ? and goes on
    if argv == ["--version"]:
        print(f"gsd-install {VERSION}")
        return 0
    try:
        return _dispatch(argv)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        return FAILED


def _dispatch(argv: list[str]) -> int:
    from gsd_install.cli import args as command_line
    from gsd_install.cli import result as output

    verb = argv[0] if argv and argv[0] in command_line.VERBS else "install"
    rest = argv[1:] if argv and argv[0] == verb else argv
    as_json = "--json" in rest
    try:
        parsed = command_line.parser(verb).parse(rest)
        if getattr(parsed, "version", False):
            print(f"gsd-install {VERSION}")
            return 0
        module = importlib.import_module(f"gsd_install.cli.{verb}")
        return output.show(verb, module.main(parsed), as_json=as_json)
    except GsdError as error:
        return output.show_error(verb, error, as_json=as_json)
    except SystemExit as error:  # argparse printed --help
        return int(error.code or 0)
    except (KeyboardInterrupt, BrokenPipeError):
        raise
    except Exception as error:  # noqa: BLE001 - the last place: a bug gets its own exit code
        return output.show_bug(verb, error, as_json=as_json)
