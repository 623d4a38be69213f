"""How long does `gsd-mcp-server` take, against the least that a server on the same SDK takes?

    python bench/mcp.py [--rounds N]

Cold: from the start of the process to the first answer, against a Python that imports the SDK's server and
nothing else. Warm: listing a page of resources and reading one, over pipes, against a server that gives the
same bytes from memory. Prints ratios from one run; exits 1 when one is over its bar.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from measuring import environment, run, side_by_side, table, verdict

IMPORT, COLD = "import the SDK", "first answer"
LIST, READ = "list a page", "read a workflow"
PLAIN_LIST, PLAIN_READ = "list a page, no-op server", "read a workflow, no-op server"
BAR = 1.3
CALLS = 50
URI = "gsd://workflows/plan-phase.md"
SDK = "import mcp.server.lowlevel.server; print(flush=True)"
START = "import sys; from gsd_capabilities.catalog.main import console; sys.exit(console())"
NO_OP = """
import json, sys, anyio
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
import mcp_types as types
answers = json.loads(sys.argv[1])
listed = types.ListResourcesResult.model_validate(answers["resources/list"])
read = types.ReadResourceResult.model_validate(answers["resources/read"])
async def on_list(ctx, params): return listed
async def on_read(ctx, params): return read
server = Server("no-op", on_list_resources=on_list, on_read_resource=on_read)
async def main():
    async with stdio_server() as (into, out):
        await server.run(into, out, server.create_initialization_options())
anyio.run(main)
"""
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "0"},
}


class Conversation:
    """One server process, asked one request after another."""

    def __init__(self, command: list[str], env: Mapping[str, str], cwd: Path) -> None:
        self._process = subprocess.Popen(
            command, env=dict(env), cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._number = 0
        self.ask("initialize", INITIALIZE)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()

    def ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """The result of a request."""
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        assert self._process.stdout
        answer = json.loads(self._process.stdout.readline())
        if answer.get("id") != self._number or "result" not in answer:
            sys.exit(f"{method} is answered with {answer}")
        result: dict[str, Any] = answer["result"]
        return result

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def timed(self, method: str, params: Mapping[str, Any]) -> Callable[[int], float]:
        """The seconds of a request."""

        def once(_: int) -> float:
            began = time.perf_counter()
            self.ask(method, params)
            return time.perf_counter() - began

        return once


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as name:
        home = Path(name) / "home"
        env = environment(home)
        project = home / "project"
        (project / ".planning").mkdir(parents=True)
        installed(env, project)
        ours = [sys.executable, "-c", START, "--scope", "global", "--runtime", "claude"]
        found = cold(ours, env, project, rounds) | warm(ours, env, project, rounds)
    verdicts = [
        verdict(name, found[name] / found[floor], BAR)
        for name, floor in ((COLD, IMPORT), (LIST, PLAIN_LIST), (READ, PLAIN_READ))
    ]
    rows = [("what", "ms"), *((name, f"{seconds * 1000:.2f}") for name, seconds in found.items())]
    print(table(rows))
    print("\n".join(line for line, _ in verdicts))
    return 0 if all(kept for _, kept in verdicts) else 1


def installed(env: Mapping[str, str], project: Path) -> None:
    """Install what is served."""
    start = "import sys; from gsd_install.cli.main import console; sys.exit(console())"
    run([sys.executable, "-c", start, "--runtime", "claude"], env, project)


def cold(ours: list[str], env: Mapping[str, str], project: Path, rounds: int) -> dict[str, float]:
    """Median seconds to an answer, and to an imported SDK."""

    def imported(_: int) -> float:
        began = time.perf_counter()
        with subprocess.Popen(
            [sys.executable, "-c", SDK], env=dict(env), cwd=project, stdout=subprocess.PIPE
        ) as process:
            assert process.stdout
            process.stdout.readline()
            return time.perf_counter() - began

    def answered(_: int) -> float:
        began = time.perf_counter()
        with Conversation(ours, env, project) as server:
            server.ask("resources/list", {})
            return time.perf_counter() - began

    imported(0)  # bytecode warm
    answered(0)
    return side_by_side({IMPORT: imported, COLD: answered}, rounds)


def warm(ours: list[str], env: Mapping[str, str], project: Path, rounds: int) -> dict[str, float]:
    """Median seconds of a request to the server, and to one that knows its answers by heart."""
    asked: dict[str, dict[str, Any]] = {"resources/list": {}, "resources/read": {"uri": URI}}
    with Conversation(ours, env, project) as server:
        answers = {method: server.ask(method, params) for method, params in asked.items()}
        plain = [sys.executable, "-c", NO_OP, json.dumps(answers)]
        with Conversation(plain, env, project) as no_op:
            for method, params in asked.items():
                if no_op.ask(method, params) != answers[method]:
                    sys.exit(f"the two servers answer {method} differently")
            contenders = {}
            names = ((LIST, PLAIN_LIST), (READ, PLAIN_READ))
            for (method, params), (name, floor) in zip(asked.items(), names, strict=True):
                contenders |= {name: server.timed(method, params), floor: no_op.timed(method, params)}
            return side_by_side(contenders, rounds * CALLS)


if __name__ == "__main__":
    os.environ.pop("PYTHONPATH", None)
    sys.exit(main())
