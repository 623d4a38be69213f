"""A project whose work is done through `gsd-tools`, in this process."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from gsd_capabilities.companion import main
from gsd_capabilities.companion.project import Project, find

AT = "2026-12-01T00:00:00Z"


class Said(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What was answered, which was no error."""
        assert self.code == 0, self.err
        return json.loads(self.out)

    @property
    def reason(self) -> str:
        """Why it was refused."""
        assert self.code in {1, 2}, (self.code, self.out)
        found: str = json.loads(self.err)["reason"]
        return found


class Desk:
    """A folder with `.planning`, and whoever works there."""

    def __init__(self, folder: Path, environ: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        (folder / ".planning").mkdir(parents=True, exist_ok=True)
        self.environ = {"HOME": str(folder), **(environ or {})}

    @property
    def project(self) -> Project:
        return find(str(self.folder))

    @property
    def ledger(self) -> Path:
        return self.folder / ".planning" / "work" / "events.jsonl"

    def say(self, *words: str, stdin: bytes = b"", **environ: str) -> Said:
        """Run one command line, at a fixed moment unless it names another one."""
        streams = main.Streams(io.BytesIO(stdin), io.BytesIO(), io.BytesIO())
        code = main.run(["--json-errors", *words], streams, {**self.environ, **environ}, str(self.folder))
        out, err = streams.stdout, streams.stderr
        assert isinstance(out, io.BytesIO)
        assert isinstance(err, io.BytesIO)
        return Said(code, out.getvalue().decode(), err.getvalue().decode())

    def task(self, *words: str, to: str = "ann", **options: str) -> str:
        """Add a task, assigned to somebody; its id."""
        given = [f"--{name}={value}" for name, value in options.items()]
        found: str = self.say("task", "add", *(words or ("Build it",)), f"--to={to}", *given).json["id"]
        return found

    def running(self, *words: str, to: str = "ann", **options: str) -> str:
        """Add a task and start it; its id."""
        made = self.task(*words, to=to, **options)
        self.say("task", "start", made).json  # noqa: B018 - it must not be refused
        return made

    def in_review(self, *words: str, to: str = "ann", **options: str) -> str:
        """Add a task, start it and submit it; its id."""
        made = self.running(*words, to=to, **options)
        self.say("review", "submit", "--task", made).json  # noqa: B018 - as above
        return made

    def state(self, task: str) -> Any:
        """What is known of a task."""
        return self.say("task", "get", task).json
