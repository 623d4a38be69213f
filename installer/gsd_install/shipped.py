"""Where the content tree is that comes with the distribution."""

from __future__ import annotations

from functools import cache

from gsd_install.kernel.errors import GsdError


@cache
def shipped_root() -> str:
    """The content tree that comes with the distribution."""
    from importlib.util import find_spec

    spec = find_spec("gsd_content")
    if spec is None or not spec.submodule_search_locations:
        raise GsdError(
            "the shipped content is missing", reason="no_shipped_content", hint="reinstall gsd-install"
        )
    return next(iter(spec.submodule_search_locations))
