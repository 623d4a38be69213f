"""One transaction in a process of its own, for tests that kill it or take the disk away from it.

`python driver.py HOME ACTION` with `install`, `upgrade`, `uninstall`, or `unit NAME`. Exit code: that of
the GsdError, 70 for anything that is none.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from gsd_install.apply.location import global_location
from gsd_install.apply.model import Desired, Edit, File, Location, Options
from gsd_install.apply.plan import Plan, plan
from gsd_install.apply.transaction import execute
from gsd_install.kernel.errors import GsdError
from gsd_install.runtime.platform import Platform

UNITS = ("claude:gsd", "codex:gsd", "hermes:gsd")
CRASHED = 70
LINES = "".join(f"line {number}\n" for number in range(9))


def location(home: str) -> Location:
    return global_location(Platform("linux", home, {}, home))


def files(home: str, version: int) -> tuple[File, ...]:
    """What three runtimes get: shared and own files, some of which the second version drops or adds."""

    def file(name: str, text: str, *owners: str, x: bool = False) -> File:
        return File(os.path.join(home, name), text.encode(), x, home, owners)

    common = (
        file(".gsd/bin/tool.py", f"version = {version}\n", *UNITS, x=True),
        file(".claude/commands/plan.md", LINES.replace("line 1\n", f"line 1 of {version}\n"), UNITS[0]),
        file(".agents/skills/plan/SKILL.md", f"skill {version}\n", UNITS[1], UNITS[2]),
    )
    if version == 1:
        return (*common, file(".claude/old/gone.py", "old = 1\n", UNITS[0]))
    return (
        *common,
        file(".claude/new/deep/added.md", "new\n", UNITS[0]),
        file("mine.md", "ours\n", UNITS[2]),
    )


def edits(home: str, version: int) -> tuple[Edit, ...]:
    """One entry in each kind of file that a user owns."""

    def edit(name: str, form: Any, pointer: tuple[str, ...], value: Any, owner: str) -> Edit:
        return Edit(os.path.join(home, name), form, pointer, value, home, (owner,))

    return (
        edit(
            ".claude/settings.json",
            "jsonc",
            ("hooks", "SessionStart", "-"),
            {"command": f"v{version}"},
            UNITS[0],
        ),
        edit(".codex/config.toml", "toml", ("mcp_servers", "gsd"), {"command": f"v{version}"}, UNITS[1]),
        edit(".hermes/config.yaml", "yaml", ("hooks", "gsd"), f"v{version}", UNITS[2]),
        edit("AGENTS.md", "block", ("gsd",), f"version {version}\n", UNITS[1]),
    )


def user_files(home: str) -> None:
    """What the user has before anything of ours comes."""
    for name, text in {
        ".claude/settings.json": '{\n  // mine\n  "theme": "dark"\n}\n',
        ".codex/config.toml": 'model = "m-1"  # mine\n',
        ".hermes/config.yaml": "# mine\nmodel: m-1\n",
        "AGENTS.md": "# Mine\n",
        "mine.md": "mine\n",
    }.items():
        path = os.path.join(home, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o600)


def user_edits(home: str) -> None:
    """What the user does between the two versions."""
    with open(os.path.join(home, ".claude/commands/plan.md"), "a", encoding="utf-8") as file:
        file.write("my own line\n")
    cache = os.path.join(home, ".claude/old/__pycache__")
    os.makedirs(cache)
    with open(os.path.join(cache, "gone.cpython-311.pyc"), "w", encoding="utf-8") as file:
        file.write("compiled")


def desired(home: str, action: str) -> Desired:
    if action == "uninstall":
        return Desired({}, frozenset(UNITS), (), ())
    version = 1 if action == "install" else 2
    return Desired(
        {unit: {"v": version} for unit in UNITS}, frozenset(), files(home, version), edits(home, version)
    )


def one_unit(home: str, name: str) -> Desired:
    unit = f"{name}:gsd"
    wanted = [File(f"{home}/.gsd/shared.md", b"shared\n", False, home, (unit,))]
    wanted += [
        File(f"{home}/.{name}/commands/{i}.md", f"{name} {i}\n".encode(), False, home, (unit,))
        for i in range(20)
    ]
    edit = Edit(f"{home}/settings.json", "jsonc", ("hooks", "-"), {"command": name}, home, (unit,))
    return Desired({unit: {}}, frozenset(), tuple(wanted), (edit,))


def perform(home: str, action: str, name: str = "") -> None:
    """Carry the action out. Raises GsdError."""
    place = location(home)
    wish = one_unit(home, name) if action == "unit" else desired(home, action)

    def make_plan() -> Plan:
        return plan(place, wish, Options(backup=True))

    execute(place, make_plan)


def interpose(spec: str, log: str) -> None:
    """Note every call that changes the disk in `log`, and fail or die at the one that `spec` names."""
    import errno
    import signal

    fault, _, number = spec.partition(":")
    count = 0
    record = os.open(log, os.O_WRONLY | os.O_APPEND)
    write = os.write

    def before(name: str) -> None:
        nonlocal count
        count += 1
        write(record, f"{name}\n".encode())
        if number and count == int(number):
            if fault == "KILL":
                os.kill(os.getpid(), signal.SIGKILL)
            code = getattr(errno, fault)
            raise OSError(code, os.strerror(code))

    def wrap(name: str) -> None:
        real = getattr(os, name)

        def wrapped(*args: Any, **kwargs: Any) -> Any:
            if name != "open" or args[1] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                before(name)
            return real(*args, **kwargs)

        setattr(os, name, wrapped)

    for name in (
        "open", "write", "replace", "rename", "unlink", "mkdir", "rmdir", "chmod", "fchmod", "fsync",
        "ftruncate",
    ):  # fmt: skip
        wrap(name)


def main() -> int:
    os.umask(0o022)
    if "GSD_TEST_CALLS" in os.environ:
        interpose(os.environ["GSD_TEST_FAULT"], os.environ["GSD_TEST_CALLS"])
    try:
        perform(*sys.argv[1:])
    except GsdError as error:
        print(f"{error.reason}: {error}", file=sys.stderr)
        return error.exit_code
    except BaseException:  # noqa: BLE001 - anything that is no GsdError is what the tests look for
        import traceback

        traceback.print_exc()
        return CRASHED
    return 0


if __name__ == "__main__":
    sys.exit(main())
