"""Bulky bundles are stored, and only a name of them is answered.

Only what `init` answers is spilled, and only above 50,000 bytes: instructions are worth their place in a
conversation. What `render` prints never is. In a project the bundle is an artifact. Where there is none yet
(the first `init` of new-project or onboard) there is no store either, and nothing of ours may appear in the
folder: then a file of the user's own below the system's temporary directory holds it.
"""

from __future__ import annotations

import os
import sys

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.companion.request import Request

LIMIT = 50_000
_WINDOWS = sys.platform == "win32"


def spilled(data: bytes, request: Request) -> tuple[bytes, *tuple[str, ...]]:
    """`data` as it is, or above 50,000 bytes a line that names where it is; and notes on that.

    The line is `artifact://sha256/<digest>` in a project, else `@file:<absolute path>`. Either is named after
    the content, so that the same bundle is written once. Where the project cannot store it the bundle stays
    whole and a note says why. Raises GsdError `unsafe_folder` when somebody else owns the temporary folder or
    may write there.
    """
    if len(data) <= LIMIT:
        return (data,)
    from gsd_capabilities.companion.project import find

    project = find(request.cwd)
    if not project.exists:
        return (_filed(data, request.environ),)
    from gsd_capabilities.artifacts.offload import Instructions
    from gsd_capabilities.artifacts.store import kept

    try:
        outcome = kept(project, request.environ, Instructions(data, tool="gsd-tools init"))
    except GsdError as error:
        return data, f"the answer was not stored: {error.message}"
    if isinstance(outcome.text, str):
        how = f"gsd-tools artifact get {outcome.text} --budget {len(data)}"
        return f"{outcome.text}\n".encode(), f"the answer has {len(data):,} bytes; read it with: {how}"
    return (data,) if outcome.text else (data, f"the answer was not stored: {outcome.diagnostics.reason}")


def _filed(data: bytes, environ: Mapping[str, str]) -> bytes:
    """The line that names a private file with `data`. Raises GsdError `unsafe_folder`, OSError."""
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
