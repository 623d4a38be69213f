"""Names, plugins and ledgers that want to write elsewhere; secrets that are nobody's business."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from support.bundle import EVERY_KIND, SMALL, Bundle, Content, bundle, install, put, uninstall
from support.installs import Machine, machine
from support.trees import assert_same, snapshot

SKILL = "---\ndescription: Plans\n---\nPlan it.\n"


@pytest.fixture
def box(tmp_path: Path) -> Machine:
    return machine(tmp_path)


@pytest.fixture
def acme(tmp_path: Path) -> Bundle:
    return bundle(tmp_path)


NAMES = ("../../evil", "/tmp/evil", "a/../../evil", "..", ".", "", "a\\\\..\\\\b", "x/y", "-rf", "a" * 300)


@pytest.mark.case("SE-01")
@pytest.mark.parametrize("name", NAMES)
def test_a_name_in_the_frontmatter_chooses_no_path(
    box: Machine, acme: Bundle, tmp_path: Path, name: str
) -> None:
    acme.write({"skills/plan/SKILL.md": f'---\nname: "{name}"\ndescription: Plans\n---\nPlan it.\n'})
    before = snapshot(tmp_path)
    done = install(box, acme, "claude", "codex", scope="project")
    assert done.code == 1
    assert "skills/plan/SKILL.md:2" in done.err
    assert_same(before, snapshot(tmp_path))


@pytest.mark.case("SE-01")
@pytest.mark.parametrize("name", ["a\\..\\b", "-rf", "a" * 220, "...", "a b", "\u202egpj"])
def test_a_folder_name_chooses_no_path(box: Machine, acme: Bundle, tmp_path: Path, name: str) -> None:
    acme.write({f"skills/{name}/SKILL.md": SKILL})
    before = snapshot(tmp_path)
    done = install(box, acme, "claude", scope="project")
    assert done.code == 1
    assert done.err.startswith("error: ")
    assert_same(before, snapshot(tmp_path))


@pytest.mark.case("SE-01")
@pytest.mark.parametrize("field", ["id", "prefix"])
@pytest.mark.parametrize("name", ["../../evil", "/tmp/evil", ".", "", "x/y", "-rf"])
def test_the_head_of_a_content_root_chooses_no_path(
    box: Machine, acme: Bundle, tmp_path: Path, field: str, name: str
) -> None:
    head = (acme.root / "content.toml").read_text(encoding="utf-8")
    (acme.root / "content.toml").write_text(
        head.replace(f'{field} = "acme"', f'{field} = "{name}"'), encoding="utf-8"
    )
    before = snapshot(tmp_path)
    done = install(box, acme, "claude", scope="project")
    assert done.code == 1
    assert "content.toml" in done.err
    assert_same(before, snapshot(tmp_path))


@pytest.mark.case("SE-01")
@pytest.mark.parametrize("path", ["../../x", "../victim", "/{root}/victim", ".claude/../../victim"])
def test_a_ledger_that_was_tampered_with_deletes_nothing_outside(
    box: Machine, acme: Bundle, tmp_path: Path, path: str
) -> None:
    install(box, acme, "claude", scope="project").ok()
    victims = [
        put(box.home / "x", "x\n"),
        put(box.home / "work/victim", "x\n"),
        put(tmp_path / "victim", "x\n"),
    ]
    ledger = box.project / ".gsd/ledger.json"
    text = ledger.read_text(encoding="utf-8")
    old = '".claude/agents/acme-planner.md"'
    assert old in text
    sha256 = hashlib.sha256(b"x\n").hexdigest()
    record = json.dumps({"owners": ["claude:acme"], "sha256": sha256})
    key = json.dumps(path.replace("/{root}", str(tmp_path)))
    ledger.write_text(text.replace(old, f"{key}: {record},\n{old}", 1), encoding="utf-8")
    outside = {victim: victim.read_bytes() for victim in victims}
    for words in (["upgrade"], ["uninstall", "--yes"], ["status"], ["--check"]):
        done = box.run(*words, "--scope", "project")
        assert done.code in {0, 1, 4}, done
        assert "Traceback" not in done.err
        assert {victim: victim.read_bytes() for victim in victims} == outside


def _birds(folder: Path) -> tuple[Bundle, Bundle]:
    """Two content roots with one prefix, and a skill of one name in each."""
    one = bundle(folder, {"skills/bird/SKILL.md": SKILL})
    two = bundle(folder, {"skills/bird/SKILL.md": SKILL + "Other.\n"}, name="bird")
    head = two.root / "content.toml"
    put(head, head.read_text(encoding="utf-8").replace('prefix = "bird"', 'prefix = "acme"'))
    return one, two


@pytest.mark.case("SE-05")
def test_two_contents_that_claim_one_name_are_both_shown(box: Machine, tmp_path: Path) -> None:
    # A skill's name is its folder's, so two can claim it only from two content roots.
    one, two = _birds(tmp_path)
    before = box.tree()
    for first, second in ((one, two), (two, one)):
        done = box.run("--runtime", "claude", *first.words, *second.words, "--scope", "project")
        assert done.code == 1
        assert "claude:acme" in done.err
        assert "claude:bird" in done.err
        assert "acme-bird" in done.err
        assert_same(before, box.tree())


def test_a_second_content_does_not_take_the_first_one_s_file(box: Machine, tmp_path: Path) -> None:
    one, two = _birds(tmp_path)
    box.run("--runtime", "claude", *one.words).ok()
    installed = box.tree()
    assert box.run("--runtime", "claude", *two.words).code == 1
    assert_same(installed, box.tree())


@pytest.mark.case("SE-05")
def test_a_skill_below_a_skill_claims_no_name(box: Machine, acme: Bundle) -> None:
    acme.write({"skills/bird/SKILL.md": SKILL, "skills/a-other/bird/SKILL.md": SKILL + "Other.\n"})
    before = box.tree()
    done = install(box, acme, "claude", scope="project")
    assert done.code == 1
    assert "a-other" in done.err
    assert_same(before, box.tree())


PLUGIN = """
from gsd_install.runtime import Home, Place, Runtime, hookimpl, markdown

