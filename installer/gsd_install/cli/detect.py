"""Which runtimes are on this machine?"""

from __future__ import annotations

import os
import shutil

from gsd_install.kernel.errors import GsdError
from gsd_install.plugins import Plugins
from gsd_install.runtime.model import Runtime
from gsd_install.runtime.platform import Platform


def detected(plugins: Plugins, platform: Platform) -> tuple[str, ...]:
    """The ids of the runtimes that are found; a plugin that cannot be used is passed over."""
    found = []
    for name in plugins.ids():
        try:
            runtime = plugins.get(name).runtime
        except GsdError:
            continue  # `runtimes` and `doctor` name it with the reason
        if is_here(runtime, platform):
            found.append(name)
    return tuple(found)


def is_here(runtime: Runtime, platform: Platform) -> bool:
    """Is one of the runtime's marks on this machine: an executable on PATH, or a directory?"""
    path = platform.variable("PATH")
    for mark in runtime.detect:
        if mark.startswith("~/"):
            if os.path.isdir(platform.expand(mark)):
                return True
        elif path and shutil.which(mark, path=path):
            return True
    return False
