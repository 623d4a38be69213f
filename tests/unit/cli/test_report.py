from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gsd_install.content.tokens import ExactTokens
from gsd_install.kernel.measure import measure
from support.content import EVERY_KIND, HEAD, content_root
from support.installs import FOUR, Machine, machine
from support.plugins import overlays

LONG = "word " * 60
FILES: Mapping[str, str] = {
    **EVERY_KIND,
    "commands/long.md": (
        f"---\ndescription: Does much\ntier: core\n---\n# Long\n\n{LONG}\n\n## Two\n\n{LONG}\n"
    ),
    "skills/tidy/more/SKILL.md": LONG * 2,
    "references/deep/scope.md": f"{LONG}\n計画を立てる\n",
}


class Installed:
    """A home with some runtimes, and what `report` says about it."""

    def __init__(self, folder: Path, *runtimes: str, env: Mapping[str, str] | None = None) -> None:
        self.root = content_root(folder / "content", FILES, head=HEAD)
        self.box: Machine = machine(folder)
        self.env = env
        words = [word for runtime in runtimes for word in ("--runtime", runtime)]
        self.box.run(*words, "--content", str(self.root), "--profile", "full", env=env).ok()

    def report(self, *words: str) -> dict[str, Any]:
        data: dict[str, Any] = self.box.run("report", "--json", *words, env=self.env).ok().json["data"]
        return data

    def row(self, runtime: str, kind: str, *words: str) -> dict[str, Any]:
        [row] = [
            row for row in self.report(*words)["rows"] if (row["runtime"], row["kind"]) == (runtime, kind)
        ]
        return dict(row)

    def texts(self, *folders: str) -> list[str]:
        paths = [path for folder in folders for path in sorted((self.box.home / folder).rglob("*"))]
        return [path.read_text(encoding="utf-8") for path in paths if path.is_file()]


@pytest.fixture(scope="module")
def claude(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("claude"), "claude")


@pytest.mark.parametrize(
    ("kind", "folder"),
    [("command", ".claude/commands"), ("agent", ".claude/agents"), ("skill", ".claude/skills")],
)
def test_the_figures_are_those_of_the_installed_files(claude: Installed, kind: str, folder: str) -> None:
    texts = claude.texts(folder)
    row = claude.row("claude", kind)
    assert texts
    assert row["files"] == len(texts)
    assert row["bytes"] == sum(len(text.encode()) for text in texts)
    assert row["tokens"] == sum(measure(text, "tokens") for text in texts)
    assert row["largest"] == max(len(text.encode()) for text in texts)
    assert (row["limit"], row["headroom"]) == (None, None)


def test_shared_texts_are_counted_once(tmp_path: Path) -> None:
    both = Installed(tmp_path, "claude", "codex")
    texts = both.texts(".gsd/content")
    row = both.row("shared", "texts")
    assert (row["files"], row["bytes"]) == (len(texts), sum(len(text.encode()) for text in texts))
    assert row["tokens"] == sum(measure(text, "tokens") for text in texts)


def test_what_a_host_lists_has_its_price(claude: Installed) -> None:
    listed = ["ac-plan: Plans", "ac-long: Does much"]
    assert claude.row("claude", "command")["listing_tokens"] == sum(
        measure(text, "tokens") for text in listed
    )


def test_caps_on_fields_leave_room_too(claude: Installed) -> None:
    [cap] = [cap for cap in claude.row("claude", "command")["caps"] if cap["field"] == "description"]
    assert (cap["limit"], cap["unit"], cap["on_excess"]) == (1_536, "characters", "shrink")
    assert (cap["largest"], cap["headroom"]) == (len("Does much"), 1_536 - len("Does much"))


def test_tokens_are_counted_exactly_on_request(claude: Installed) -> None:
    exact = ExactTokens().cost
    row = claude.row("claude", "command", "--exact")
    assert row["tokens"] == sum(exact(text) for text in claude.texts(".claude/commands"))
    assert claude.report("--exact")["exact"] is True
    assert claude.report()["exact"] is False


def test_headroom_is_what_the_largest_file_leaves_of_the_tightest_cap(tmp_path: Path) -> None:
    caps = 'Cap("command", 5_000), Cap("command", 20, unit="lines"), Cap("command", 9_000, scope="project"),'
    made = Installed(tmp_path, "claude", env=overlays(tmp_path / "overlay", claude=caps))
    texts = made.texts(".claude/commands")
    row = made.row("claude", "command")
    lines = max(text.count("\n") for text in texts)
    assert (row["unit"], row["limit"], row["largest"], row["headroom"]) == ("lines", 20, lines, 20 - lines)
    whole = {cap["unit"]: cap for cap in row["caps"] if cap["field"] is None}
    assert set(whole) == {"bytes", "lines"}
    assert whole["bytes"]["largest"] == max(len(text.encode()) for text in texts)


def test_what_moved_aside_is_no_file_that_the_cap_is_about(tmp_path: Path) -> None:
    env = overlays(tmp_path / "overlay", claude='Cap("command", 500),', windsurf='Cap("command", 300),')
    made = Installed(tmp_path, "claude", "windsurf", env=env)
    for runtime, folder, aside in (
        ("claude", ".claude/commands", ".claude/acme/commands"),
        ("windsurf", ".codeium/windsurf/global_workflows", ".codeium/windsurf/acme/commands"),
    ):
        row = made.row(runtime, "command")
        texts = made.texts(folder)
        assert row["largest"] == max(len(text.encode()) for text in texts) <= row["limit"]
        assert row["headroom"] == row["limit"] - row["largest"]
        assert made.texts(aside)
        assert row["files"] == len([*texts, *made.texts(aside)])


