"""Bulky bundles go to a file of the user's own below the system's temporary directory.

Only what `init` answers is spilled, and only above 50,000 bytes: instructions are worth their place in a
conversation. What `render` prints never is.
"""

from __future__ import annotations

import os
import sys

from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

LIMIT = 50_000
_WINDOWS = sys.platform == "win32"


def spilled(data: bytes, environ: Mapping[str, str]) -> bytes:
    """`data` as it is, or above 50,000 bytes the line `@file:<absolute path>` of a file that holds it.

    The file is named after its content, so that the same bundle is written once. Raises GsdError
    `unsafe_folder` when somebody else owns the folder or may write there.
    """
    if len(data) <= LIMIT:
        return data
    import hashlib

    from gsd_install.kernel.files import write_atomic

    path = os.path.join(private(environ), f"{hashlib.sha256(data).hexdigest()}.json")
    write_atomic(path, data, mode=0o600)
    return f"@file:{path}\n".encode()


def private(environ: Mapping[str, str]) -> str:
    """The user's own folder below the temporary directory. Raises GsdError `unsafe_folder`, OSError."""
    from gsd_install.kernel.files import private_folder

    base = next((found for name in ("TMPDIR", "TEMP", "TMP") if (found := environ.get(name))), None)
    owner = environ.get("USERNAME", "user") if _WINDOWS else str(os.getuid())
    folder = os.path.join(os.path.abspath(base or _usual()), f"gsd-{owner}")
    private_folder(folder)
    return folder


def _usual() -> str:
    """The system's temporary directory; where it is the usual one, without an import that takes long."""
    if not _WINDOWS and os.access("/tmp", os.W_OK):  # noqa: S108 - what is made in it is made privately
        return "/tmp"  # noqa: S108
    import tempfile

    return tempfile.gettempdir()
