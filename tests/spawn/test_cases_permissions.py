"""Modes: private stays private, scripts can run, and no permission is widened that the user narrowed."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from support.bundle import EVERY_KIND, STDIO, Bundle, bundle, drift, install, put, uninstall
from support.installs import Machine, machine
from support.trees import assert_same

pytestmark = pytest.mark.skipif(os.name == "nt", reason="modes are of POSIX")

KEY = b"k3y-0f-the-user"


@pytest.fixture
def box(tmp_path: Path) -> Machine:
    return machine(tmp_path)


@pytest.fixture
def acme(tmp_path: Path) -> Bundle:
    return bundle(tmp_path)


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


@pytest.mark.case("PM-01")
def test_private_settings_stay_private(box: Machine, acme: Bundle) -> None:
    config = put(box.home / ".codex/config.toml", b'api_key = "' + KEY + b'"\n', 0o600)
    settings = put(box.home / ".claude/settings.json", "{}\n", 0o640)
    before = box.tree()
    flags = ("--runtime", "codex", "--runtime", "claude", *acme.words, "--with", "all")
    for words in (flags, ("upgrade",), ("uninstall", "--yes")):
        box.run(*words).ok()
        assert (_mode(config), _mode(settings)) == (0o600, 0o640)
    assert_same(before, box.tree())


def _readable_by_others(home: Path) -> list[str]:
    """Every file that others may read and that holds the key, at this moment."""
    found = []
    for folder, _, names in os.walk(home):
        for name in names:
            path = os.path.join(folder, name)
            try:
                if os.stat(path).st_mode & 0o077 and KEY in Path(path).read_bytes():
                    found.append(path)
            except FileNotFoundError:
                continue
    return found


@pytest.mark.case("PM-01")
def test_a_key_is_never_readable_by_others_in_between(box: Machine, acme: Bundle) -> None:
    put(box.home / ".codex/config.toml", b'api_key = "' + KEY + b'"\n', 0o600)
    install(box, acme, "codex", surfaces="mcp").ok()
    looks = 0
    for number in range(4):
        acme.write({**EVERY_KIND, "mcp.json": STDIO.replace("--stdio", f"--n{number}")}, version=str(number))
        process = subprocess.Popen(
            [box.script, "upgrade"], cwd=box.project, env=box.env, stdout=subprocess.DEVNULL
        )
        if number == 3:
            time.sleep(0.08)
            process.kill()
        while process.poll() is None:
            assert _readable_by_others(box.home) == []
            looks += 1
        assert _readable_by_others(box.home) == []
    assert looks > 10


SCRIPTS = {
    **EVERY_KIND,
    "hooks/hooks.toml": '[[hook]]\nid = "run"\nevent = "session-start"\nscript = "run.sh"\n',
    "hooks/run.sh": "#!/usr/bin/env bash\necho ok\n",
}


@pytest.mark.case("PM-03")
def test_scripts_can_run_and_texts_cannot(box: Machine, acme: Bundle) -> None:
    acme.write(SCRIPTS)
    for name, mode in (
        ("hooks/run.sh", 0o644),
        ("skills/tidy/scripts/do.py", 0o644),
        ("skills/tidy/notes.md", 0o755),
    ):
        (acme.root / name).chmod(mode)
    install(box, acme, "claude", surfaces="hooks").ok()
    run = box.home / ".gsd/content/acme/hooks/run.sh"
    skill = box.home / ".claude/skills/acme-tidy"
    assert _mode(run) == _mode(skill / "scripts/do.py") == 0o755
    assert _mode(skill / "notes.md") == 0o644
    assert subprocess.run([run], check=True, capture_output=True, text=True).stdout == "ok\n"
    run.chmod(0o644)
    assert drift(box) == {"~/.gsd/content/acme/hooks/run.sh": "modified"}
    box.run("upgrade").ok()
    assert _mode(run) == 0o755
    assert drift(box) == {}


RULES = '{"permissions":{"allow":["Bash(ls:*)"],"deny":["Read(.env)","Read(~/.gsd/**)"]}}'


@pytest.mark.case("PM-05")
@pytest.mark.parametrize("scope", ["global", "project"])
def test_permission_rules_are_few_known_and_behind_the_user_s(box: Machine, acme: Bundle, scope: str) -> None:
    root = box.home if scope == "global" else box.project
    settings = put(root / ".claude/settings.json", RULES.replace(',"Read(~/.gsd/**)"', ""))
    before = box.tree()
    install(box, acme, "claude", scope=scope).ok()
    assert_same(
        {}, {path: node for path, node in before.items() if box.tree()[path] != node and node.kind == "file"}
    )
    for _ in range(2):
        install(box, acme, "claude", scope=scope, surfaces="permissions").ok()
        rules = json.loads(settings.read_bytes())["permissions"]
        assert rules["deny"] == ["Read(.env)"]
        assert rules["allow"][0] == "Bash(ls:*)"
        assert [rule.partition("(")[0] for rule in rules["allow"][1:]] == ["Read", "Bash"]
        assert "/bin/gsd-tools:*)" in rules["allow"][2]
        assert "Write(" not in settings.read_text(encoding="utf-8")
    uninstall(box, scope=scope)
    assert_same(before, box.tree())


@pytest.mark.case("PM-05")
def test_a_rule_the_user_denied_stays_denied(box: Machine, acme: Bundle) -> None:
    settings = put(box.home / ".claude/settings.json", RULES)
    install(box, acme, "claude", surfaces="permissions").ok()
    # Claude Code lets `deny` win over `allow`, so what we add narrows nothing and widens nothing of it.
    assert json.loads(settings.read_bytes())["permissions"]["deny"] == ["Read(.env)", "Read(~/.gsd/**)"]
    uninstall(box)
    assert settings.read_text(encoding="utf-8") == RULES
