"""A project in which agents work and learn: the verbs of the companion, asked without a process."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from gsd_capabilities.companion.main import Streams, run
from gsd_capabilities.companion.project import Project, find
from gsd_capabilities.work.clock import stamp
from gsd_capabilities.work.events import record
from gsd_install.kernel.learned import APPROVED

FIRST = datetime(2026, 12, 1, 9, tzinfo=UTC)
SKILL = "---\nname: {name}\ndescription: {name}, told in one line.\n{more}---\n\nDo it.\n"


def at(*, days: float = 0, hours: float = 0, seconds: float = 0) -> float:
    """A moment so long after the first one, in seconds of the epoch."""
    return (FIRST + timedelta(days=days, hours=hours, seconds=seconds)).timestamp()


class Office:
    """A project with planning files; `now` is the time of every verb that asks for it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.planning = folder / ".planning"
        self.planning.mkdir(parents=True)
        self.now = at()
        self.environ = {"HOME": str(folder), "TMPDIR": str(folder)}

    @property
    def project(self) -> Project:
        return find(str(self.folder))

    def said(
        self, *argv: str, stdin: bytes = b"", env: Mapping[str, str] | None = None
    ) -> tuple[int, str, str]:
        """The exit code and both outputs of one command line."""
        out, err = io.BytesIO(), io.BytesIO()
        streams = Streams(io.BytesIO(stdin), out, err)
        code = run(argv, streams, {**self.environ, **(env or {})}, str(self.folder))
        return code, out.getvalue().decode(), err.getvalue().decode()

    def __call__(self, *argv: str, as_: str = "", stdin: bytes = b"") -> Any:
        """What a verb answers, at the time of the office."""
        return self.plain(*argv, "--at", stamp(self.now), *(["--as", as_] if as_ else []), stdin=stdin)

    def plain(self, *argv: str, stdin: bytes = b"") -> Any:
        """What a verb answers that asks for no time."""
        code, out, err = self.said(*argv, stdin=stdin)
        assert code == 0, err
        return json.loads(out)

    def refused(self, *argv: str, stdin: bytes = b"") -> str:
        """The reason why a command line is refused."""
        code, out, err = self.said("--json-errors", *argv, stdin=stdin)
        assert (code in (1, 2), out) == (True, ""), (code, out, err)
        reason: str = json.loads(err)["reason"]
        return reason

    def task(
        self, title: str = "sort the photos", to: str = "ann", skills: str = "", calls: int | None = 0
    ) -> str:
        """A task that runs; without `calls` nobody counts them."""
        made: str = self("task", "add", title, "--to", to)["id"]
        self("task", "start", made, *(["--skills", skills] if skills else []), as_=to)
        if calls is not None:
            self("task", "call", "--task", made, "--count", str(calls), as_=to)
        return made

    def completed(self, *given: Any, **named: Any) -> tuple[str, str | None]:
        """A task that was completed, and the job that it led to."""
        made = self.task(*given, **named)
        return made, self("task", "complete", made)["learning"]["job"]

    def live(self, name: str, more: str = "", when: float | None = None) -> None:
        """A skill that a person approved."""
        folder = self.planning / "learned" / "skills" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "SKILL.md").write_text(SKILL.format(name=name, more=more), encoding="utf-8")
        record(self.project, APPROVED, name, who="olga", now=self.now if when is None else when)
