"""Cases of the command line: nobody to ask, nothing to see, nothing to write, and keys for one host alone."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from gsd_install.cli.diff import masked
from gsd_install.testing.trees import file_stamps
from support.bundle import EVERY_KIND, bundle, put
from support.foreign import write
from support.installs import Machine, machine
from support.trees import assert_same, differences

SECRETS = '{"mcpServers": {"docs": {"command": "d", "env": {"TOKEN": "s3cr3t-value"}}}}\n'


@pytest.fixture
def box(tmp_path: Path) -> Machine:
    return machine(tmp_path / "machine")


def with_open_pipe(box: Machine, *words: str) -> tuple[int, str]:
    """Exit code and errors of a run whose standard input stays open and never says anything."""
    reading, writing = os.pipe()
    try:
        done = subprocess.run(
            [box.script, *words],
            cwd=box.project,
            env=box.env,
            stdin=reading,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
    finally:
        os.close(reading)
        os.close(writing)
    return done.returncode, done.stderr


@pytest.mark.case("CU-01")
def test_nobody_is_waited_for(box: Machine) -> None:
    """Without a terminal a question is an error that names the option, whatever standard input is."""
    before = box.tree()
    for words in ((), ("install",), ("--profile", "core")):
        for code, said in (with_open_pipe(box, *words), _closed(box, *words)):
            assert code == 2
            assert "--runtime" in said
    assert_same(before, box.tree())
    acme = bundle(box.project, EVERY_KIND)
    box.run("--runtime", "claude", *acme.words, "--yes").ok()
    mine = box.home / ".claude/agents/acme-planner.md"
    mine.write_text("Mine.\n", encoding="utf-8")
    write(acme.root, {"agents/planner.md": "---\ndescription: Makes plans\n---\nYou plan otherwise.\n"})
    code, said = with_open_pipe(box, "upgrade")
    assert code == 0, said
    assert mine.read_text(encoding="utf-8") == "Mine.\n"
    assert "acme-planner.md" in said
    for code, said in (with_open_pipe(box, "uninstall"), _closed(box, "uninstall")):
        assert code == 2
        assert "--yes" in said


def _closed(box: Machine, *words: str) -> tuple[int, str]:
    done = box.run(*words)
    return done.code, done.err


@pytest.mark.case("CU-05")
def test_success_means_that_the_host_sees_something(box: Machine, tmp_path: Path) -> None:
    before = box.tree()
    rules = bundle(tmp_path, {"rules/one.md": "Be kind.\n"}, name="rules")
    done = box.run("--runtime", "claude", *rules.words)
    assert done.code == 1
    assert "would get nothing it can discover" in done.err
    assert_same(before, box.tree())
    acme = bundle(box.project, EVERY_KIND)
    words = ("--runtime", "claude", "--runtime", "codex", *acme.words)
    units = box.run(*words, "--json").ok().json["data"]["units"]
    placed = {unit["runtime"]: unit["placed"] for unit in units}
    globs = {
        "claude": {
            "command": ".claude/commands/*.md",
            "agent": ".claude/agents/*.md",
            "skill": ".claude/skills/*/SKILL.md",
        },
        "codex": {"skill": ".agents/skills/*/SKILL.md", "agent": ".codex/agents/*.toml"},
    }
    seen = {
        runtime: {kind: len(list(box.home.glob(pattern))) for kind, pattern in patterns.items()}
        for runtime, patterns in globs.items()
    }
    assert {runtime: dict(found) for runtime, found in placed.items()} == seen


@pytest.mark.case("CU-07")
def test_a_dry_run_names_what_a_run_changes_and_shows_no_secret(box: Machine) -> None:
    put(box.home / ".claude.json", SECRETS, 0o600)
    acme = bundle(box.project, EVERY_KIND)
    words = ("--runtime", "claude", "--runtime", "codex", *acme.words, "--with", "hooks,mcp")
    before, stamps = box.tree(), file_stamps(box.home)
    shown = box.run(*words, "--dry-run", "--diff").ok()
    assert_same(before, box.tree())
    assert file_stamps(box.home) == stamps
    assert "+" in shown.out
    assert "s3cr3t-value" not in shown.out + shown.err
    planned = _planned(box, *words)
    box.run(*words).ok()
    assert planned == _changed(before, box)
    write(acme.root, {"agents/planner.md": "---\ndescription: Makes plans\n---\nYou plan otherwise.\n"})
    for verb in (("upgrade",), ("uninstall", "--yes")):
        before = box.tree()
        planned = _planned(box, *verb)
        assert_same(before, box.tree())
        box.run(*verb).ok()
        assert planned == _changed(before, box)


def _planned(box: Machine, *words: str) -> set[str]:
    done = box.run(*words, "--dry-run", "--json").ok().json["data"]
    return {item["path"] for item in done["operations"] if item["action"] != "unchanged"}


def _changed(before: object, box: Machine) -> set[str]:
    """Files that differ from `before`, as the report names them; the ledger and the machine's state aside."""
    assert isinstance(before, dict)
    after = box.tree()
    names = {
        path
        for path in before.keys() | after.keys()
        if before.get(path) != after.get(path) and "file" in {_kind(before, path), _kind(after, path)}
    }
    ours = (".local/", ".gsd/ledger.json", "Library/", "AppData/")
    below = {path.removeprefix("home/") for path in names}
    return {f"~/{path}" for path in below if not path.startswith(ours) and "__pycache__" not in path}


