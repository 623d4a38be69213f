"""`gsd-install doctor --live` asks the hosts on PATH, and compares what they list with the ledger."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from support.installs import Done, Machine, machine

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the fake hosts are shell scripts")
# Lists what stands in its home, as OpenCode does; a name that FORGETS holds is not listed.
HOST = """\
#!/bin/sh
cd "$HOME/.config/opencode" || exit 1
list() { ls "$1" | sed 's/[.]md$//' | grep -vx "FORGETS" | sed "s/.*/$2/" | paste -sd, -; }
case "$2" in
skill) echo "[$(list skills '{"name": "&"}')]" ;;
config) echo "{\\"command\\": {$(list commands '"&": 0')}, \\"agent\\": {$(list agents '"&": 0')}}" ;;
esac
"""


def doctor(box: Machine, *words: str, forgets: str = "nothing", script: str = HOST) -> Done:
    """Run the doctor on a machine with an OpenCode on it."""
    folder = box.home.parent / "bin"
    folder.mkdir(exist_ok=True)
    (folder / "opencode").write_text(script.replace("FORGETS", forgets), encoding="utf-8")
    (folder / "opencode").chmod(0o755)
    return box.run("doctor", "--live", *words, env={"PATH": f"{folder}:{os.defpath}"})


def live(done: Done) -> dict[str, Any]:
    """What it says of OpenCode."""
    return {item["runtime"]: item for item in done.json["data"]["live"]}["opencode"]


def installed(folder: Path) -> Machine:
    """A machine with our content in OpenCode."""
    box = machine(folder)
    box.run("--runtime", "opencode").ok()
    return box


def test_all_that_is_installed_is_loaded_and_no_file_of_the_user_changes(tmp_path: Path) -> None:
    box = installed(tmp_path)
    before = box.tree()
    done = doctor(box, "--json").ok()
    found = live(done)
    assert (found["ok"], found["missing"], found["problem"], found["unasked"]) == (True, [], "", [])
    assert set(found["loaded"]) == {"skill", "command", "agent"}
    assert all(found["loaded"].values())
    assert box.tree() == before


def test_a_skill_that_stands_with_another_host_is_asked_about_too(tmp_path: Path) -> None:
    box = machine(tmp_path)
    box.run("--runtime", "claude", "--runtime", "opencode").ok()
    shared = HOST.replace("skills '", "../../.claude/skills '")
    assert live(doctor(box, "--json", script=shared).ok())["loaded"]["skill"] > 0
    found = live(doctor(box, "--json", script=HOST.replace("skills '", "../../none '")))
    assert found["missing"]
    assert all(path.startswith("~/.claude/skills/") for path in found["missing"])


def test_a_file_that_was_deleted_by_hand_is_named(tmp_path: Path) -> None:
    box = installed(tmp_path)
    command = box.home / ".config" / "opencode" / "commands" / "gsd-help.md"
    command.unlink()
    done = doctor(box, "--json")
    assert done.code == 1
    assert live(done)["missing"] == ["~/.config/opencode/commands/gsd-help.md"]


def test_a_file_that_stands_there_and_is_not_loaded_is_named(tmp_path: Path) -> None:
    done = doctor(installed(tmp_path), forgets="gsd-plan-phase")
    assert done.code == 1
    assert (
        "BAD  live opencode: installed and not loaded: ~/.config/opencode/commands/gsd-plan-phase.md"
        in done.out
    )


def test_a_host_that_cannot_answer_is_named_with_its_words(tmp_path: Path) -> None:
    done = doctor(installed(tmp_path), "--json", script="#!/bin/sh\necho 'bad setting' >&2\nexit 7\n")
    assert done.code == 1
    assert live(done)["problem"] == "it ended with exit code 7: bad setting"
    assert live(done)["missing"] == []


def test_a_host_for_which_nothing_is_installed_is_found_and_not_asked(tmp_path: Path) -> None:
    box = machine(tmp_path)
    done = doctor(box, "--json", script='#!/bin/sh\ntouch "$HOME/asked"\nexit 7\n').ok()
    found = live(done)
    assert (found["installed"], found["asked"], found["ok"]) == (False, False, True)
    assert found["program"].endswith("/opencode")


def test_a_runtime_whose_program_is_not_here_is_said_to_be_missing(tmp_path: Path) -> None:
    box = installed(tmp_path)
    done = box.run("doctor", "--live").ok()
    assert "live opencode: it is installed for, and its program is not on PATH" in done.out


def test_without_the_flag_no_host_is_started(tmp_path: Path) -> None:
    box = installed(tmp_path)
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "opencode").write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n", encoding="utf-8")
    (folder / "opencode").chmod(0o755)
    box.run("doctor", env={"PATH": f"{folder}:{os.defpath}"}).ok()
    assert not (tmp_path / "started").exists()


def test_a_project_is_not_asked_about(tmp_path: Path) -> None:
    done = machine(tmp_path).run("doctor", "--live", "--scope", "project")
    assert done.code == 2
    assert "--live is about the global scope" in done.err
