"""A marketplace of plugins as the content roots it lists."""

from __future__ import annotations

import os

from gsd_install.content.bundles.author import MANIFEST, MARKETPLACE
from gsd_install.content.bundles.layout import read_json
from gsd_install.content.tree import read
from gsd_install.kernel.errors import GsdError


def roots(root: str) -> tuple[str, ...]:
    """The folders of the plugins that a marketplace holds itself; `root` alone where it is none.

    Plugins that it lists from elsewhere are not fetched. Raises GsdError for a listing that cannot be read,
    and for one that holds no plugin of its own.
    """
    own = any(os.path.lexists(f"{root}/{name}") for name in ("content.toml", MANIFEST))
    if own or not os.path.isfile(f"{root}/{MARKETPLACE}"):
        return (root,)
    listing = read_json(root, MARKETPLACE, read(root, MARKETPLACE))
    plugins = listing.get("plugins") if isinstance(listing, dict) else None
    sources = [item.get("source") for item in plugins or () if isinstance(item, dict)]
    paths = [os.path.normpath(source) for source in sources if isinstance(source, str)]
    inside = [path for path in paths if not os.path.isabs(path) and path.split(os.sep)[0] != os.pardir]
    found = dict.fromkeys(os.path.normpath(os.path.join(root, path)) for path in inside)
    if not found:
        raise GsdError(
            "this marketplace holds no plugin itself",
            reason="empty_content",
            file=f"{root}/{MARKETPLACE}",
            hint="fetch the plugins that it lists, and name their folders",
        )
    return tuple(found)
