"""What goes wrong is said once, in one place, with the way out; and nothing is written anywhere."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from support.installs import SCRIPT, Done, Machine, machine
from support.trees import assert_same

HEAD = 'format = 1\nid = "acme"\nname = "Acme"\nversion = "1"\nprefix = "acme"\n'
GOOD = "---\ndescription: Does it.\n---\nDo it.\n"


@pytest.fixture
def box(tmp_path: Path) -> Machine:
    return machine(tmp_path)


def content(folder: Path, files: dict[str, str]) -> Path:
    root = folder / "content"
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def refused(box: Machine, *words: str, code: int = 1) -> Done:
    """Run, and assert the exit code, a hint, and that not one path changed."""
    before = box.tree()
    done = box.run(*words)
    assert done.code == code, done
    assert done.err.startswith("error: "), done.err
    assert "hint: " in done.err
    assert "Traceback" not in done.err
    assert_same(before, box.tree())
    as_json = box.run(*words, "--json")
    assert as_json.code == code
    assert as_json.json["ok"] is False
    assert all(error["reason"] and error["message"] for error in as_json.json["errors"])
    return done


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--runtime", "cluade"], "did you mean 'claude'"),
        (["--runtme", "claude"], "did you mean '--runtime'"),
        (["--runtime", "claude", "--scope", "projct"], "project"),
        (["--runtime", "claude", "--profile", "standart"], "standard"),
        (["--runtime", "claude", "--with", "hoks"], "hooks"),
        (["instal"], "did you mean 'install'"),
        (["--runtime", "claude", "--runtime", "codex", "--config-dir", "x"], "exactly one runtime"),
        ([], "--runtime"),
        (["uninstall", "--runtime", "nope", "--yes"], ""),
    ],
)
def test_a_command_line_that_asks_for_what_does_not_exist(box: Machine, words: list[str], said: str) -> None:
    code = 1 if words[:1] == ["uninstall"] else 2
    assert said in refused(box, *words, code=code).err


@pytest.mark.parametrize(
    ("files", "where", "said"),
    [
        ({}, "", "content.toml"),
        ({"content.toml": HEAD}, "", "no content"),
        ({"content.toml": HEAD, "commands/a.md": "---\ndescription: x\nno end"}, "commands/a.md:1", "closed"),
        (
            {"content.toml": HEAD, "commands/a.md": "---\ndescription: x\n\tb: c\n---\n"},
            "commands/a.md:3",
            "",
        ),
        ({"content.toml": HEAD, "commands/a.md": GOOD + "{gsd:pth x}\n"}, "commands/a.md:5", "gsd:pth"),
        ({"content.toml": HEAD, "commands/a.md": GOOD + "\n{gsd:path no.md}\n"}, "commands/a.md:6", "no.md"),
        (
            {"content.toml": HEAD, "workflows/w.md": '<!-- gsd:section id="a" when="never" -->\n'},
            "w.md:1",
            "never",
        ),
    ],
)
def test_a_content_root_that_cannot_be_used(
    box: Machine, tmp_path: Path, files: dict[str, str], where: str, said: str
) -> None:
    root = content(tmp_path, files)
    root.mkdir(exist_ok=True)
    done = refused(box, "--runtime", "claude", "--content", str(root))
    assert where in done.err
    assert said in done.err


def test_two_content_roots_with_one_name_are_both_named(box: Machine, tmp_path: Path) -> None:
    roots = [
        content(tmp_path / name, {"content.toml": HEAD, "commands/a.md": GOOD}) for name in ("one", "two")
    ]
    done = refused(box, "--runtime", "claude", *(word for root in roots for word in ("--content", str(root))))
    assert all(str(root) in done.err for root in roots)
    other = HEAD.replace('id = "acme"', 'id = "other"')
    (roots[1] / "content.toml").write_text(other, encoding="utf-8")
    (roots[1] / "commands" / "a.md").write_text(GOOD + "else\n", encoding="utf-8")
    done = refused(box, "--runtime", "claude", *(word for root in roots for word in ("--content", str(root))))
    assert "acme" in done.err
    assert "other" in done.err


def _settings(box: Machine) -> None:
    (box.home / ".claude").mkdir()
    (box.home / ".claude" / "settings.json").write_text('{\n  "hooks": [\n', encoding="utf-8")


def _foreign(box: Machine) -> None:
    (box.home / ".claude" / "commands").mkdir(parents=True)
    (box.home / ".claude" / "commands" / "gsd-help.md").write_text("mine\n", encoding="utf-8")


def _file(box: Machine) -> None:
    (box.home / ".claude").write_text("a file\n", encoding="utf-8")


def _link_out(box: Machine) -> None:
    outside = box.home.parent / "outside"
    outside.mkdir()
    (box.home / ".claude").mkdir()
    (box.home / ".claude" / "commands").symlink_to(outside)


def _directory(box: Machine) -> None:
    (box.home / ".claude" / "commands" / "gsd-help.md").mkdir(parents=True)


@pytest.mark.parametrize(
    ("prepare", "named"),
    [
        (_settings, "settings.json:2"),
        (_foreign, "gsd-help.md"),
        (_file, ".claude"),
        (_link_out, "commands"),
        (_directory, "gsd-help.md"),
    ],
)
def test_a_home_that_is_in_the_way(box: Machine, prepare: Callable[[Machine], None], named: str) -> None:
    prepare(box)
    done = refused(box, "--runtime", "codex", "--runtime", "claude", "--with", "hooks,permissions")
    assert named in done.err


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="nothing is unwritable for the superuser")
def test_a_home_that_cannot_be_written(box: Machine) -> None:
    claude = box.home / ".claude"
    claude.mkdir(mode=0o555)
    assert str(claude) in refused(box, "--runtime", "codex", "--runtime", "claude").err


def _in_a_mount(options: str, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    mount = f"mount -t tmpfs tmpfs {folder} && mkdir {folder}/.claude && mount -o remount,{options} {folder}"
    script = f"{mount} && {SCRIPT} {' '.join(words)}; "
    script += f"code=$?; find {folder} -type f; exit $code"
    env = {"HOME": str(folder), "PATH": os.environ["PATH"]}
    return subprocess.run(
        ["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, env=env, check=False
    )


def _mounts() -> bool:
    return (
        os.name != "nt"
        and shutil.which("unshare") is not None
        and not subprocess.run(
            ["unshare", "-m", "sh", "-c", "mount -t tmpfs tmpfs /mnt"], capture_output=True, check=False
        ).returncode
    )


@pytest.mark.skipif(not _mounts(), reason="this user may not mount a file system of his own")
@pytest.mark.parametrize("options", ["size=200k", "ro"])
def test_a_disk_that_is_full_or_read_only(tmp_path: Path, options: str) -> None:
    folder = tmp_path / "home"
    folder.mkdir()
    done = _in_a_mount(options, folder, "--runtime", "claude")
    assert done.returncode == 1, done
    assert done.stderr.startswith("error: ")
    assert str(folder) in done.stderr
    assert "hint: " in done.stderr
    assert done.stdout == "", "files were left behind"
