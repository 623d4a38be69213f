"""What storing tool results costs, against writing the same files atomically and nothing else.

    python bench/artifacts.py [--rounds N]

Each round stores 1,000 results of 20 KiB, all different, into a folder nobody used before; the floor makes
the same folders and writes the same bytes to the same paths with `write_atomic`. Prints the ratio. Then a
process stores a file of one GiB and another one reads a part of it; prints their peak memory. Exits 1 when a
bar is missed. Meant for a disk: in a file system in memory a file costs less than its digest.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from gsd_capabilities.artifacts.binding import Bound, Owner
from gsd_capabilities.artifacts.events import Event, Scope
from gsd_capabilities.artifacts.folder import Folder
from gsd_capabilities.artifacts.offload import Control, Offloader, Policy, ToolResult
from gsd_capabilities.artifacts.records import path_of
from gsd_install.kernel.files import write_atomic
from measuring import side_by_side, table, verdict

RESULTS, SIZE, BAR = 1_000, 20 * 1024, 2.0
LARGE, MOST_MEMORY = 1 << 30, 64 << 20
OWNER = Owner("user", "root", "session")
WATCHED = Path(__file__).with_name("peak_memory.py")


def bodies() -> list[bytes]:
    """The same results in every run."""
    line = b"a line of what some tool found\n"
    return [(b"%06d " % number + line * SIZE)[:SIZE] for number in range(RESULTS)]


def floor(root: str, placed: list[tuple[str, bytes]]) -> None:
    """The files alone."""
    for path, body in placed:
        target = os.path.join(root, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        write_atomic(target, body)


def stored(root: str, results: list[bytes]) -> None:
    """Ours: threshold, digest, address, write, record, event."""
    events: list[Event] = []
    scope = Scope("bench", "bench", events.append)
    folder = Folder(root)
    offloader = Offloader(Policy(), lambda: Bound(folder, OWNER), lambda: scope)
    for number, body in enumerate(results):
        offloader.offload(ToolResult(body, "bench", str(number)), Control())
    made = [event.diagnostics.outcome for event in events]
    if made != ["offloaded"] * RESULTS:
        sys.exit(f"not every result was offloaded: {sorted(set(made))}")


def timed(work: Callable[[str], None], root: str) -> float:
    """Seconds for one round into a new folder."""
    began = time.perf_counter()
    work(root)
    return time.perf_counter() - began


def tools(project: str, *argv: str) -> tuple[bytes, int]:
    """What `gsd-tools` printed in that project, and its peak memory in bytes."""
    done = subprocess.run([sys.executable, str(WATCHED), *argv], cwd=project, capture_output=True, check=True)
    return done.stdout, int(done.stderr.splitlines()[-1])


def large(folder: str) -> int:
    """Peak memory, in bytes, of whoever stores a GiB and of whoever reads the last bytes of it."""
    os.makedirs(os.path.join(folder, ".planning"))
    with open(os.path.join(folder, "large"), "wb") as file:
        file.truncate(LARGE)
    made, stored_in = tools(folder, "artifact", "put", "large")
    wanted = f"{LARGE - 10}-{LARGE - 1}"
    part, read_in = tools(folder, "artifact", "get", json.loads(made)["reference"], "--bytes", wanted)
    if part != bytes(10):
        sys.exit(f"the last bytes came back as {part!r}")
    return max(stored_in, read_in)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    results = bodies()
    placed = [(path_of(hashlib.sha256(body).hexdigest()), body) for body in results]
    with tempfile.TemporaryDirectory() as folder:

        def into(name: str, work: Callable[[str], None]) -> Callable[[int], float]:
            return lambda number: timed(work, str(Path(folder) / f"{name}{number}"))

        contenders = {
            "the files alone": into("floor", lambda root: floor(root, placed)),
            "artifact store": into("ours", lambda root: stored(root, results)),
        }
        found = side_by_side(contenders, rounds)
    base = found["the files alone"]
    rows = [(name, f"{each * 1000:.0f}", f"{each / base:.2f}") for name, each in found.items()]
    print(table([(f"{RESULTS} results of {SIZE} bytes", "ms", "ratio"), *rows]))
    line, kept = verdict("storing", found["artifact store"] / base, BAR)
    print(line)
    with tempfile.TemporaryDirectory() as folder:
        used = large(folder)
    print(f"{LARGE >> 20} MiB stored and read in {used >> 20} MiB of memory, at most {MOST_MEMORY >> 20}")
    return 0 if kept and used <= MOST_MEMORY else 1


if __name__ == "__main__":
    sys.exit(main())
