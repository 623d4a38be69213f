"""An object store as the store of a project: chosen by the user's settings, and by nothing else.

The S3 of these tests is a server on this machine.
"""

from __future__ import annotations

import base64
import http.client
import io
import json
import os
import re
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, Self

import pytest

from gsd_capabilities.companion.main import Streams, run

BODY = "".join(f"line {number}\n" for number in range(1, 5_001)).encode()


class Done(NamedTuple):
    code: int
    out: bytes
    err: str


def desk(root: Path, settings: Mapping[str, object], *, personal: bool = True) -> tuple[Path, dict[str, str]]:
    """A project, and the environment of a user with these settings."""
    home, project = root / "home", root / "project"
    (project / ".planning").mkdir(parents=True, exist_ok=True)
    file = home / ".config/gsd/config.json" if personal else project / ".planning/config.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(settings))
    return project, {"HOME": str(home), "GSD_HOME": str(home / "none")}


def here(project: Path, environ: Mapping[str, str], *argv: str, stdin: bytes = b"") -> Done:
    """`gsd-tools` in this process."""
    out, err = io.BytesIO(), io.BytesIO()
    code = run(["--json-errors", *argv], Streams(io.BytesIO(stdin), out, err), environ, str(project))
    return Done(code, out.getvalue(), err.getvalue().decode())


# Each line of the input is one command line with its standard input, each line of the output what it did.
_SERVANT = """
import base64, io, json, os, sys
from gsd_capabilities.companion.main import Streams, run
for line in sys.stdin:
    argv, stdin = json.loads(line)
    out, err = io.BytesIO(), io.BytesIO()
    code = run(argv, Streams(io.BytesIO(base64.b64decode(stdin)), out, err), os.environ)
    print(json.dumps([code, base64.b64encode(out.getvalue()).decode(), err.getvalue().decode()]), flush=True)
"""


class Elsewhere:
    """`gsd-tools` in another process, with other variables; importing a client of S3 takes a second."""

    def __init__(self, project: Path, environ: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _SERVANT], cwd=project, env=dict(environ), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate()

    def __call__(self, *argv: str, stdin: bytes = b"") -> Done:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        order = ["--json-errors", *argv], base64.b64encode(stdin).decode()
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        code, out, err = json.loads(self.process.stdout.readline())
        return Done(code, base64.b64decode(out), err)


def round_trip(tools: Callable[..., Done], project: Path) -> str:
    """Put, list, get, put again, lose: the same answers as from a folder. The path of the artifact."""
    (project / "result").write_bytes(BODY)
    made = json.loads(tools("artifact", "put", "result", "--tool", "grep").out)
    assert (made["outcome"], made["output_bytes"]) == ("offloaded", 82)
    reference = made["reference"]
    assert json.loads(tools("artifact", "put", stdin=BODY).out)["outcome"] == "existing_reference"
    [row] = json.loads(tools("artifact", "list").out)
    assert (row["reference"], row["size"], row["tool"], row["present"]) == (
        reference,
        len(BODY),
        "grep",
        True,
    )
    assert tools("artifact", "get", reference, "--lines", "2-3").out == b"line 2\nline 3\n"
    assert tools("artifact", "get", reference, "--budget", "100000").out == BODY
    assert json.loads(tools("artifact", "get", reference, "--budget", "10").err)["reason"] == "over_budget"
    place = tools("artifact", "path", reference).out.decode().strip()
    assert json.loads(tools("artifact", "gc", "--max-bytes", "0", "--dry-run").out)["removed"] == [reference]
    assert json.loads(tools("artifact", "gc", "--max-bytes", "0").out)["removed"] == [reference]
    assert json.loads(tools("artifact", "get", reference).err)["reason"] == "missing"
    assert json.loads(tools("artifact", "put", stdin=BODY).out)["outcome"] == "offloaded"
    return place


def no_bytes_in(project: Path) -> bool:
    """Whether the project's own folder holds nothing but its log."""
    folder = project / ".planning" / "artifacts"
    return {path.name for path in folder.rglob("*") if path.is_file()} == {".gitignore", "decisions"}


