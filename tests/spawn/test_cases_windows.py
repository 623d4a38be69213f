"""Names and paths that are awkward somewhere: spaces, quotes, reserved words, backslashes."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from support.bundle import EVERY_KIND, SMALL, Bundle, bundle, drift, install, uninstall
from support.installs import Machine, machine
from support.trees import assert_same, snapshot

SHELL_HOOK = '[[hook]]\nid = "check"\nevent = "session-start"\nscript = "check.sh"\n'
TWO_HOOKS = {
    **EVERY_KIND,
    "hooks/hooks.toml": EVERY_KIND["hooks/hooks.toml"] + SHELL_HOOK,
    "hooks/check.sh": "#!/usr/bin/env bash\necho ok\n",
}


@pytest.fixture
def box(tmp_path: Path) -> Machine:
    return machine(tmp_path)


@pytest.fixture
def acme(tmp_path: Path) -> Bundle:
    return bundle(tmp_path)


def _commands(settings: Path) -> list[str]:
    groups = json.loads(settings.read_bytes())["hooks"]["SessionStart"]
    return [hook["command"] for group in groups for hook in group["hooks"]]


@pytest.mark.case("WP-01", "WP-03")
@pytest.mark.skipif(os.name == "nt", reason="the commands are run by bash")
@pytest.mark.parametrize("name", ["Ann Lee", "dev(ext) R&D o'neil", 'q"$(touch pwned)`id`'])
@pytest.mark.parametrize(
    ("runtime", "file"), [("claude", ".claude/settings.json"), ("codex", ".codex/hooks.json")]
)
def test_hook_commands_run_from_any_home(tmp_path: Path, name: str, runtime: str, file: str) -> None:
    box = machine(tmp_path / name)
    before = box.tree()
    install(box, bundle(tmp_path, TWO_HOOKS), runtime, surfaces="hooks").ok()
    commands = _commands(box.home / file)
    assert len(commands) == 2
    for command, script in zip(commands, ("hello.py", "check.sh"), strict=True):
        words = shlex.split(command)
        assert len(words) == 2
        assert words[1] == str(box.home / ".gsd/content/acme/hooks" / script)
        done = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout) == (0, "ok\n"), done
    assert not list(tmp_path.rglob("pwned"))
    uninstall(box)
    assert_same(before, box.tree())


@pytest.mark.case("WP-05")
@pytest.mark.parametrize(
    "source",
    [
        "C:\\mods\\foo", "C:/mods/foo", ".\\foo", "\\\\srv\\share\\foo",
        "git@ex.test:grp/sub/foo.git", "https://ex.test/foo.git", "foo",
    ],
)  # fmt: skip
def test_a_source_is_a_local_folder_and_never_fetched(box: Machine, source: str) -> None:
    # Content is a folder on this machine, whatever it looks like: nothing is ever taken for an address.
    before = box.tree()
    done = box.run("--runtime", "claude", "--content", source)
    assert done.code == 1
    assert source.rpartition("/")[2].lstrip(".\\") in done.err
    assert "does not exist" in done.err
    assert_same(before, box.tree())
    bundle(box.project).root.rename(box.project / "here")
    (box.project / "here").rename(box.project / source.replace("/", "_"))
    box.run("--runtime", "claude", "--content", source.replace("/", "_")).ok()


@pytest.mark.case("WP-07")
@pytest.mark.parametrize(
    "path",
    [
        "commands/acme:plan.md", "commands/end .md", "skills/tidy/aux", "skills/tidy/end.",
        "references/a/com1.md", "references/dot./a.md", "templates/what?.md",
    ],
)  # fmt: skip
def test_names_windows_cannot_store_are_refused_everywhere(box: Machine, acme: Bundle, path: str) -> None:
    # A `:` is refused like the rest instead of being replaced: two names never become one in silence.
    plan = SMALL["commands/plan.md"]
    read = f"{plan}See {{gsd:path {path}}}\n" if path.startswith(("references", "templates")) else plan
    acme.write({**EVERY_KIND, path: plan, "commands/use.md": read})
    before = box.tree()
    done = install(box, acme, "claude", scope="project")
    assert done.code == 1
    assert any(repr(part) in done.err or part in done.err for part in path.split("/")[1:])
    assert "Traceback" not in done.err
    assert_same(before, box.tree())


@pytest.mark.case("WP-07")
@pytest.mark.parametrize("name", ["aux", "con", "nul", "lpt1"])
def test_a_reserved_name_that_gets_a_prefix_is_a_name_like_any_other(
    box: Machine, acme: Bundle, name: str
) -> None:
    # What counts is the name that is written: `acme-aux.md` is one that Windows can store.
    acme.write({f"commands/{name}.md": SMALL["commands/plan.md"]})
    install(box, acme, "claude", "codex", "windsurf", scope="project").ok()
    stems = [part.partition(".")[0] for path in snapshot(box.project) for part in path.split("/")]
    assert name not in stems
    assert f"acme-{name}" in stems


@pytest.mark.case("WP-07")
def test_names_that_differ_only_in_case_are_refused(box: Machine, acme: Bundle) -> None:
    acme.write({**EVERY_KIND, "skills/tidy/Notes.md": "Other notes.\n"})
    before = box.tree()
    done = install(box, acme, "claude")
    assert done.code == 1
    assert "otes.md" in done.err
    assert_same(before, box.tree())


@pytest.mark.case("WP-08")
def test_a_project_ledger_written_here_reads_anywhere(box: Machine) -> None:
    install(box, bundle(box.project), "claude", "codex", scope="project", surfaces="all").ok()
    text = (box.project / ".gsd/ledger.json").read_text(encoding="utf-8")
    assert "\\" not in text
    assert drift(box, "project") == {}
    assert all("\\" not in path for path in snapshot(box.project))