@hookimpl
def gsd_runtime():
    return Runtime(id="evil", title="Evil", home=Home("~/.evil"), project=".evil",
                   places=(Place("command", {path!r}, (markdown("description"),)),))
"""
DESTINATIONS = (
    "../x/{name}.md",
    "/etc/x/{name}.md",
    ".",
    "",
    "a/../../x/{name}.md",
    "sk\0ills/{name}.md",
    "skills/../..",
)


def _plugin(folder: Path, path: str) -> dict[str, str]:
    """A distribution with one runtime plugin, found through PYTHONPATH."""
    put(folder / "evil_runtime.py", PLUGIN.format(path=path))
    put(folder / "evil-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    put(folder / "evil-1.0.dist-info/entry_points.txt", "[gsd_install.runtimes]\nevil = evil_runtime\n")
    return {"PYTHONPATH": str(folder)}


@pytest.mark.case("SE-07")
@pytest.mark.parametrize("path", DESTINATIONS)
def test_a_plugin_s_destination_stays_below_the_root(
    box: Machine, acme: Bundle, tmp_path: Path, path: str
) -> None:
    acme.write(SMALL)
    env = _plugin(tmp_path / "site", path)
    before = snapshot(tmp_path / "home")
    done = box.run("--runtime", "evil", *acme.words, env=env)
    assert done.code == 1, done
    assert "evil" in done.err
    assert "path" in done.err or "place" in done.err
    assert_same(before, snapshot(tmp_path / "home"))
    assert box.run("uninstall", "--yes", env=env).code in {0, 1}
    assert_same(before, snapshot(tmp_path / "home"))


@pytest.mark.case("SE-07")
def test_a_good_destination_behind_a_link_that_leaves_the_root(
    box: Machine, acme: Bundle, tmp_path: Path
) -> None:
    acme.write(SMALL)
    env = _plugin(tmp_path / "site", "skills/{name}.md")
    outside = put(tmp_path / "outside/keep.md", "keep\n").parent
    (box.home / ".evil").mkdir()
    (box.home / ".evil/skills").symlink_to(outside)
    refused = box.run("--runtime", "evil", *acme.words, env=env)
    assert refused.code == 1
    assert str(box.home / ".evil/skills") in refused.err
    (box.home / ".evil/skills").unlink()
    box.run("--runtime", "evil", *acme.words, env=env).ok()
    (box.home / ".evil/skills/acme-plan.md").unlink()
    (box.home / ".evil/skills").rmdir()
    (box.home / ".evil/skills").symlink_to(outside)
    put(outside / "acme-plan.md", "theirs\n")
    box.run("uninstall", "--yes", env=env)
    assert sorted(path.name for path in outside.iterdir()) == ["acme-plan.md", "keep.md"]


SECRET = "s3cr3t-value"
MCP = '{"mcpServers":{"docs":{"command":"d","env":{"TOKEN":"s3cr3t-value"}}}}'


def _leaks(box: Machine, mine: Path) -> list[str]:
    files = (path for path in box.home.rglob("*") if path.is_file() and path != mine)
    return [str(path) for path in files if SECRET.encode() in path.read_bytes()]


@pytest.mark.case("SE-09")
@pytest.mark.parametrize(
    ("runtime", "name", "text"),
    [
        ("claude", ".mcp.json", MCP),
        (
            "codex",
            ".codex/config.toml",
            '[mcp_servers.docs]\ncommand = "d"\nenv = { TOKEN = "s3cr3t-value" }\n',
        ),
        ("opencode", "opencode.json", MCP.replace("mcpServers", "mcp")),
    ],
)
def test_a_secret_stays_where_it_is_and_is_never_shown(
    box: Machine, runtime: str, name: str, text: Content
) -> None:
    mine = put(box.project / name, text, 0o600)
    acme = bundle(box.project, EVERY_KIND)
    words = ("--runtime", runtime, *acme.words, "--scope", "project", "--with", "mcp")
    runs = [
        box.run(*words, "--dry-run").ok(),
        box.run(*words, "--dry-run", "--json").ok(),
        box.run(*words).ok(),
    ]
    assert SECRET in mine.read_text(encoding="utf-8")
    assert _leaks(box, mine) == []
    runs += [
        box.run("doctor", "--json"),
        box.run("status", "--json"),
        box.run("--check", "--scope", "project"),
    ]
    runs += [box.run("upgrade", "--scope", "project").ok(), uninstall(box, scope="project")]
    assert all(SECRET not in done.out + done.err for done in runs)
    assert _leaks(box, mine) == []
    assert mine.read_bytes() == str(text).encode()
