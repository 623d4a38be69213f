from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from gsd_install.cli.main import run
from gsd_install.content.catalog import load
from gsd_install.emit.emit import emit
from gsd_install.plugins import Plugins
from gsd_install.runtime import Cap
from gsd_install.shipped import shipped_root
from support.content import HEAD, content_root, target_of
from support.installs import FOUR, Machine, machine
from support.plugins import overlays

FILLER = "word " * 30
AGENT = f"""---
description: Makes plans
tools: [read]
tier: core
---

<!-- gsd:isolate -->
# Planner

You plan.
<!-- /gsd:isolate -->

## Steps

Read {{gsd:path references/deep.md}}, then ask {{gsd:agent planner}}.

{FILLER}

## More

<!-- gsd:literal -->
{{gsd:path nothing}}
<!-- /gsd:literal -->
after the literal

{FILLER}

<!-- gsd:drop -->
## Examples

{FILLER}
<!-- /gsd:drop -->
<!-- gsd:keep -->
## You return

```text
done
```
<!-- /gsd:keep -->
"""
WORKFLOW = """# Plan

first
<!-- gsd:section id="research" when="flag:--research" -->
search the files
twice
<!-- /gsd:section -->
between
<!-- gsd:section id="auto" when="flag:--auto" -->
go on
<!-- /gsd:section -->
last
"""
FILES: Mapping[str, str] = {
    "agents/planner.md": AGENT,
    "commands/plan.md": (
        f"---\ndescription: Plans\ntier: core\n---\nRead {{gsd:path workflows/plan.md}}\n{FILLER * 2}\n"
    ),
    "workflows/plan.md": WORKFLOW + "Ask {gsd:agent planner}.\n",
    "references/deep.md": "\n\nText.\n",
    "skills/tidy/SKILL.md": "---\ndescription: Tidies\n---\n\n\n\nRun {gsd:path skills/tidy/tidy.py}.\n",
    "skills/tidy/tidy.py": "#!/usr/bin/env python3\nprint('tidy')\n",
    "skills/tidy/icon.bin": "",
    "rules/loop.md": "\n\nKeep it short.\n",
    "hooks/hooks.toml": '[[hook]]\nid = "hello"\nevent = "session-start"\nscript = "hello.py"\n',
    "hooks/hello.py": "print('hello')\n",
}


