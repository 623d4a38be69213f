"""Our own agent before a scripted provider, through the command line of the companion."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from gsd_capabilities.companion.main import Streams, run
from gsd_capabilities.companion.project import Project, find
from gsd_capabilities.work.events import Event, events
from support.scripted_model import Model

AT = "2026-12-01T00:00:00Z"
RESERVE = 4_096 + 500


class Done(NamedTuple):
    """What a command came to."""

    code: int
    out: str
    err: str

    @property
    def answer(self) -> Any:
        """The JSON on standard output."""
        return json.loads(self.out)

    @property
    def reason(self) -> str:
        """Why it failed; with `--json-errors`."""
        found: str = json.loads(self.err)["reason"]
        return found


class Desk:
    """A project and a provider."""

    def __init__(self, root: Path, model: Model) -> None:
        self.root, self.model = root, model
        (root / ".planning").mkdir(parents=True, exist_ok=True)

    @property
    def project(self) -> Project:
        """The project as it is now."""
        return find(str(self.root))

    def tools(
        self, *words: str, stdin: bytes = b"", environ: Mapping[str, str] = MappingProxyType({})
    ) -> Done:
        """`gsd-tools` with these words."""
        out, err = io.BytesIO(), io.BytesIO()
        home = {"HOME": str(self.root), "TMPDIR": str(self.root), **environ}
        argv = ["--json-errors", *words]
        code = run(argv, Streams(io.BytesIO(stdin), out, err), home, str(self.root))
        return Done(code, out.getvalue().decode(), err.getvalue().decode())

    def agent(self, *words: str, at: str = AT, environ: Mapping[str, str] = MappingProxyType({})) -> Done:
        """`gsd-tools agent` before the provider, at a moment that stands still."""
        given = ("--url", self.model.url, "--model", "m", "--at", at)
        return self.tools("agent", *words, *given, environ=environ)

    def events(self, *kinds: str) -> list[Event]:
        """What is recorded."""
        return events(self.project, kinds)