@pytest.mark.req("ADR0006-object-store")
def test_the_users_settings_choose_the_store(tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    address = f"memory://{uuid.uuid4().hex}/below"
    project, environ = desk(tmp_path, {"artifacts": {"store": address}})
    place = round_trip(lambda *argv, stdin=b"": here(project, environ, *argv, stdin=stdin), project)
    assert place.startswith("/" + address.removeprefix("memory://"))
    assert no_bytes_in(project)


@pytest.mark.req("ADR0006-object-store")
def test_projects_that_share_a_store_share_bytes_and_no_reference(tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    settings = {"artifacts": {"store": f"memory://{uuid.uuid4().hex}"}}
    one, environ = desk(tmp_path / "one", settings)
    two, other = desk(tmp_path / "two", settings)
    reference = json.loads(here(one, environ, "artifact", "put", stdin=BODY).out)["reference"]
    assert json.loads(here(two, other, "artifact", "get", reference).err)["reason"] == "unauthorized"
    assert json.loads(here(two, other, "artifact", "list").out) == []
    again = json.loads(here(two, other, "artifact", "put", stdin=BODY).out)
    assert (again["outcome"], again["reference"]) == ("existing_reference", reference)
    assert here(two, other, "artifact", "get", reference, "--lines", "1").out == b"line 1\n"


@pytest.mark.req("ADR0006-object-store")
def test_a_project_cannot_choose_the_store(tmp_path: Path) -> None:
    settings = {"artifacts": {"store": "nosuchprotocol://elsewhere"}}
    project, environ = desk(tmp_path, settings, personal=False)
    made = json.loads(here(project, environ, "artifact", "put", stdin=BODY).out)
    place = here(project, environ, "artifact", "path", made["reference"]).out.decode().strip()
    assert Path(place).read_bytes() == BODY
    unknown = json.loads(here(project, environ, "config", "list").out)["unknown"]
    assert unknown == [
        {"key": "artifacts.store", "where": ".planning/config.json", "nearest": "artifacts.store"}
    ]


@pytest.mark.parametrize(
    ("address", "missing", "reason"),
    [("nosuchprotocol://x", False, "bad_store"), ("memory://x", True, "no_fsspec")],
)
def test_a_store_that_is_not_there_is_named_and_nothing_takes_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, missing: bool, reason: str
) -> None:
    pytest.importorskip("fsspec")
    if missing:
        monkeypatch.setitem(sys.modules, "fsspec", None)
    project, environ = desk(tmp_path, {"artifacts": {"store": address}})
    done = here(project, environ, "artifact", "put", stdin=BODY)
    told = json.loads(done.err)
    assert (done.code, done.out, told["reason"], bool(told["hint"])) == (1, b"", reason, True)
    assert not (project / ".planning" / "artifacts").exists()


# --- S3 ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def s3() -> Iterator[dict[str, str]]:
    """A server that speaks S3, with the bucket `kept`: the variables that lead clients to it."""
    pytest.importorskip("s3fs")
    pytest.importorskip("moto")
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-p", "0"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert server.stderr is not None
    try:
        lines = iter(server.stderr.readline, b"")
        port = next(int(found[1]) for line in lines if (found := re.search(rb"http://[\d.]+:(\d+)", line)))
        link = http.client.HTTPConnection("127.0.0.1", port)
        link.request("PUT", "/kept")
        assert link.getresponse().status == 200
        link.close()
        yield {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", "AWS_ACCESS_KEY_ID": "id",
            "AWS_SECRET_ACCESS_KEY": "key", "AWS_DEFAULT_REGION": "us-east-1",
        }  # fmt: skip
    finally:
        server.terminate()
        server.communicate()


@pytest.mark.req("ADR0006-object-store")
def test_s3_is_the_store(tmp_path: Path, s3: dict[str, str]) -> None:
    project, environ = desk(tmp_path, {"artifacts": {"store": "s3://kept/of/mine"}})
    environ |= s3 | {"PATH": os.environ["PATH"]}
    with Elsewhere(project, environ) as tools:
        place = round_trip(tools, project)
    assert place.startswith("kept/of/mine/")
    assert no_bytes_in(project)


@pytest.mark.parametrize("settings", [{"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}, {"bucket": "none"}])
def test_an_s3_that_fails_is_a_known_error(
    tmp_path: Path, s3: dict[str, str], settings: dict[str, str]
) -> None:
    project, environ = desk(tmp_path, {"artifacts": {"store": f"s3://{settings.get('bucket', 'kept')}/x"}})
    environ |= s3 | {"PATH": os.environ["PATH"], "AWS_MAX_ATTEMPTS": "1"} | settings
    with Elsewhere(project, environ) as tools:
        done = tools("artifact", "put", stdin=BODY)
    told = json.loads(done.err)
    assert (done.code, done.out) == (1, b"")
    assert told["reason"] in ("workspace_read_failed", "workspace_write_failed")
