"""Who asks: the operating-system user, the planning root and the session.

All three come from the system and from our own files: nothing that a conversation contains, no argument and
no environment variable takes part. The session is what the session hook wrote last with `begin_session`;
before it ever did, the whole project is one session.
"""

from __future__ import annotations

import os
import sys

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from gsd_capabilities.artifacts.workspace import Workspace

    class Access(Protocol):
        """Gives what is bound now, or None where nothing is. It is asked again before and after the work."""

        def __call__(self) -> Bound | None: ...


SESSION_FILE = "session"
PROJECT = "project"
_SESSION_LENGTH = 128
_SESSION_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


class Owner(NamedTuple):
    """The three parts of a binding; two owners are the same only if all three are."""

    user: str
    root: str
    session: str

    @property
    def key(self) -> str:
        """A name for the owner's records that tells nobody who it is."""
        import hashlib

        return hashlib.sha256("\0".join(self).encode()).hexdigest()[:32]


class Bound(NamedTuple):
    """A workspace and on whose behalf it is used; either may be missing."""

    workspace: Workspace | None
    owner: Owner | None


def fixed(workspace: Workspace, owner: Callable[[], Owner]) -> Access:
    """Access to one workspace for whoever `owner` finds each time it is asked."""
    return lambda: Bound(workspace, owner())


def current(root: str, store: str) -> Owner:
    """The owner here: `root` is the planning root, `store` the folder of artifacts.

    Raises GsdError `bad_session` when the session file is damaged.
    """
    return Owner(_user(), os.path.realpath(root), _session(os.path.join(store, SESSION_FILE)))


def begin_session(store: str, session: str) -> None:
    """For the session hook: from now on artifacts belong to `session`.

    Raises GsdError `bad_session`, OSError.
    """
    from gsd_capabilities.artifacts.folder import Folder
    from gsd_install.kernel.files import write_atomic

    _checked(session)
    Folder(store).prepare()
    write_atomic(os.path.join(store, SESSION_FILE), f"{session}\n".encode())


def _session(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return _checked(file.read().decode("utf-8", "replace").rstrip("\r\n"), path)
    except FileNotFoundError:
        return PROJECT


def _checked(session: str, file: str | None = None) -> str:
    if 0 < len(session) <= _SESSION_LENGTH and _SESSION_CHARACTERS.issuperset(session):
        return session
    hint = f"a session id has at most {_SESSION_LENGTH} letters, digits, dots, dashes and underscores"
    raise GsdError("this is no session id", reason="bad_session", file=file, hint=hint)


if sys.platform == "win32":

    def _user() -> str:
        import ctypes

        size = ctypes.c_ulong(257)
        name = ctypes.create_unicode_buffer(size.value)
        if not ctypes.windll.advapi32.GetUserNameW(name, ctypes.byref(size)):
            raise ctypes.WinError()
        return name.value

else:

    def _user() -> str:
        return str(os.geteuid())
