"""Where predicates are stated: `CONTEXT.md` of the project, and of the content that is installed."""

from __future__ import annotations

import os

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

FILE = "CONTEXT.md"


def of_project(root: str) -> str:
    """Where a project states its predicates."""
    return os.path.join(root, FILE)


def present(candidates: Iterable[str | None]) -> tuple[str, ...]:
    """Those of the files that exist, each once, in their order."""
    return tuple(path for path in dict.fromkeys(candidates) if path and os.path.isfile(path))


def text(path: str) -> str:
    """The text of a file with predicates.

    Raises GsdError `fail_context_missing` or `fail_context_unreadable`.
    """
    hint = f"predicates stand in {FILE} at the root of the project, or in the file --source names"
    try:
        with open(path, "rb") as stream:
            return stream.read().decode()
    except FileNotFoundError as error:
        message = "there is no such file"
        raise GsdError(message, reason="fail_context_missing", file=path, hint=hint) from error
    except (OSError, UnicodeDecodeError) as error:
        raise GsdError(
            f"cannot be read: {error}", reason="fail_context_unreadable", file=path, hint=hint
        ) from error