def explained(box: Machine, path: Path | str, *more: str) -> dict[str, Any]:
    """What `explain --json` says, from this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run(["explain", str(path), "--home", str(box.home), "--json", *more])
    document: dict[str, Any] = json.loads(out.getvalue())
    assert code == document["exit_code"], err.getvalue()
    return document


def data_of(box: Machine, path: Path | str, *more: str) -> dict[str, Any]:
    document = explained(box, path, *more)
    assert document["exit_code"] == 0, document
    data: dict[str, Any] = document["data"]
    return data


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = content_root(tmp_path_factory.mktemp("content"), FILES, head=HEAD)
    (folder / "skills" / "tidy" / "icon.bin").write_bytes(b"\x00\xff\xfe")
    return folder


@pytest.fixture(scope="module")
def box(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """Two runtimes, one with Markdown and one with TOML for its agents."""
    made = machine(tmp_path_factory.mktemp("box"))
    command = ("--runtime", "claude", "--runtime", "codex", "--content", str(root), "--profile", "full")
    made.run(*command, "--with", "hooks,instructions").ok()
    return made


def installed(box: Machine) -> list[Path]:
    """Every file of ours."""
    names = (".claude", ".codex", ".agents", ".gsd", ".config", ".codeium")
    paths = [path for name in names for path in sorted((box.home / name).rglob("*")) if path.is_file()]
    return [
        path for path in paths if path.name not in ("settings.json", "hooks.json", "CLAUDE.md", "AGENTS.md")
    ]


def pieces(text: str) -> list[str]:
    """A line of source between its placeholders."""
    return re.split(r"\{gsd:[^}]*\}|\{\{gsd:", text)


def check_stretches(path: Path, told: Mapping[str, Any]) -> int:
    """Every line of the file is explained once, and is made of the source line that is named; how many."""
    lines = path.read_text(encoding="utf-8").splitlines()
    source = Path(told["source_file"]).read_text(encoding="utf-8").splitlines()
    seen: list[int] = []
    for stretch in told["stretches"]:
        first, last = stretch["lines"]
        seen += range(first, last + 1)
        if stretch["what"] in ("frontmatter", "launcher", "pointer"):
            continue
        start, end = stretch["source_lines"]
        assert end - start == last - first
        for offset in range(last - first + 1):
            here, there = lines[first - 1 + offset], source[start - 1 + offset]
            at = 0
            for piece in pieces(there):
                assert piece in here[at:], (path, last, here, there)
                at = here.index(piece, at) + len(piece)
            if "{gsd:" not in there:
                assert here == there
    assert seen == list(range(1, len(lines) + 1)), path
    return len(lines)


def test_every_line_of_every_file_is_traced_to_its_source(box: Machine) -> None:
    checked = {}
    for path in installed(box):
        told = data_of(box, path)
        if told["stretches"] is None:
            assert path.name == "icon.bin" or told["source_file"] is None
            continue
        checked[path.relative_to(box.home).as_posix()] = check_stretches(path, told)
    assert len(checked) >= 12
    assert {Path(path).suffix for path in checked} == {".md", ".toml", ".py"}


def test_every_line_of_the_shipped_content_is_traced(tmp_path: Path) -> None:
    box = machine(tmp_path)
    box.run(*(word for runtime in FOUR for word in ("--runtime", runtime))).ok()
    paths = installed(box)
    assert len(paths) > 200
    for path in paths[::9]:
        told = data_of(box, path)
        if told["source_file"] is None:
            assert told["kind"] in ("code", "launcher", "manifest")
            continue
        assert Path(told["source_file"]).is_relative_to(Path(shipped_root()).parents[1])
        assert check_stretches(path, told)


@pytest.mark.parametrize(
    ("runtime", "path"),
    [("claude", ".claude/commands/gsd-plan-phase.md"), ("codex", ".agents/skills/gsd-plan-phase/SKILL.md")],
)
def test_what_sends_a_command_to_the_companion_is_told_apart(tmp_path: Path, runtime: str, path: str) -> None:
    box = machine(tmp_path)
    box.run("--runtime", runtime).ok()
    told = data_of(box, box.home / path)
    lines = (box.home / path).read_text(encoding="utf-8").split("\n")
    source = Path(told["source_file"]).read_text(encoding="utf-8").split("\n")
    [ours] = [item["lines"] for item in told["stretches"] if item["what"] == "launcher"]
    assert "bin/gsd-tools render plan-phase" in "\n".join(lines[ours[0] - 1 : ours[1]])
    for item in told["stretches"]:
        if item["what"] == "text":
            (first, last), (start, end) = item["lines"], item["source_lines"]
            pairs = zip(lines[first - 1 : last], source[start - 1 : end], strict=True)
            assert all(shown == text or "{gsd:" in text for shown, text in pairs)


def test_an_agent_in_toml(box: Machine) -> None:
    told = data_of(box, box.home / ".codex" / "agents" / "ac-planner.toml")
    assert (told["path"], told["source"], told["kind"], told["rendition"]) == (
        "~/.codex/agents/ac-planner.toml",
        "agents/planner.md",
        "agent",
        "full",
    )
    assert told["owners"] == ["codex:acme"]
    assert told["bytes"] == (box.home / ".codex" / "agents" / "ac-planner.toml").stat().st_size
    assert (told["fit"], told["exists"]) == (None, True)
    lines = AGENT.splitlines()
    rows = [(row["what"], row["source_lines"] or [0, 0]) for row in told["stretches"]]
    assert rows[0][0] == rows[-1][0] == "frontmatter"
    assert [what for what, _ in rows[1:-1]] == ["isolate", "isolate", "text", "text", "text", "drop", "keep"]
    assert lines[dict(rows)["keep"][0] - 1] == "## You return"
    assert lines[dict(rows)["drop"][0] - 1] == "## Examples"
    starts = [lines[first - 1] for what, (first, _) in rows if what == "text"]
    assert starts == ["", "{gsd:path nothing}", "after the literal"]


def test_a_workflow_and_its_steps(box: Machine) -> None:
    folder = box.home / ".gsd" / "content" / "acme" / "workflows"
    told = data_of(box, folder / "plan.md")
    assert told["owners"] == ["claude:acme", "codex:acme"]
    assert [(row["what"], row["lines"], row["source_lines"]) for row in told["stretches"]] == [
        ("text", [1, 3], [1, 3]),
        ("pointer", [4, 4], None),
        ("text", [5, 5], [8, 8]),
        ("pointer", [6, 6], None),
        ("text", [7, 8], [12, 13]),
    ]
    assert [item["rendition"] for item in told["elsewhere"]] == ["step research", "step auto"]
    step = data_of(box, folder / "plan" / "steps" / "research.md")
    assert step["rendition"] == "step research"
    assert [row["source_lines"] for row in step["stretches"]] == [[5, 6]]


def test_an_entry_in_a_file_of_the_users(box: Machine) -> None:
    told = data_of(box, box.home / ".codex" / "AGENTS.md")
    assert told == {
        "path": "~/.codex/AGENTS.md",
        "entries": [{"pointer": ["acme"], "owners": ["codex:acme"]}],
    }
    text = box.run("explain", str(box.home / ".codex" / "AGENTS.md")).ok().out
    assert text.splitlines() == ["~/.codex/AGENTS.md is yours; of ours it holds", "  acme  for codex:acme"]


@pytest.mark.parametrize("name", ["nothing.md", "work/project"])
def test_what_is_not_ours_is_refused_with_a_hint(box: Machine, name: str) -> None:
    document = explained(box, box.home / name)
    [error] = document["errors"]
    assert (document["exit_code"], error["reason"], error["hint"]) == (
        1,
        "not_ours",
        "gsd-install status lists what is installed",
    )


def test_a_file_that_was_deleted_and_one_that_is_stale(root: Path, tmp_path: Path) -> None:
    box = machine(tmp_path)
    own = content_root(tmp_path / "own", {**FILES, "commands/old.md": FILES["commands/plan.md"]})
    box.run("--runtime", "claude", "--content", str(own)).ok()
    deleted = box.home / ".claude" / "commands" / "ac-plan.md"
    deleted.unlink()
    assert data_of(box, deleted)["exists"] is False
    assert "(deleted)" in box.run("explain", str(deleted)).ok().out
    (own / "commands" / "old.md").unlink()
    [error] = explained(box, box.home / ".claude" / "commands" / "ac-old.md")["errors"]
    assert (error["reason"], "upgrade" in error["hint"]) == ("stale", True)


def test_a_project_is_found_by_its_file(root: Path, tmp_path: Path) -> None:
    box = machine(tmp_path)
    content_root(box.project / "content", FILES)
    box.run("--runtime", "claude", "--scope", "project", "--content", "content").ok()
    told = box.run("explain", ".claude/agents/ac-planner.md", "--json").ok().json["data"]
    assert told["path"] == ".claude/agents/ac-planner.md"
    assert check_stretches(box.project / told["path"], told) > 20


# What was fitted.


@pytest.fixture(scope="module")
def fitted(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Machine:
    folder = tmp_path_factory.mktemp("fitted")
    made = machine(folder)
    lossy = next(limit for limit in range(700, 100, -1) if "left out" in _warning(root, limit))
    env = overlays(
        folder / "overlay",
        claude=f'Cap("agent", {lossy}),',
        windsurf='Cap("command", 300), Cap("agent", 700),',
    )
    command = ("--runtime", "claude", "--runtime", "windsurf", "--content", str(root), "--profile", "full")
    made.run(*command, env=env).ok()
    (folder / "env").write_text(env["PYTHONPATH"])
    return made


def _warning(root: Path, limit: int) -> str:
    """What Claude Code's agent is warned about under a cap."""
    catalog = load(str(root))
    plugin = Plugins().get("claude")
    found = emit(catalog, catalog.documents, target_of(plugin.runtime), (Cap("agent", limit),), {})
    return " ".join(found.warnings)


