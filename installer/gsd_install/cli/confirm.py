"""Ask before something that takes files away."""

from __future__ import annotations

import argparse
import sys

from gsd_install.kernel.errors import GsdError, UsageError


def confirm(args: argparse.Namespace, question: str, *, hint: str = "add --yes") -> None:
    """Go on after a yes. Raises UsageError with the hint where nobody can be asked, GsdError after a no."""
    if args.yes:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        message = "this needs a yes and there is no terminal to ask on"
        raise UsageError(message, reason="not_confirmed", hint=hint)
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise GsdError("nothing was changed", reason="not_confirmed")
