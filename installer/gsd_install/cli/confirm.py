"""Ask before something that takes files away."""

from __future__ import annotations

import argparse
import sys

from gsd_install.kernel.errors import GsdError, UsageError


def confirm(args: argparse.Namespace, question: str) -> None:
    """Go on after a yes. Raises UsageError where nobody can be asked, GsdError after a no."""
    if args.yes:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "this needs a yes and there is no terminal to ask on", reason="not_confirmed", hint="add --yes"
        )
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise GsdError("nothing was changed", reason="not_confirmed")