def told_of(box: Machine, path: str) -> dict[str, Any]:
    env = {"PYTHONPATH": (box.home.parent / "env").read_text(), "PYTHONDONTWRITEBYTECODE": "1"}
    data: dict[str, Any] = box.run("explain", str(box.home / path), "--json", env=env).ok().json["data"]
    return data


def test_moved_parts_name_the_cap_that_forced_them_and_where_they_went(fitted: Machine) -> None:
    path = ".codeium/windsurf/agents/ac-planner.md"
    told = told_of(fitted, path)
    fit = told["fit"]
    whole = fit["size"]
    assert (fit["limit"], fit["unit"], fit["on_excess"], fit["source"]) == (700, "bytes", "refuse", "unknown")
    assert whole > 700 >= told["bytes"]
    [cap] = [cap for cap in told["caps"] if cap["field"] is None]
    assert (cap["used"], cap["limit"]) == (told["bytes"], 700)
    parts = {part["part"]: part for part in fit["parts"]}
    assert (parts["You return"]["rendition"], parts["You return"]["reason"]) == ("full", "load-bearing")
    moved = {name: part for name, part in parts.items() if part["rendition"] == "pointer"}
    assert moved
    for name, part in moved.items():
        assert part["reason"] in ("budget", "restored"), name
        assert part["size"] > part["left"]
        there = told_of(fitted, part["path"].removeprefix("~/"))
        assert there["rendition"].startswith("part ")
        assert check_stretches(fitted.home / part["path"].removeprefix("~/"), there)
    assert check_stretches(fitted.home / path, told)
    pointers = [row for row in told["stretches"] if row["what"] == "pointer"]
    assert len(pointers) == len(moved)


