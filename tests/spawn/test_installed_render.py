"""What `render` prints is what is installed: the body, and the step files in the place of their pointers."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gsd_install.shipped import shipped_root
from support.installs import Machine, machine

WORKFLOWS = sorted(path.stem for path in Path(shipped_root(), "workflows").glob("*.md"))
_OPTION = re.compile(r"--[a-z][a-z-]*")


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    made = machine(tmp_path_factory.mktemp("render"))
    made.run("--runtime", "opencode", "--profile", "full").ok()
    return made


def answer(box: Machine, *words: str) -> bytes:
    tools = box.home / ".gsd" / "bin" / "gsd-tools"
    done = subprocess.run([tools, *words], cwd=box.project, env=box.env, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def sweep(hint: str) -> list[str]:
    """Nothing, a phase, every option by itself, and all at once."""
    options = list(dict.fromkeys(_OPTION.findall(hint)))
    return list(dict.fromkeys(["", "1", *(f"1 {option}" for option in options), f"2.1 {' '.join(options)}"]))


def installed(box: Machine, table: dict[str, Any], workflow: str, included: list[str]) -> bytes:
    """The installed body, each pointer line replaced by the step file it leads to, or by nothing."""
    root = box.home / ".gsd"
    entry = table["workflows"][workflow]
    text = (root / entry["path"]).read_bytes()
    for section in entry["sections"]:
        line = f"{section['pointer']}\n".encode()
        assert text.count(line) == 1
        text = text.replace(line, (root / section["read"]).read_bytes() if section["id"] in included else b"")
    return text


@pytest.mark.req("ADR1671-applicability-on-sections", "ADR1671-when-options-passed")
@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_render_prints_the_installed_bytes(box: Machine, workflow: str) -> None:
    table = json.loads((box.home / ".gsd" / "gsd" / "companion.json").read_bytes())
    different = set()
    for words in sweep(table["commands"][workflow]["hint"]):
        included = json.loads(answer(box, "init", workflow, words))["section_manifest"]["included"]
        printed = answer(box, "render", workflow, words)
        assert printed == installed(box, table, workflow, included), words
        different.add(printed)
    gated = {section["when"] for section in table["workflows"][workflow]["sections"]}
    if any(when.startswith("flag:") for when in gated):
        assert len(different) > 1