def _kind(tree: object, path: str) -> str:
    node = tree.get(path) if isinstance(tree, dict) else None
    return str(getattr(node, "kind", ""))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('+  "API_KEY": "abc",', '+  "API_KEY": "***",'),
        ("-auth_token = 'x y'", '-auth_token = "***"'),
        (" password: hunter2 # mine", ' password: "***" # mine'),
        ('"Authorization": "Bearer \\"x\\" y"}', '"Authorization": "***"}'),
        ("args = ['ghp_0123456789abcdef']", "args = ['***']"),
        ('"command": "tokenizer", "x": "sk-1"', '"command": "tokenizer", "x": "sk-1"'),
    ],
)
def test_secrets_are_told_by_their_key_or_their_looks(line: str, expected: str) -> None:
    assert masked(line) == expected


@pytest.mark.case("DD-06")
def test_a_directory_that_an_older_version_used_is_left(box: Machine, tmp_path: Path) -> None:
    root = write(tmp_path / "acme", {"commands/plan.md": "---\ndescription: Plans\n---\nPlan.\n"})
    box.run("--runtime", "opencode", "--content", str(root)).ok()
    [new] = (box.home / ".config/opencode").rglob("acme-plan.md")
    assert new.parent.name == "commands"
    old = new.parent.parent / "command"
    old.mkdir()
    new.rename(old / new.name)
    put(old / "mine.md", "Mine.\n")
    [ledger] = box.home.rglob("ledger.json")
    text = ledger.read_text("utf-8")
    assert "opencode/commands/acme-plan.md" in text
    ledger.write_text(
        text.replace("opencode/commands/acme-plan.md", "opencode/command/acme-plan.md"), "utf-8"
    )
    box.run("upgrade").ok()
    assert [path.name for path in old.iterdir()] == ["mine.md"]
    assert new.is_file()
    box.run("--check").ok()
    box.run("uninstall", "--yes").ok()
    assert (old / "mine.md").is_file()
    assert not new.exists()


@pytest.mark.case("FM-11")
def test_keys_for_one_host_reach_that_host_alone(box: Machine, tmp_path: Path) -> None:
    """A mapping below a runtime's id is for that runtime; a key that no host knows is kept in every skill."""
    text = (
        '---\nname: r\ndescription: R\nclaude:\n  paths: ["src/**"]\n  name: other\ncopilot:\n'
        "  excludeAgent: code-review\nx-team: blue\n---\nbody\n"
    )
    root = write(tmp_path / "acme", {"skills/r/SKILL.md": text})
    words = ("--runtime", "claude", "--runtime", "copilot", "--runtime", "gemini")
    box.run(*words, "--scope", "project", "--content", str(root)).ok()
    head = '---\nname: "r"\ndescription: "R"\n'
    found = {
        folder: (box.project / folder / "skills/r/SKILL.md").read_text("utf-8").partition("---\n\n")[0]
        for folder in (".claude", ".github", ".gemini")
    }
    assert found == {
        ".claude": f'{head}paths: ["src/**"]\nx-team: "blue"\n',
        ".github": f'{head}excludeAgent: "code-review"\nx-team: "blue"\n',
        ".gemini": f'{head}x-team: "blue"\n',
    }


@pytest.mark.case("CU-03")
def test_there_is_one_list_of_runtimes(box: Machine) -> None:
    """Help names none of them, so that it cannot differ from `runtimes`, which asks every plugin there is."""
    listed = [row["id"] for row in box.run("runtimes", "--json").ok().json["data"]["runtimes"]]
    assert listed == sorted(listed)
    help_text = box.run("install", "--help").ok().out
    assert "runtimes" in help_text
    assert not [name for name in listed if f"{name}," in help_text]
    for name in ("nobody", "claud"):
        done = box.run("--runtime", name)
        assert done.code == 2
        assert name in done.err


def test_the_two_trees_of_a_comparison_can_differ(box: Machine) -> None:
    before = box.tree()
    put(box.home / "x", "x")
    assert differences(before, box.tree())
    assert _changed(before, box) == {"~/x"}
    assert json.loads(SECRETS)
