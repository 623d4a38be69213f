"""Memory stays small whatever the size of an artifact: whoever stores and reads a large one is watched."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gsd_capabilities.artifacts.folder import Folder
from gsd_capabilities.artifacts.workspace import File
from support.artifacts import Lab, digest
from support.venvs import ROOT

# bench/artifacts.py does the same with a whole GiB.
SIZE = 256 << 20
MOST = 64 << 20

WATCHED = ROOT / "bench" / "peak_memory.py"


def tools(project: Path, *argv: str) -> tuple[bytes, int]:
    """What `gsd-tools` printed, and its peak memory in bytes."""
    done = subprocess.run(
        [sys.executable, str(WATCHED), *argv],
        cwd=project, env={"HOME": str(project)}, capture_output=True, check=True,
    )  # fmt: skip
    return done.stdout, int(done.stderr.splitlines()[-1])


@pytest.mark.skipif(sys.platform == "win32", reason="getrusage is POSIX")
@pytest.mark.req("ADR0006-constant-memory")
def test_a_large_artifact_is_stored_and_read_in_little_memory(tmp_path: Path) -> None:
    (tmp_path / ".planning").mkdir()
    with open(tmp_path / "large", "wb") as file:
        file.write(b"first line\n")
        file.truncate(SIZE - 10)
        file.seek(0, 2)
        file.write(b"\nlast line")
    out, used = tools(tmp_path, "artifact", "put", "large", "--preview")
    made = json.loads(out)
    assert (made["outcome"], made["observed_bytes"]) == ("offloaded", SIZE)
    assert used < MOST
    out, used = tools(tmp_path, "artifact", "get", made["reference"], "--bytes", f"{SIZE - 9}-{SIZE - 1}")
    assert out == b"last line"
    assert used < MOST
    again, used = tools(tmp_path, "artifact", "put", "large")
    assert json.loads(again)["outcome"] == "existing_reference"
    assert used < MOST
    whole, used = tools(tmp_path, "artifact", "get", made["reference"], "--budget", str(SIZE))
    assert (len(whole), used > SIZE) == (SIZE, True)


@pytest.mark.req("ADR0006-C01", "ADR0006-C02")
@pytest.mark.parametrize("size", [0, 99, 100, 101, 1_000_000])
def test_a_file_is_decided_upon_like_its_bytes(lab: Lab, tmp_path: Path, size: int) -> None:
    body = bytes(range(256)) * (size // 256 + 1)
    body = body[:size]
    file = tmp_path / "body"
    file.write_bytes(body)
    made, plain = lab.put(File(str(file))), lab.put(body)
    assert made.diagnostics.outcome == ("inline" if size <= 100 else "offloaded")
    assert (made.text, made.diagnostics.observed_bytes) == (plain.text, plain.diagnostics.observed_bytes)
    if size > 100:
        assert plain.diagnostics.outcome == "existing_reference"
        assert lab.bytes_at(digest(body)) == body


def test_a_file_that_changes_while_it_is_stored_is_not_stored(folder_lab: Lab, tmp_path: Path) -> None:
    file = tmp_path / "body"
    file.write_bytes(b"x" * 1_000)

    def changed() -> None:
        file.write_bytes(b"y" * 1_000)

    folder_lab.spy.before_write = changed
    made = folder_lab.put(File(str(file)))
    assert (made.diagnostics.outcome, made.diagnostics.reason) == ("failed", "workspace_write_failed")
    inner = folder_lab.spy.inner
    assert isinstance(inner, Folder)
    assert list(inner.stored()) == []
    assert [path for path in Path(inner.root).rglob("*") if path.name.endswith(".gsd-tmp")] == []


@pytest.mark.parametrize(("size", "whole"), [(39, True), (63, True), (66, False), (9_999, False)])
def test_the_ends_of_a_file(tmp_path: Path, size: int, whole: bool) -> None:
    file = tmp_path / "body"
    file.write_bytes(("ä\n" * size).encode()[:size])
    found = File(str(file)).ends(32)
    assert (found == file.read_bytes()) is whole
    assert len(found) <= 2 * 32 + 1
    if not whole:
        assert set(found.decode().splitlines()) <= {"ä", ""}
