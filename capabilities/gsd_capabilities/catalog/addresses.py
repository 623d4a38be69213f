"""`gsd://` addresses: which document one names, and why it is refused when it names none.

An address is `gsd://<folder>/<path>`, for example `gsd://workflows/plan-phase.md`. The reasons of refusals
and the order of the checks are those that servers of this content have had so far; `CODES` maps them to the
codes of JSON-RPC 2.0.
"""

from __future__ import annotations

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SCHEME = "gsd://"

# Folders of a content root that are served, and the kind of their documents.
ROOTS = {
    "agents": "agent",
    "commands": "command",
    "references": "reference",
    "skills": "skill",
    "templates": "template",
    "workflows": "workflow",
}

INVALID_PARAMS, INTERNAL_ERROR = -32602, -32603
CODES = {
    "unknown_resource": INVALID_PARAMS,
    "unknown_prompt": INVALID_PARAMS,
    "unknown_tool": INVALID_PARAMS,
    "invalid_uri": INVALID_PARAMS,
    "traversal_refused": INVALID_PARAMS,
    "unknown_cursor": INVALID_PARAMS,
    "unknown_root": INVALID_PARAMS,
    "invalid_params": INVALID_PARAMS,
    "read_failed": INTERNAL_ERROR,
    "internal": INTERNAL_ERROR,
}

# How often an address may have been percent-encoded before a path comes out of it.
_PASSES = 3


class RefusedError(GsdError):
    """A request that is not answered. `about` is what the client asked for, and all it is told back."""

    def __init__(self, reason: str, message: str, about: str = "", *, hint: str | None = None) -> None:
        super().__init__(message, reason=reason, hint=hint)
        self.about = about

    @property
    def code(self) -> int:
        """The code of JSON-RPC for the reason."""
        return CODES[self.reason]


def address(path: str) -> str:
    """The address of a content path (`workflows/plan-phase.md`)."""
    return SCHEME + path


def refusal(uri: str) -> RefusedError:
    """Why an address that is not in the listing is refused."""
    if not uri:
        return RefusedError("invalid_uri", "the address is empty", uri)
    if any("\0" in form for form in decoded(uri)):
        return RefusedError("traversal_refused", "the address holds a NUL character", uri)
    if uri.lower().startswith("file:"):
        return RefusedError("invalid_uri", "files are not served by their path", uri, hint=_EXAMPLE)
    if is_absolute(uri):
        return RefusedError("traversal_refused", "an absolute path is no address", uri, hint=_EXAMPLE)
    if not uri.startswith(SCHEME):
        return RefusedError("invalid_uri", "the address does not begin with gsd://", uri, hint=_EXAMPLE)
    root, _, inner = uri.removeprefix(SCHEME).partition("/")
    if root not in ROOTS:
        known = ", ".join(ROOTS)
        return RefusedError(
            "unknown_root", "the address begins with no folder of the content", uri, hint=known
        )
    if leaves(inner):
        return RefusedError("traversal_refused", "the address leads out of the content", uri)
    return RefusedError(
        "unknown_resource", "there is no such resource", uri, hint="resources/list has them all"
    )


_EXAMPLE = "gsd://workflows/plan-phase.md"


def decoded(text: str) -> Iterator[str]:
    """The text, and what is left of it each time it is percent-decoded; a backslash is a slash."""
    from urllib.parse import unquote

    for _ in range(_PASSES + 1):
        yield text.replace("\\", "/")
        text = unquote(text)


def leaves(path: str) -> bool:
    """Whether a relative path could lead out of the folder it is relative to, in any decoding."""
    return any(".." in form.split("/") or "\0" in form or is_absolute(form) for form in decoded(path))


def is_absolute(path: str) -> bool:
    """Whether a path begins at the root of a system or of a drive, on any system."""
    slashed = path.replace("\\", "/")
    drive = len(slashed) > 1 and slashed[0].isascii() and slashed[0].isalpha() and slashed[1] == ":"
    return slashed.startswith("/") or drive
