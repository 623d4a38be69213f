"""Where the texts of the agent are: rules, habits, checklists and the handbook.

They are documents of the capability `learning`. Installed, they stand in the payload like every reference; in
a checkout without a payload they are read where they are written.
"""

from __future__ import annotations

import os

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = ("rules", "habits", "checklists", "handbook")
_FOLDER = ("references", "agent")


def text(payload_root: str | None, name: str) -> str:
    """The body of one of `NAMES`, without frontmatter. Raises GsdError `missing_text`."""
    from gsd_capabilities.companion import payload
    from gsd_install.kernel.frontmatter import split

    file = path(payload_root, name)
    return split(payload.read(file).decode("utf-8", "replace"), file=file).body.strip() + "\n"


def path(payload_root: str | None, name: str) -> str:
    """The absolute path of one of `NAMES`. Raises GsdError `missing_text`."""
    for folder in _folders(payload_root):
        file = os.path.join(folder, f"{name}.md")
        if os.path.isfile(file):
            return os.path.abspath(file)
    raise GsdError(
        f"the text {name!r} of the capability 'learning' is not installed",
        reason="missing_text",
        file=payload_root,
        hint="it comes with the profile standard: gsd-install --runtime NAME --profile standard",
    )


def _folders(payload_root: str | None) -> Iterator[str]:
    from gsd_capabilities.companion import payload

    if payload_root:
        for content in payload.contents(payload_root):
            yield os.path.join(payload_root, "content", content.id, *_FOLDER)
    yield os.path.join(os.path.dirname(os.path.abspath(__file__)), *_FOLDER)
