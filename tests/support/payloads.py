"""An installed payload and a project with planning files, as the companion finds them."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gsd_capabilities.companion.main import Streams, run
from gsd_install.kernel.applicability import ATOMS

POINTER = "**When {meaning}:** read ~/.gsd/{path}, do what it says, then go on here."
HINTS = {
    "plan-phase": "<phase> [--research] [--prd <file>] [--reviews] [--chunked] [--auto]",
    "quick": "<task> [--discuss] [--research] [--validate] [--full]",
    "code-review": "[<phase> | --base <ref> | <path>...] [--fix] [--validate]",
    "update": "[--next] [--fix] [--forensic]",
    "autonomous": "[--from <n>] [--to <n>] [--converge]",
    "onboard": "[--ingest <path>...]",
    "progress": "[--forensic] [<question>]",
}


class Answer(NamedTuple):
    """What a command said."""

    code: int
    out: bytes
    err: str

    @property
    def json(self) -> dict[str, object]:
        """Its output as a JSON object."""
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value


class Box:
    """A home with a payload, and a project below it."""

    def __init__(self, folder: Path) -> None:
        self.home = folder
        self.payload = folder / ".gsd"
        self.project = folder / "work"
        self.project.mkdir(parents=True)
        (self.project / ".git").mkdir()
        self.table: dict[str, object] = {
            "format": 1,
            "content": "gsd",
            "version": "1.0",
            "prefix": "gsd",
            "workflows": {},
            "commands": {name: {"hint": hint} for name, hint in HINTS.items()},
            "agents": {"planner": {"effort": "heavy"}, "mapper": {"effort": "light"}},
            "context": None,
        }
        host = {"id": "claude", "title": "Claude Code", "invoke": "/{name}", "arguments": "$ARGUMENTS"}
        self.write(self.payload / "hosts" / "claude.json", json.dumps({**host, "tools": {}}))
        self.save()

    def write(self, path: Path, text: str | bytes) -> Path:
        """Write a file and its folders, byte for byte."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def save(self) -> None:
        """Write what the installer would write about the content."""
        self.write(self.payload / "gsd" / "companion.json", json.dumps(self.table))

    def workflow(self, name: str, parts: Sequence[str | tuple[str, str, str]], end: str = "\n") -> Path:
        """Install a workflow: texts, and sections as (id, when, text)."""
        body, sections = "", []
        for part in parts:
            if isinstance(part, str):
                body += part
                continue
            section, when, text = part
            path = f"content/gsd/workflows/{name}/steps/{section}.md"
            pointer = POINTER.format(meaning=ATOMS[when].meaning, path=path)
            self.write(self.payload / path, text)
            sections.append({"id": section, "when": when, "read": path, "pointer": pointer})
            body += pointer + end
        path = f"content/gsd/workflows/{name}.md"
        workflows = self.table["workflows"]
        assert isinstance(workflows, dict)
        workflows[name] = {"path": path, "sections": sections}
        self.save()
        return self.write(self.payload / path, body)

    def planning(self, name: str, text: str | bytes) -> Path:
        """Write a file below `.planning/`."""
        return self.write(self.project / ".planning" / name, text)

    def roadmap(self, phases: Mapping[str, str]) -> None:
        """Write a roadmap: mode by phase number."""
        rows = "".join(f"| {number} | Part {number} | pending | 0/0 | A-01 |\n" for number in phases)
        head = "# Roadmap: x, v1\n\n| phase | name | status | plans | requirements |\n|---|---|---|---|---|\n"
        sections = "".join(
            f"\n## Phase {number}: Part {number}\n\n**Goal:** it works.\n**Depends on:** nothing\n"
            f"**Requirements:** A-01\n**Mode:** {mode}\n"
            "**Success criteria:**\n\n- C1: seen\n\n**Notes:** none\n"
            for number, mode in phases.items()
        )
        self.planning("ROADMAP.md", head + rows + sections)

    def state(self, phase: str) -> None:
        """Write a STATE.md that stands at a phase."""
        fields = f"project: x\nmilestone: v1\nphase: {phase}\nstatus: pending\n"
        self.planning("STATE.md", f"---\n{fields}---\n\n# State\n")

    def run(self, *argv: str, stdin: bytes = b"", environ: Mapping[str, str] | None = None) -> Answer:
        """Run `gsd-tools` in the project."""
        streams = Streams(io.BytesIO(stdin), io.BytesIO(), io.BytesIO())
        out, err = streams.stdout, streams.stderr
        assert isinstance(out, io.BytesIO)
        assert isinstance(err, io.BytesIO)
        code = run(argv, streams, {"HOME": str(self.home), **(environ or {})}, str(self.project))
        return Answer(code, out.getvalue(), err.getvalue().decode())
