"""Pack the answers of a distribution's own plugins when it is built, so that installs need not ask again."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping

from gsd_install.declared import Declared
from gsd_install.plugins import Plugins
from gsd_install.runtime.packed import encode


def pack_plugins(entry_points: Mapping[str, str], folder: str) -> bytes:
    """The pack of the plugin modules in `folder`: by module name, a digest of the file and its answers.

    `entry_points` are names and modules as the distribution declares them. A plugin with converters of
    its own is left out, for a function cannot be packed. The modules must be importable.
    """
    plugins = Plugins(tuple(Declared(name, module, "this distribution") for name, module in entry_points.items()))
    pack = {}
    for name, module in sorted(entry_points.items()):
        plugin = plugins.get(name)
        if plugin.converters:
            continue
        stem = module.rpartition(".")[2]
        with open(os.path.join(folder, f"{stem}.py"), "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        pack[stem] = [digest, encode((plugin.runtime, plugin.caps, plugin.rewrites))]
    return json.dumps(pack, ensure_ascii=False, separators=(",", ":")).encode()
