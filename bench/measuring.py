"""Shared by the benches: a fresh environment, whole processes, medians taken side by side.

Absolute times say more about the machine than about us, so a bench prints ratios from one run: every
contender runs in turn, round after round, into directories nobody used before. Deleting trees between
runs would make the next run many times slower on a common file system, so nothing is deleted until the end.
"""

from __future__ import annotations

import math
import os
import resource
import statistics
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Run(NamedTuple):
    """One finished process: seconds of wall time, peak resident memory in MiB."""

    seconds: float
    memory: float


def environment(home: Path) -> dict[str, str]:
    """What a contender sees: a home of its own and no PYTHON* variable."""
    home.mkdir(parents=True, exist_ok=True)
    return {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}


def run(
    command: Sequence[str], env: Mapping[str, str], cwd: Path | None = None, stdin: bytes | None = None
) -> Run:
    """Run one process to its end; a failure stops the bench with its output."""
    began = time.perf_counter()
    process = subprocess.Popen(
        command,
        env=dict(env),
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
    )
    output = process.communicate(stdin)[0]
    seconds = time.perf_counter() - began
    if process.returncode:
        sys.exit(f"{' '.join(command)} failed with {process.returncode}:\n{output.decode(errors='replace')}")
    return Run(seconds, 0.0)


def peak_memory(command: Sequence[str], env: Mapping[str, str], cwd: Path | None = None) -> float:
    """Peak resident memory of one process and its children, in MiB."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        subprocess.run(
            command, env=dict(env), cwd=cwd, capture_output=True, check=False, stdin=subprocess.DEVNULL
        )
        os.write(write, str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss).encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(write)
    return int(os.read(read, 64)) / 1024


def side_by_side(contenders: Mapping[str, Callable[[int], float]], rounds: int) -> dict[str, float]:
    """The median seconds of each contender over `rounds`, all of them taking turns."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for number in range(rounds):
        for name, once in contenders.items():
            times[name].append(once(number))
    return {name: statistics.median(found) for name, found in times.items()}


def fresh_venv(folder: Path) -> Path:
    """A virtual environment that holds the wheel built from this checkout; returns its bin directory."""
    wheels = folder / "wheels"
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(wheels), str(ROOT)], check=True
    )
    venv.create(folder / "venv", with_pip=True, symlinks=True)
    bin_dir = folder / "venv" / "bin"
    [wheel] = wheels.glob("*.whl")
    subprocess.run([bin_dir / "pip", "install", "-q", "--disable-pip-version-check", wheel], check=True)
    return bin_dir


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows as aligned columns, the first left, the others right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def verdict(name: str, ratio: float, bar: float) -> tuple[str, bool]:
    """A line that says whether a ratio keeps its bar."""
    kept = ratio <= bar
    return f"{'ok  ' if kept else 'OVER'} {name}: {ratio:.2f} times, at most {bar:g}", kept


def n_log_n(first: int, last: int, grew: float, yardstick: float, what: str) -> Iterator[str]:
    """What is wrong where time grew more than n log n between two sizes; prints both, and a yardstick."""
    theory = last * math.log(last) / (first * math.log(first))
    print(f"from {first:,} to {last:,}: {grew:.0f} times the time")
    print(f"  n log n allows {theory:.0f}; on this machine {what} grows {yardstick:.0f} times")
    if grew > theory:
        yield f"grew {grew:.0f} times"
