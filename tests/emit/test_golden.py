from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from emit import golden
from gsd_install.content.catalog import load
from gsd_install.content.model import FOLDERS, VERBS, Catalog
from gsd_install.content.select import specific_paths


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load(str(golden.SAMPLE))


@pytest.fixture(scope="module")
def pages() -> dict[str, Any]:
    """The golden trees as they stand on disk, by `<runtime>-<scope>`."""
    found = {name: data for name, data in golden.stored().items() if name.endswith(".json")}
    return {name.removesuffix(".json"): json.loads(data) for name, data in found.items()}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The golden files, free to be changed."""
    return Path(shutil.copytree(golden.GOLDEN, tmp_path / "golden"))


def test_what_is_emitted_is_what_was_written_down() -> None:
    assert golden.differences(golden.stored(), golden.render()) == []


# Runtimes without a place in that scope: only what is specific to them is emitted, and nothing installs it.
NOTHING_DISCOVERED = {"hermes-project", "jetbrains-ai-global"}


def test_every_shipped_runtime_is_written_down_in_both_scopes(pages: dict[str, Any]) -> None:
    assert set(pages) == {
        f"{runtime}-{scope}" for runtime in golden.shipped() for scope in ("global", "project")
    }
    modules = {path.stem for path in (golden.ROOT / "plugins" / "gsd_runtimes").glob("*.py")} - {"__init__"}
    assert {value.rpartition(".")[2] for value in golden.declared().values()} == modules
    assert len(modules) >= 4
    for name, page in pages.items():
        assert len(page["own"]) >= (2 if name in NOTHING_DISCOVERED else 6), name
        assert len(page["shared"]) == 5, name


def test_the_sample_has_every_kind_placeholder_and_rule(catalog: Catalog) -> None:
    assert {document.kind for document in catalog.documents} == set(FOLDERS)
    assert {p.verb for document in catalog.documents for p in document.placeholders} == set(VERBS)
    sections = [section for document in catalog.documents for section in document.sections]
    assert {section.hold.partition(":")[0] for section in sections} >= {"", "keep", "isolate", "shrink"}
    assert sum(bool(section.id) for section in sections) >= 3
    assert {asset.kind for asset in catalog.assets} == {"skill", "hook"}
    assert any(b"\xff" in asset.data for asset in catalog.assets)
    assert catalog.hooks
    assert len(catalog.servers) == 2
    assert catalog.start
    specific = specific_paths(catalog.documents)
    assert specific
    assert {document.path for document in catalog.documents if document.kind == "workflow"} - specific
    sources = "".join(path.read_text(encoding="utf-8") for path in golden.SAMPLE.rglob("*.md"))
    assert "{{gsd:" in sources
    assert "<!-- gsd:literal -->" in sources
    assert "```" in sources


@pytest.mark.req("ADR1671-no-multiplication")
@pytest.mark.parametrize("scope", golden.SCOPES)
def test_shared_texts_are_the_same_for_every_runtime(pages: dict[str, Any], scope: str) -> None:
    one, *others = [page["shared"] for name, page in pages.items() if name.endswith(scope)]
    assert len(others) >= 3
    assert all(other == one for other in others)


@pytest.mark.req("ADR1671-markers-stripped", "ADR1671-agents-composed")
@pytest.mark.case("MS-09")
@pytest.mark.parametrize("scope", golden.SCOPES)
def test_no_marker_and_no_placeholder_comes_out(catalog: Catalog, scope: Any) -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in golden.SAMPLE.rglob("*.md")}
    marked = {path.parent.name for path, text in texts.items() if "<!-- gsd:keep" in text}
    assert marked >= {"agents", "workflows"}
    plugins = golden._plugins()
    for runtime in golden.shipped():
        found = golden.emitted(catalog, plugins.get(runtime), scope)
        for output in (*found.own, *found.shared, *found.scripts):
            text = output.data.decode("utf-8", "replace")
            assert "<!-- gsd:" not in text, output.path
            assert "<!-- /gsd:" not in text, output.path
            # One escaped placeholder, and one in a literal region.
            assert text.count("{gsd:") == (
                output.source in {"commands/make-notes.md", "references/deep/style.md"}
            )


def test_a_change_of_a_golden_file_turns_the_check_red_and_is_named(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert golden.main(["--check"], copy) == 0
    page = copy / "codex-global.json"
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace('"executable": true', '"executable": false', 1), encoding="utf-8")
    assert golden.main(["--check"], copy) == 1
    said = capsys.readouterr().err
    assert "changed  codex-global.json" in said
    assert "tidy.py" in said
    assert "fix: python tests/emit/golden.py --write" in said


def test_missing_and_extra_files_turn_the_check_red(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (copy / "claude-project.json").unlink()
    (copy / "text" / "old.md").write_text("x")
    assert golden.main(["--check"], copy) == 1
    said = capsys.readouterr().err
    assert "extra    claude-project.json" in said
    assert "missing  text/old.md" in said


def test_an_empty_set_is_red(tmp_path: Path) -> None:
    (tmp_path / "golden").mkdir()
    assert golden.main(["--check"], tmp_path / "golden") == 1


def test_writing_makes_the_check_green_and_leaves_nothing_old(copy: Path) -> None:
    (copy / "gone-global.json").write_text("{}")
    (copy / "text" / "workflow.md").write_text("x")
    shutil.rmtree(copy / "text")
    assert golden.main(["--write"], copy) == 0
    assert golden.main(["--check"], copy) == 0
    assert golden.stored(copy) == golden.stored()


def _seeded(folder: Path, path: str, old: str, new: str) -> dict[str, bytes]:
    """What is emitted for the sample with one source changed."""
    sample = Path(shutil.copytree(golden.SAMPLE, folder / "sample"))
    text = (sample / path).read_text(encoding="utf-8")
    assert old in text
    (sample / path).write_text(text.replace(old, new, 1), encoding="utf-8", newline="")
    return golden.render(sample)


@pytest.mark.req("ADR1671-attribution")
@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("commands/show-notes.md", "the newest first", "the oldest first"),
        ("agents/note-reader.md", "access: read", "access: write"),
        ("references/deep/style.md", "One thought", "A thought"),
        ("workflows/make-notes.md", "in this order", "in that order"),
        ("skills/tidy-notes/scripts/tidy.py", "#!/usr/bin/env python3\n", ""),
    ],
)
def test_a_changed_source_turns_up_in_its_own_outputs_and_nowhere_else(
    tmp_path: Path, path: str, old: str, new: str
) -> None:
    found = golden.differences(golden.stored(), _seeded(tmp_path, path, old, new))
    pages = [line for line in found if line.startswith("    +") and '"sha256"' in line]
    assert pages
    assert all(f'"from": "{path} ' in line for line in pages)
    gone = [line for line in found if line.startswith("    -") and '"sha256"' in line]
    assert len(gone) == len(pages)


def test_a_source_less_and_a_source_more_are_seen(tmp_path: Path) -> None:
    sample = Path(shutil.copytree(golden.SAMPLE, tmp_path / "sample"))
    (sample / "agents" / "note-reader.md").rename(sample / "agents" / "note-critic.md")
    for file in sample.rglob("*.md"):
        file.write_text(
            file.read_text(encoding="utf-8").replace("note-reader", "note-critic"), encoding="utf-8"
        )
    said = "\n".join(golden.differences(golden.stored(), golden.render(sample)))
    assert '    -  "~/.claude/agents/smp-note-reader.md"' in said
    assert '    +  "~/.claude/agents/smp-note-critic.md"' in said


@pytest.mark.req("ADR1671-deterministic")
@pytest.mark.case("EN-03")
def test_the_machine_has_no_say_in_what_is_emitted(tmp_path: Path) -> None:
    """Another directory, hash seed and locale, and variables that would move every home."""
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONHASHSEED": "7",
        "CLAUDE_CONFIG_DIR": "/elsewhere",
        "XDG_CONFIG_HOME": "/elsewhere",
        "GSD_HOME": "/elsewhere",
    }
    command = [sys.executable, str(golden.HERE / "golden.py"), "--check"]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_texts_are_shown_for_every_dialect_that_is_used() -> None:
    shown = {path: data for path, data in golden.stored().items() if path.startswith("text/")}
    assert set(shown) == {f"text/{item.name}" for item in golden.SHOWN}
    assert 4 <= len(shown) <= 8
    assert shown["text/command-as-markdown.md"].startswith(b"---\n")
    assert shown["text/command-as-plain-text.md"].startswith(b"# ")
    assert b"\ndeveloper_instructions = '''\n" in shown["text/agent-as-toml.toml"]
    assert shown["text/command-as-pointer.md"].count(b"\n") < 8


def test_a_text_that_is_not_emitted_cannot_be_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = golden.Shown("x.md", "claude", "global", "~/nowhere.md")
    monkeypatch.setattr(golden, "SHOWN", (nowhere,))
    with pytest.raises(LookupError, match=r"claude gets no ~/nowhere\.md"):
        golden.render()
