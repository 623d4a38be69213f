"""The standard streams, kept for the protocol alone before any other code has a chance to use them."""

from __future__ import annotations

import os
import sys

from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import BinaryIO


def claimed() -> tuple[BinaryIO, BinaryIO]:
    """The standard streams for the protocol alone: whoever reads or prints from now on gets others."""
    wire_in, wire_out = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(wire_in, os.O_BINARY)
        msvcrt.setmode(wire_out, os.O_BINARY)
    return os.fdopen(wire_in, "rb"), os.fdopen(wire_out, "wb")
