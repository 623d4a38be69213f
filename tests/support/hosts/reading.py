"""What one host is asked with, and how names are read from what it prints and sends."""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from support.hosts.jsonrpc import Session
from support.hosts.model_stub import Stub

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Seen(NamedTuple):
    """What a host shows, by kind: the names it lists; `sent` is all it sent to the model.

    `complaints` are lines of its output and logs about something it did not take.
    """

    version: str
    listed: dict[str, list[str]]
    sent: str
    complaints: list[str]


class Asker(NamedTuple):
    """One host on one machine: how to run it in the project, with a model that is a stub."""

    program: Path
    home: Path
    project: Path
    stub: Stub
    search: str = ""

    @property
    def environ(self) -> dict[str, str]:
        """A clean environment: the home, the usual folders, a path."""
        home = str(self.home)
        path = os.pathsep.join(filter(None, (self.search, os.environ["PATH"])))
        return {
            "HOME": home,
            "XDG_CONFIG_HOME": f"{home}/.config",
            "XDG_DATA_HOME": f"{home}/.local/share",
            "XDG_CACHE_HOME": f"{home}/.cache",
            "XDG_STATE_HOME": f"{home}/.local/state",
            "PATH": path,
            "TERM": "dumb",
            "NO_COLOR": "1",
            "LANG": "C.UTF-8",
            "SHELL": "/bin/sh",
            "TMPDIR": str(self.home.parent / "tmp"),  # some hosts may read all that is temporary
        }

    def run(self, *words: str, seconds: float = 90, **environ: str) -> subprocess.CompletedProcess[str]:
        """Run the host with these words. It prints to files: OpenCode ends before a pipe has taken it all."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            command = [str(self.program), *words]
            done = subprocess.run(
                command,
                cwd=self.project,
                env=self.environ | environ,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                timeout=seconds,
            )
            texts = [_whole(file) for file in (out, err)]
        return subprocess.CompletedProcess(command, done.returncode, *texts)

    def version(self, **environ: str) -> str:
        """The version the host says it has."""
        done = self.run("--version", **environ)
        found = re.search(r"\d+\.\d+\.\d+", done.stdout + done.stderr)
        return found[0] if found else ""


def _whole(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


def acp(ask: Asker, *words: str, **environ: str) -> list[str]:
    """The commands a host offers in a new session of the Agent Client Protocol."""
    command = [str(ask.program), *words]
    files = {"readTextFile": False, "writeTextFile": False}
    hello = {
        "protocolVersion": 1,
        "clientCapabilities": {"fs": files},
        "clientInfo": {"name": "witness", "version": "1"},
    }
    with Session(command, cwd=ask.project, environ=ask.environ | environ) as session:
        session.call("initialize", hello)
        session.call("session/new", {"cwd": str(ask.project), "mcpServers": []})
        for note in itertools.chain(tuple(session.notes), session.heard(30)):
            update = note.get("params", {}).get("update", {})
            if update.get("sessionUpdate") == "available_commands_update":
                offered = [command["name"] for command in update["availableCommands"]]
                if any("gsd-" in name for name in offered):
                    return [name.removeprefix("skill:") for name in offered]
    return []


def events(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        if line.startswith("{"):
            yield json.loads(line)


def named_in(sent: str) -> list[str]:
    """Names of ours that a request to the model mentions."""
    text = sent.replace("\\n", "\n")  # a line end as JSON spells it
    return sorted(set(re.findall(r"\bgsd-[a-z0-9]+(?:-[a-z0-9]+)*", text)))


def connected(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The servers that a host says it is connected to, one a line: `NAME: COMMAND - Connected`."""
    return re.findall(r"(\S+): .* - .*Connected", COLOUR.sub("", done.stdout + done.stderr))


def served(sent: str) -> list[str]:
    """Our server, where the model is offered what it serves."""
    return ["gsd"] if re.search(r'"name": ?"[\w-]*gsd_render"', sent) else []


def names_in(value: Any) -> Iterator[str]:
    """Every `name` in a JSON document."""
    if isinstance(value, dict):
        if isinstance(value.get("name"), str):
            yield value["name"]
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from names_in(item)


def complaints(text: str, *signs: str) -> list[str]:
    return [line for line in text.splitlines() if any(sign in line for sign in signs)]
