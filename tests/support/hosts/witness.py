"""Install for one host with the real program, ask the host what it loaded, take it all away again."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from support.hosts import fence, settings
from support.hosts.fetching import node
from support.hosts.reading import Seen
from support.hosts.table import Host
from support.hosts.using import Used
from support.installs import Machine, machine
from support.works import Desk

TESTS = Path(__file__).parents[2]
LOOPBACK = re.compile(r"http://127\.0\.0\.1:\d+")
STATE = """\
---
project: witness
phase: 7
phase_name: Seen by the host
status: planned
next: execute-phase 7
last: WITNESS-STATE
---
"""


class Hooks(NamedTuple):
    """What hooks did while the host was asked.

    `counted` are the calls of tools that were counted for the task that runs, `lessons` the sessions in which
    a word was said of the lesson that waits, `failures` what hooks wrote about what went wrong.
    """

    counted: int
    lessons: int
    failures: str


class Witness(NamedTuple):
    """`expected` are the names that were installed, by kind; `seen` what the host showed.

    `live` is what `doctor --live` said of the host, `lost` what it said once `deleted` was deleted by hand;
    None where it has no way to ask the host. `used` is what came of having it use them, None where it cannot
    be given a model that is a stub. `hooks` is what hooks did meanwhile.
    `left` are files of ours that were there after the uninstall, `changed` files of the user's that were
    not as before.
    """

    expected: dict[str, set[str]]
    seen: Seen
    used: Used | None
    hooks: Hooks
    live: dict[str, Any] | None
    deleted: str
    lost: dict[str, Any] | None
    left: list[str]
    changed: list[str]


def witness(host: Host, program: Path, folder: Path) -> Witness:
    """Install, ask, uninstall."""
    box = machine(folder)
    subprocess.run(["git", "init", "-q"], cwd=box.project, check=True)
    (box.project / ".planning").mkdir()
    (box.project / ".planning" / "STATE.md").write_text(STATE, encoding="utf-8")
    settings.write(host.id, box.home, box.project)
    users = {path: path.read_bytes() for path in box.home.rglob("*") if path.is_file()}
    _worked(box.project)
    box.run("--runtime", host.id, "--with", "all", "--yes").ok()
    ledger = _ledger(box)
    live, deleted, lost = _live(host, program, box, ledger)
    seen, used = _ask(host, program, box)
    hooks = _hooks(box)
    box.run("uninstall", "--yes").ok()
    left = [path for path in ledger if (box.home / path).exists()]
    changed = [str(path) for path, data in users.items() if not _same(path, data)]
    return Witness(_expected(host, box, ledger), seen, used, hooks, live, deleted, lost, left, changed)


def _same(path: Path, data: bytes) -> bool:
    """Is a file as it was, but for the address of the stub and what a host itself notes in its own file?"""
    if not path.exists():
        return False
    now = LOOPBACK.sub(settings.ADDRESS, path.read_text(encoding="utf-8"))
    if path.suffix == ".json":
        return _without_notes(now) == _without_notes(data.decode())
    return now == data.decode()


def _without_notes(text: str) -> dict[str, object]:
    return {key: value for key, value in json.loads(text).items() if not key.startswith("$")}


def _worked(project: Path) -> None:
    """A task that was finished and taught something, and one that runs."""
    desk = Desk(project)
    done = desk.running("Sort the photos")
    assert desk.say("task", "call", "--count=5", GSD_TASK=done).code == 0
    assert desk.say("task", "complete", done).json["learning"]["job"]
    desk.running("Name the albums")


def _hooks(box: Machine) -> Hooks:
    """What hooks wrote down in the project and in the folder for what is temporary."""
    calls = [task for task in Desk(box.project).say("task", "list").json if task["state"] == "running"]
    states = (box.home.parent / "tmp").glob("gsd-*/hooks.json")
    logs = (box.home.parent / "tmp").glob("gsd-*/hooks.log")
    told = [one for state in states for one in json.loads(state.read_bytes()).values()]
    return Hooks(
        counted=sum(task["calls"] or 0 for task in calls),
        lessons=sum("learning-trigger" in one for one in told),
        failures="".join(log.read_text(encoding="utf-8") for log in logs),
    )


def _ask(host: Host, program: Path, box: Machine) -> tuple[Seen, Used | None]:
    search = [str(node())] if host.newer_node else []
    command = [sys.executable, "-m", "support.hosts.inside", host.id, str(program), str(box.home)]
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(TESTS), "HOME": str(box.home)}
    done = fence.run([*command, str(box.project), *search], cwd=TESTS, environ=environ, seconds=400)
    assert done.returncode == 0, f"{host.id} could not be asked:\n{done.stderr[-4000:]}"
    told = json.loads(done.stdout)
    return Seen(**told["seen"]), Used(**told["used"]) if told["used"] else None


def _live(
    host: Host, program: Path, box: Machine, ledger: list[str]
) -> tuple[dict[str, Any] | None, str, dict[str, Any] | None]:
    """What `doctor --live` says of a host, and once a skill is gone; the skill is back afterwards."""
    if "doctor --live" not in host.kinds:
        return None, "", None
    live = _doctor(host, program, box)
    deleted = next(key for key in ledger if key.endswith("/SKILL.md"))
    text = (box.home / deleted).read_bytes()
    (box.home / deleted).unlink()
    lost = _doctor(host, program, box)
    (box.home / deleted).write_bytes(text)
    return live, deleted, lost


def _doctor(host: Host, program: Path, box: Machine) -> dict[str, Any]:
    folders = [str(program.parent), *([str(node())] if host.newer_node else []), os.environ["PATH"]]
    environ = box.env | {"PATH": os.pathsep.join(folders)}
    command = [str(box.script), "doctor", "--live", "--json"]
    done = fence.run(command, cwd=box.project, environ=environ, seconds=200)
    told = json.loads(done.stdout)["data"]["live"]
    return next(item for item in told if item["runtime"] == host.id)


def _ledger(box: Machine) -> list[str]:
    found = list(box.home.rglob("ledger.json"))
    assert len(found) == 1, found
    return list(json.loads(found[0].read_text(encoding="utf-8"))["files"])


def _expected(host: Host, box: Machine, ledger: list[str]) -> dict[str, set[str]]:
    """The names of what was placed, by kind, told from the paths of the plugin's places."""
    from gsd_install.emit.target import target
    from gsd_install.plugins import Plugins
    from gsd_install.runtime.platform import Platform

    home = str(box.home)
    platform = Platform("linux", home, {}, str(box.project))
    made = target(Plugins().get(host.id).runtime, "global", platform, base=home, payload=f"{home}/.gsd")
    expected: dict[str, set[str]] = {}
    for place in made.runtime.places:
        before, after = made.resolve(place.path).split("{name}")
        for path in (f"{home}/{key}" for key in ledger):
            name = path[len(before) : len(path) - len(after)]
            if path.startswith(before) and path.endswith(after) and "/" not in name:
                expected.setdefault(place.kind, set()).add(name)
    return expected