def test_what_was_left_out_is_told(fitted: Machine) -> None:
    told = told_of(fitted, ".claude/agents/ac-planner.md")
    gone = [part for part in told["fit"]["parts"] if part["rendition"] == "omitted"]
    assert [(part["part"], part["left"], part["path"]) for part in gone] == [("Examples", 0, None)]
    [note] = [row for row in told["stretches"] if row["what"] == "pointer"][-1:]
    text = (fitted.home / ".claude/agents/ac-planner.md").read_text(encoding="utf-8")
    assert text.splitlines()[note["lines"][1] - 1].startswith("[to fit ")
    assert check_stretches(fitted.home / ".claude/agents/ac-planner.md", told)


def test_a_pointer_form_is_told_with_the_size_that_was_too_much(fitted: Machine) -> None:
    path = ".codeium/windsurf/global_workflows/ac-plan.md"
    told = told_of(fitted, path)
    assert (told["rendition"], told["fit"]["limit"], told["fit"]["parts"]) == ("pointer", 300, [])
    assert [item["path"] for item in told["elsewhere"]] == ["~/.codeium/windsurf/acme/commands/plan.md"]
    assert [row["what"] for row in told["stretches"]] == ["frontmatter", "pointer"]


def test_people_read_the_same_in_words(fitted: Machine) -> None:
    env = {"PYTHONPATH": (fitted.home.parent / "env").read_text(), "PYTHONDONTWRITEBYTECODE": "1"}
    path = fitted.home / ".codeium" / "windsurf" / "agents" / "ac-planner.md"
    lines = fitted.run("explain", str(path), env=env).ok().out.splitlines()
    assert lines[:3] == [
        "~/.codeium/windsurf/agents/ac-planner.md",
        "  from       agents/planner.md (agent), rendition: full",
        "  needed by  windsurf:acme",
    ]
    text = "\n".join(lines)
    assert re.search(r"^  limit      \d+ of 700 bytes \(unknown\)$", text, re.MULTILINE)
    assert re.search(r"^  fitted     it would have [\d,]+ of 700 bytes", text, re.MULTILINE)
    assert re.search(r"^  moved      \w.*: \d+ bytes, \d+ left here: ~/\.codeium/.*\.md$", text, re.MULTILINE)
    assert re.search(r"^  kept       You return: \d+ bytes, load-bearing$", text, re.MULTILINE)
    assert re.search(r"^  lines      \d+-\d+ +agents/planner.md:\d+-\d+  keep$", text, re.MULTILINE)
