"""Byte-order marks, line ends, locales, consoles: what is read is kept, what cannot be shown is not lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.bundle import EVERY_KIND, PLAN, Bundle, bundle, drift, install, put, uninstall
from support.installs import FOUR, Machine, machine
from support.trees import assert_same

BOM = b"\xef\xbb\xbf"


@pytest.fixture
def box(tmp_path: Path) -> Machine:
    return machine(tmp_path)


@pytest.fixture
def acme(box: Machine) -> Bundle:
    return bundle(box.project)


@pytest.mark.case("EN-01")
def test_a_mark_before_the_fence_does_not_hide_the_frontmatter(box: Machine, acme: Bundle) -> None:
    acme.write({"skills/plan/SKILL.md": BOM + b"---\ndescription: Makes a plan\n---\nbody\n"})
    install(box, acme, "claude", "codex", scope="project").ok()
    for folder in (".claude", ".agents"):
        data = (box.project / folder / "skills/acme-plan/SKILL.md").read_bytes()
        assert data.startswith(b"---\n")
        assert BOM not in data
        assert data.count(b"---\n") == 2
        assert b'name: "acme-plan"\n' in data
        assert b'description: "Makes a plan"\n' in data


PLAIN_LOCALE = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.case("EN-03")
def test_no_byte_depends_on_the_locale(box: Machine, acme: Bundle) -> None:
    skill = "---\ndescription: Plän → 計画 ✓\n---\nbody é\n"
    acme.write({"skills/plan/SKILL.md": skill, "rules/loop.md": "Zuerst prüfen → dann handeln.\n"})
    guide = put(box.project / "AGENTS.md", "Größe\n")
    before = box.tree()
    words = ("--runtime", "codex", *acme.words, "--scope", "project", "--with", "instructions")
    box.run(*words, env=PLAIN_LOCALE).ok()
    text = (box.project / ".agents/skills/acme-plan/SKILL.md").read_bytes().decode()
    assert "Plän → 計画 ✓" in text
    assert "body é" in text
    assert guide.read_bytes().decode().startswith("Größe\n")
    assert "prüfen →" in guide.read_bytes().decode()
    box.run("status", "--json", env=PLAIN_LOCALE).ok()
    box.run("uninstall", "--scope", "project", "--yes", env=PLAIN_LOCALE).ok()
    assert_same(before, box.tree())


@pytest.mark.case("EN-05")
@pytest.mark.parametrize(
    ("runtime", "name"), [("codex", "AGENTS.md"), ("claude", "CLAUDE.md"), ("windsurf", "AGENTS.md")]
)
def test_a_crlf_instruction_file_stays_crlf(box: Machine, acme: Bundle, runtime: str, name: str) -> None:
    guide = put(box.project / name, "# Team\r\n\r\nUse tabs.\r\n")
    before = box.tree()
    install(box, acme, runtime, scope="project", surfaces="instructions").ok()
    first = guide.read_bytes()
    assert b"Plan first, then work." in first
    assert first.count(b"\n") == first.count(b"\r\n") > 3
    install(box, acme, runtime, scope="project", surfaces="instructions").ok()
    assert guide.read_bytes() == first
    uninstall(box, scope="project")
    assert_same(before, box.tree())


@pytest.mark.case("EN-06")
def test_text_of_the_user_s_does_not_become_escapes(box: Machine, acme: Bundle) -> None:
    announced = '{\n  "companyAnnouncements": ["Grüße — 東京 🚀"]\n}\n'
    settings = put(box.project / ".claude/settings.json", announced)
    install(box, acme, "claude", scope="project", surfaces="hooks").ok()
    text = settings.read_bytes().decode()
    assert "Grüße — 東京 🚀" in text
    assert "\\u" not in text
    assert "hello.py" in text


def _as_crlf(root: Path) -> int:
    changed = 0
    for path in sorted(root.rglob("*")):
        if path.is_file() and path.suffix in {".md", ".toml"} and "bundles" not in path.parts:
            data = path.read_bytes()
            path.write_bytes(data.replace(b"\n", b"\r\n"))
            changed += path.read_bytes() != data
    return changed


@pytest.mark.case("EN-07")
def test_a_checkout_that_changed_line_ends_is_no_edit(box: Machine, acme: Bundle) -> None:
    install(box, acme, *FOUR, scope="project").ok()
    assert _as_crlf(box.project) > 10
    assert drift(box, "project") == {}
    acme.write({path: _second(content) for path, content in EVERY_KIND.items()}, version="2")
    box.run("upgrade", "--scope", "project").ok()
    assert drift(box, "project") == {}
    assert not list(box.project.rglob("*.gsd-*"))
    assert "the second edition" in (box.project / ".claude/commands/acme-plan.md").read_text(encoding="utf-8")


def _second(content: str) -> str:
    return f"{content}the second edition\n" if content.startswith("---") else content


@pytest.mark.case("EN-07")
def test_one_changed_word_beside_changed_line_ends_is_an_edit(box: Machine, acme: Bundle) -> None:
    install(box, acme, "claude", scope="project").ok()
    _as_crlf(box.project)
    plan = box.project / ".claude/commands/acme-plan.md"
    plan.write_bytes(plan.read_bytes().replace(b"do it", b"leave it"))
    assert drift(box, "project") == {".claude/commands/acme-plan.md": "modified"}


@pytest.mark.case("EN-09")
@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_console_that_lacks_a_character_fails_nothing(tmp_path: Path, encoding: str) -> None:
    box = machine(tmp_path / "Plan → ship ✓")
    acme = bundle(tmp_path, {**EVERY_KIND, "commands/plan.md": PLAN.replace("Plans", "Plan → ✓")})
    shown = {"PYTHONIOENCODING": encoding}
    words = ("--runtime", "claude", *acme.words, "--scope", "project")
    preview = box.run(*words, "--dry-run", "--diff", env=shown).ok()
    assert 'description: "Plan ? ? the work"' in preview.out
    done = box.run(*words, env=shown).ok()
    assert "UnicodeEncodeError" not in done.err + preview.err
    assert "Plan → ✓" in (box.project / ".claude/commands/acme-plan.md").read_bytes().decode()
    assert drift(box, "project") == {}


@pytest.mark.case("EN-11")
@pytest.mark.parametrize(
    ("runtime", "name"),
    [("claude", ".claude/settings.json"), ("codex", ".codex/hooks.json"), ("opencode", "opencode.jsonc")],
)
def test_settings_saved_with_a_mark_are_settings(box: Machine, acme: Bundle, runtime: str, name: str) -> None:
    settings = put(box.project / name, BOM + b'{"ui": {"theme": "dark"}}\r\n')
    before = box.tree()
    install(box, acme, runtime, scope="project", surfaces="hooks,mcp").ok()
    data = settings.read_bytes()
    assert data.startswith(BOM + b"{")
    assert data.endswith(b"\r\n")
    assert json.loads(data[3:])["ui"]["theme"] == "dark"
    assert b"acme" in data
    uninstall(box, scope="project")
    assert_same(before, box.tree())
