"""Real processes: racing, killed, and short of memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gsd_capabilities.artifacts.folder import Folder
from support.artifacts import Lab, digest, ending

BODY = b"body " * 40_000
REFERENCE = f"artifact://sha256/{digest(BODY)}"

PUT = """
import os, sys
from gsd_capabilities.artifacts.folder import Folder
from support.artifacts import Lab

lab = Lab(Folder(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
{before}
made = lab.put(b"body " * 40_000)
print(made.diagnostics.outcome, made.text, flush=True)
"""


def start(store: Path, before: str = "") -> subprocess.Popen[str]:
    code = PUT.replace("{before}", before)
    path = os.pathsep.join(filter(None, [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH")]))
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(store)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


@pytest.mark.req("ADR0006-C25", "ADR0006-once")
def test_c25_two_processes_end_with_one_file_and_both_have_the_reference(tmp_path: Path) -> None:
    for number in range(4):
        store = tmp_path / str(number)
        both = [start(store), start(store)]
        for process in both:
            go(process)
        answers = [process.communicate()[0].split() for process in both]
        assert {outcome for outcome, _ in answers} <= {"offloaded", "existing_reference"}
        assert [text for _, text in answers] == [REFERENCE, REFERENCE]
        lab = Lab(Folder(str(store)))
        assert [each.digest for each in lab.spy.stored()] == [digest(BODY)]
        assert lab.body(REFERENCE) == BODY


# Where the child ends itself, by a signal that nothing can catch: the n-th call of this function.
POINTS = [
    ("os.open", 1),
    ("os.open", 2),
    ("os.write", 1),
    ("os.write", 2),
    ("os.replace", 1),
    ("os.replace", 2),
    ("os.close", 2),
    ("os.open", 3),
    ("os.write", 3),
    ("os.fstat", 1),
    ("os.mkdir", 2),
    ("os.mkdir", 3),
    ("os.mkdir", 4),
    ("os.mkdir", 5),
]

KILL = """
name, at, after = {name!r}, {at}, {after}
real, calls = getattr(os, name), []
def dying(*args, **options):
    calls.append(1)
    if len(calls) == at and not after:
        os.kill(os.getpid(), 9)
    try:
        return real(*args, **options)
    finally:
        if len(calls) == at:
            os.kill(os.getpid(), 9)
setattr(os, name, dying)
"""


@pytest.mark.req("ADR0006-C24")
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(("point", "at"), POINTS)
def test_c24_killed_anywhere_the_store_is_consistent_and_a_retry_resolves(
    tmp_path: Path, point: str, at: int, *, after: bool
) -> None:
    store = tmp_path / "artifacts"
    process = start(store, KILL.format(name=point.removeprefix("os."), at=at, after=after))
    go(process)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    lab = Lab(Folder(str(store)))
    for stored in lab.spy.stored():
        assert digest(lab.bytes_at(stored.digest)) == stored.digest
    early = lab.get(REFERENCE)
    assert ending(early)[0] in ("unauthorized", "resolved")
    assert lab.reference(BODY) == REFERENCE
    assert lab.body(REFERENCE) == BODY


@pytest.mark.req("ADR0006-C24")
def test_c24_killed_between_write_and_reference(tmp_path: Path) -> None:
    store = tmp_path / "artifacts"
    process = start(store, "lab.spy.after_write = lambda: os.kill(os.getpid(), 9)")
    go(process)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    lab = Lab(Folder(str(store)))
    assert lab.bytes_at(digest(BODY)) == BODY
    assert ending(lab.get(REFERENCE))[0] == "unauthorized"
    assert ending(lab.put(BODY)) == ("existing_reference", "existing_content_match")
    assert lab.body(REFERENCE) == BODY


SPARSE = """
import sys
from gsd_capabilities.artifacts import records
from gsd_capabilities.artifacts.folder import Folder
from gsd_capabilities.artifacts.slices import Slice
from support.artifacts import OWNER, Lab

lab = Lab(Folder(sys.argv[1]))
digest, size = sys.argv[2], int(sys.argv[3])
lab.spy.inner.remember(OWNER.key, digest, records.dump(records.create(digest, size, OWNER)))
reference = "artifact://sha256/" + digest
print(lab.get(reference, 1000).diagnostics.outcome, lab.body(reference, 1000, Slice("bytes", size - 9)))
# Not ru_maxrss: that begins with what the parent had before this program was started.
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM:")))
"""


@pytest.mark.req("ADR0006-constant-memory", "ADR0006-slices")
@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_verifying_takes_memory_for_a_piece_and_not_for_the_whole(tmp_path: Path) -> None:
    import hashlib

    size = 256 << 20
    found, piece = hashlib.sha256(), bytes(1 << 20)
    for _ in range(size // len(piece)):
        found.update(piece)
    store = tmp_path / "artifacts"
    place = Path(Folder(str(store)).location(found.hexdigest()))
    place.parent.mkdir(parents=True)
    with open(place, "wb") as file:
        file.truncate(size)
    (store / "records").mkdir()
    path = os.pathsep.join(filter(None, [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-c", SPARSE, str(store), found.hexdigest(), str(size)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    outcome, memory = done.stdout.splitlines()
    assert outcome == f"over_budget {bytes(9)!r}"
    assert int(memory) / 1024 < 64
