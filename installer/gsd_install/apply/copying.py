"""Copy what is installed into a folder that is thrown away."""

from __future__ import annotations

import os
from collections.abc import Iterable

from gsd_install.apply import disk
from gsd_install.kernel.files import write_atomic


def copy(pairs: Iterable[tuple[str, str]]) -> None:
    """Copy each file to the path beside it, with the folders it needs. Raises GsdError for one unreadable."""
    for path, to in pairs:
        data = disk.read(path)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        write_atomic(to, data)
