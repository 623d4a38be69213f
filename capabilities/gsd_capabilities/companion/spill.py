"""Bulky bundles go to a file of the user's own below the system's temporary directory.

Only what `init` answers is spilled, and only above 50,000 bytes: instructions are worth their place in a
conversation. What `render` prints never is.
"""

from __future__ import annotations

import os
import sys

from gsd_install.kernel.errors import GsdError
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

    folder = _folder(environ)
    path = os.path.join(folder, f"{hashlib.sha256(data).hexdigest()}.json")
    write_atomic(path, data, mode=0o600)
    return f"@file:{path}\n".encode()


def _folder(environ: Mapping[str, str]) -> str:
    """The user's folder, made if need be; only they can look into it."""
    import tempfile

    base = next((found for name in ("TMPDIR", "TEMP", "TMP") if (found := environ.get(name))), None)
    owner = environ.get("USERNAME", "user") if _WINDOWS else str(os.getuid())
    folder = os.path.join(os.path.abspath(base or tempfile.gettempdir()), f"gsd-{owner}")
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        _check(folder)
    return folder


def _check(folder: str) -> None:
    import stat

    found = os.lstat(folder)
    private = _WINDOWS or (found.st_uid == os.getuid() and not found.st_mode & 0o077)
    if not (stat.S_ISDIR(found.st_mode) and private):
        raise GsdError(
            "this folder is not yours alone",
            reason="unsafe_folder",
            file=folder,
            hint="remove it, or set TMPDIR to a folder of your own",
        )