def test_a_file_that_a_skill_brings_along_is_not_one_that_the_host_lists(tmp_path: Path) -> None:
    env = overlays(tmp_path / "overlay", claude='Cap("skill", 500),')
    made = Installed(tmp_path, "claude", env=env)
    row = made.row("claude", "skill")
    sizes = [path.stat().st_size for path in (made.box.home / ".claude" / "skills").rglob("SKILL.md")]
    assert len(sizes) == 2
    assert row["largest"] == min(sizes) < 500 < max(sizes)


def test_sums_with_a_cap_are_reported(tmp_path: Path) -> None:
    cap = 'Cap("skill", 20, unit="characters", on_excess="warn", field="listing"),'
    made = Installed(tmp_path, "claude", env=overlays(tmp_path / "overlay", claude=cap))
    [total] = made.report()["sums"]
    assert total == {
        "runtime": "claude",
        "kind": "skill",
        "field": "listing",
        "unit": "characters",
        "limit": 20,
        "on_excess": "warn",
        "ours": 16,
        "yours": 0,
        "used": 16,
        "over": False,
        "largest": [["ac-tidy", 16]],
    }
    mine = made.box.home / ".claude" / "skills" / "mine"
    mine.mkdir()
    (mine / "SKILL.md").write_text("---\nname: mine\ndescription: Mine\n---\n")
    [total] = made.report()["sums"]
    assert (total["yours"], total["over"]) == (8, True)
    out = made.box.run("report", env=made.env).ok().out
    assert (
        "claude: the listing of its skills has 24 of 20 characters, 8 of them your own, which is over" in out
    )


@pytest.mark.case("CS-03")
def test_a_chain_of_instructions_that_a_folder_makes_too_long_is_reported(tmp_path: Path) -> None:
    box = machine(tmp_path)
    for path, size in {"AGENTS.md": 20_000, "pkg/AGENTS.md": 15_000, "small/deep/AGENTS.md": 10}.items():
        (box.project / path).parent.mkdir(parents=True, exist_ok=True)
        (box.project / path).write_bytes(b"u" * size)
    for hidden in (".venv", "node_modules"):
        (box.project / hidden).mkdir()
        (box.project / hidden / "AGENTS.md").write_bytes(b"u" * 30_000)
    box.run("--runtime", "codex", "--scope", "project", "--with", "instructions").ok()
    block = (box.project / "AGENTS.md").stat().st_size - 20_000
    assert block > 0
    [root, pkg] = box.run("report", "--scope", "project", "--json").ok().json["data"]["sums"]
    assert (root["used"], root["yours"], root["over"]) == (20_000 + block, 20_000, False)
    assert (pkg["used"], pkg["limit"], pkg["over"]) == (35_000 + block, 32_768, True)
    assert pkg["used"] - pkg["limit"] >= 2_232
    assert pkg["largest"] == [["AGENTS.md", 20_000 + block], ["pkg/AGENTS.md", 15_000]]
    assert 15_000 + 20_000 <= pkg["yours"] < pkg["used"]
    out = box.run("report", "--scope", "project").ok().out
    assert re.search(r"^codex: the chain down to pkg/AGENTS.md has 35,\d+ of 32,768 bytes", out, re.MULTILINE)


def test_what_would_be_installed_can_be_reported_without_installing(tmp_path: Path) -> None:
    box = machine(tmp_path)
    before = box.tree()
    rows = box.run("report", "--all", "--json").ok().json["data"]["rows"]
    assert {row["runtime"] for row in rows} >= {*FOUR, "shared"}
    [windsurf] = [row for row in rows if (row["runtime"], row["kind"]) == ("windsurf", "command")]
    assert (windsurf["limit"], windsurf["unit"]) == (12_000, "bytes")
    assert 0 < windsurf["largest"] == 12_000 - windsurf["headroom"]
    assert box.tree() == before


def test_people_get_a_table_with_a_row_for_each_runtime_and_kind(claude: Installed) -> None:
    lines = claude.box.run("report").ok().out.splitlines()
    head = re.split(r"  +", lines[0])
    assert head == [
        "runtime",
        "kind",
        "files",
        "bytes",
        "tokens",
        "largest",
        "limit",
        "headroom",
        "listing tokens",
    ]
    rows = [re.split(r"  +", line) for line in lines[1:]]
    row = claude.row("claude", "agent")
    assert rows[[cells[1] for cells in rows].index("agent")] == [
        "claude",
        "agent",
        str(row["files"]),
        f"{row['bytes']:,}",
        f"{row['tokens']:,}",
        f"{row['largest']:,}",
        "none declared",
        str(row["listing_tokens"]),
    ]
    assert rows[-1][:2] == ["shared", "texts"]


def test_a_home_without_anything_has_an_empty_report(tmp_path: Path) -> None:
    data = machine(tmp_path).run("report", "--json").ok().json["data"]
    assert ([row["files"] for row in data["rows"]], data["sums"]) == ([0], [])
