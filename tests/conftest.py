"""For every test: which rows it proves goes into the report, and the real home is out of bounds."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Generator, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import settings

# In CI the examples are the same every time; elsewhere they are not, which is how new failures are found.
settings.register_profile("ci", derandomize=True, database=None)
if os.environ.get("CI"):
    settings.load_profile("ci")

CHECKOUT: Final = Path(__file__).resolve().parents[1]
TRACED_MARKS: Final = ("req", "case")

# A nested run (a worker, a pytest that a test starts) sees a HOME that is already a temporary one.
REAL_HOMES: Final = "GSD_TEST_REAL_HOMES"

HOME_SUFFIXES: Final = ("_HOME", "_CONFIG_DIR", "_DATA_DIR", "_AGENT_DIR", "_AGENTS_DIR", "_SHARE_DIR")
HOME_NAMES: Final = ("HOMEDRIVE", "HOMEPATH", "KILO_CONFIG", "OPENCODE_CONFIG")

# Where tools keep what they downloaded: reading and filling these harms nobody and saves minutes.
CACHES: Final = (
    ".cache/pip",
    ".cache/uv",
    ".cache/tox",
    ".cache/virtualenv",
    ".local/share/uv",
    ".local/share/virtualenv",
    ".tox",
    "Library/Caches/pip",
    "AppData/Local/pip",
    "AppData/Local/uv",
)

_WRITE_FLAGS: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class HomeTouchedError(BaseException):
    """A test changed something below the real home. Not an `Exception`: no handler may swallow it."""


class _Argument(NamedTuple):
    """Where an audit event holds a path that would change, and the folder it is relative to."""

    path: int
    dir_fd: int | None
    follows: bool


# https://docs.python.org/3/library/audit_events.html
_CHANGES: Final[Mapping[str, tuple[_Argument, ...]]] = {
    "open": (_Argument(0, None, True),),
    "os.chmod": (_Argument(0, 2, True),),
    "os.chown": (_Argument(0, 3, True),),
    "os.link": (_Argument(1, 3, False),),
    "os.mkdir": (_Argument(0, 2, False),),
    "os.remove": (_Argument(0, 1, False),),
    "os.rename": (_Argument(0, 2, False), _Argument(1, 3, False)),
    "os.rmdir": (_Argument(0, 1, False),),
    "os.symlink": (_Argument(1, 2, False),),
    "os.truncate": (_Argument(0, None, True),),
    "os.utime": (_Argument(0, 3, True),),
}


class HomeGuard:
    """An audit hook that refuses every change below `homes`, except below `allowed`.

    Audit hooks cannot be removed, hence `active`. What was refused stays in `touched`, so that code
    which swallows the error still fails its test. Child processes are kept off by the environment.
    """

    def __init__(self, homes: Iterable[str], allowed: Iterable[str]) -> None:
        self.homes = tuple(_prefix(home) for home in homes)
        self.allowed = tuple(_prefix(path) for path in allowed)
        self.active = True
        self.touched: list[str] = []

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        changes = _CHANGES.get(event)
        if changes is None or not self.active:
            return
        if event == "open" and not (isinstance(args[2], int) and args[2] & _WRITE_FLAGS):
            return
        for argument in changes:
            self._refuse(event, _resolve(args, argument))

    def _refuse(self, event: str, path: str | None) -> None:
        if path is None or not self.guards(path):
            return
        self.touched.append(f"{event} {path}")
        raise HomeTouchedError(f"a test touched the real home: {event} {path}")

    def guards(self, path: str) -> bool:
        """Whether `path`, absolute and without links, is out of bounds."""
        inside = path + os.sep
        if not inside.startswith(self.homes) or inside.startswith(self.allowed):
            return False
        return f"{os.sep}__pycache__{os.sep}" not in inside

    def verify(self) -> None:
        """Raise what was refused since the last call, whoever caught it."""
        touched, self.touched = self.touched, []
        if touched:
            raise HomeTouchedError(f"a test touched the real home: {', '.join(touched)}")


def _prefix(path: str) -> str:
    return os.path.join(os.path.realpath(path), "")


def _resolve(args: tuple[Any, ...], argument: _Argument) -> str | None:
    path = args[argument.path]
    if isinstance(path, int):
        return None
    try:
        name = os.path.join(_folder(args, argument), os.fsdecode(path))
        if argument.follows:
            return os.path.realpath(name)
        parent, leaf = os.path.split(os.path.abspath(name))
        return os.path.join(os.path.realpath(parent), leaf)
    except ValueError:  # a NUL in the name: the call itself fails at once
        return None


def _folder(args: tuple[Any, ...], argument: _Argument) -> str:
    descriptor = -1 if argument.dir_fd is None else args[argument.dir_fd]
    if not isinstance(descriptor, int) or descriptor < 0:
        return ""
    link = f"/proc/self/fd/{descriptor}"
    return os.readlink(link) if os.path.islink(link) else ""


def real_homes(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The homes to guard: of the environment, those a surrounding run guards, and of the account."""
    homes = [os.path.expanduser("~"), *environ.get(REAL_HOMES, "").split(os.pathsep)]
    try:
        import pwd
    except ImportError:  # Windows has no account database of this kind
        pass
    else:
        homes.append(pwd.getpwuid(os.getuid()).pw_dir)
    # A home of "/", as some containers have, would make every path on the machine part of it.
    return tuple(dict.fromkeys(home for home in homes if home.strip(os.sep)))


