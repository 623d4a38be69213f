"""The machine as seen by one command: operating system, home, environment, current directory.

It is a value that is passed in, so that every rule for Windows and macOS runs under test on Linux.
"""

from __future__ import annotations

import ntpath
import os
import posixpath
import sys
from collections.abc import Mapping
from types import ModuleType

from gsd_install.kernel.record import NamedTuple


class Platform(NamedTuple):
    """`os` is `linux`, `macos` or `windows`; `home` and `cwd` are absolute paths of that system."""

    os: str
    home: str
    env: Mapping[str, str]
    cwd: str

    @property
    def path(self) -> ModuleType:
        """The path rules of this system."""
        return ntpath if self.os == "windows" else posixpath

    def variable(self, name: str) -> str | None:
        """The value of an environment variable; one that is blank counts as unset."""
        value = self.env.get(name)
        return value if value and value.strip() else None

    def expand(self, path: str) -> str:
        """An absolute path for `~`, `~/x`, `%NAME%/x`, or a path relative to the current directory."""
        if path == "~" or path.startswith(("~/", "~\\")):
            path = self.path.join(self.home, path[2:]) if len(path) > 2 else self.home
        elif path.startswith("%") and "%" in path[1:]:
            name, _, rest = path[1:].partition("%")
            path = self.path.join(self.variable(name) or self.home, rest.lstrip("/\\"))
        return str(self.path.normpath(self.path.join(self.cwd, path)))


def current(home: str | None = None) -> Platform:
    """The platform this process runs on; `home` replaces the user's home (`--home`)."""
    name = {"win32": "windows", "darwin": "macos"}.get(sys.platform, "linux")
    cwd = os.getcwd()
    if home is None:
        return Platform(name, _home(), os.environ, cwd)
    # Variables such as XDG_CONFIG_HOME speak of the invoking user, not of the home being built.
    kept = {key: value for key, value in os.environ.items() if key in {"PATH", "NO_COLOR", "TERM", "LANG"}}
    return Platform(name, os.path.abspath(home), kept, cwd)


def _home() -> str:
    """The user's home; a HOME that is blank counts as unset here too."""
    if os.name != "nt" and not os.environ.get("HOME", "").strip():
        import pwd

        return pwd.getpwuid(os.getuid()).pw_dir
    return os.path.abspath(os.path.expanduser("~"))