def spared_paths(homes: Iterable[str], config: pytest.Config) -> tuple[str, ...]:
    """What may be written although it can lie below a home: this run's own places."""
    reports = (config.getoption("xmlpath", None), config.getoption("basetemp", None))
    caches = [os.path.join(home, cache) for home in homes for cache in CACHES]
    environment = (sys.prefix, sys.base_prefix, sys.exec_prefix, *sysconfig.get_paths().values())
    checkout = (str(CHECKOUT), str(config.rootpath))
    own = (tempfile.gettempdir(), *checkout, *environment, *caches, *map(str, filter(None, reports)))
    return tuple(dict.fromkeys(own))


def is_home_variable(name: str) -> bool:
    """Whether a variable may lead a program to somebody's real files."""
    return name.startswith("XDG_") or name.endswith(HOME_SUFFIXES) or name in HOME_NAMES


def _point_home_at(folder: str, homes: tuple[str, ...], patch: pytest.MonkeyPatch) -> None:
    for name in filter(is_home_variable, tuple(os.environ)):
        patch.delenv(name)
    patch.setenv(REAL_HOMES, os.pathsep.join(homes))
    for name, parts in {
        "HOME": (),
        "USERPROFILE": (),
        "APPDATA": ("AppData", "Roaming"),
        "LOCALAPPDATA": ("AppData", "Local"),
    }.items():
        patch.setenv(name, os.path.join(folder, *parts))


def _keep_caches(homes: tuple[str, ...], patch: pytest.MonkeyPatch) -> None:
    """Builds that tests start find what was downloaded before, and the index that is configured."""
    for name, paths in {
        "PIP_CACHE_DIR": (".cache/pip",),
        "UV_CACHE_DIR": (".cache/uv",),
        "PIP_CONFIG_FILE": (".config/pip/pip.conf", ".pip/pip.conf"),
    }.items():
        found = [os.path.join(home, path) for home in homes for path in paths]
        present = next(filter(os.path.exists, found), None)
        if present and name not in os.environ:
            patch.setenv(name, present)


_CLEAN_UP: Final = pytest.StashKey[Callable[[], None]]()
_GUARD: Final = pytest.StashKey[HomeGuard]()


def pytest_configure(config: pytest.Config) -> None:
    """Before anything is collected: a temporary home, and an alarm on the real one."""
    patch = pytest.MonkeyPatch()
    homes = real_homes(os.environ)
    guard = HomeGuard(homes, spared_paths(homes, config))
    folder = tempfile.mkdtemp(prefix="gsd-tests-home-")
    _point_home_at(folder, homes, patch)
    _keep_caches(homes, patch)
    sys.addaudithook(guard)

    def clean_up() -> None:
        guard.active = False
        patch.undo()
        shutil.rmtree(folder, ignore_errors=True)

    config.stash[_GUARD] = guard
    config.stash[_CLEAN_UP] = clean_up


def pytest_unconfigure(config: pytest.Config) -> None:
    config.stash[_CLEAN_UP]()


@pytest.hookimpl(wrapper=True)
def _verified(item: pytest.Item) -> Generator[None, object, object]:
    try:
        return (yield)
    finally:
        item.config.stash[_GUARD].verify()


pytest_runtest_setup = pytest_runtest_call = pytest_runtest_teardown = _verified


def pytest_itemcollected(item: pytest.Item) -> None:
    """Hand the ids of `req` and `case` marks to the report; user properties survive pytest-xdist."""
    for name in TRACED_MARKS:
        ids = [argument for mark in item.iter_markers(name) for argument in _ids(item, mark)]
        item.user_properties.extend((name, argument) for argument in dict.fromkeys(ids))


def _ids(item: pytest.Item, mark: pytest.Mark) -> tuple[str, ...]:
    if not mark.args or mark.kwargs or not all(isinstance(argument, str) for argument in mark.args):
        raise pytest.UsageError(f"{item.nodeid}: @pytest.mark.{mark.name} takes one id or more, as strings")
    return mark.args
