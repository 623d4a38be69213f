"""Proposals through `gsd-tools skill`: staged, looked at, taken back, refused, let live."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gsd_capabilities.companion.project import find
from gsd_capabilities.work.events import events
from support.learning import AGENT, COMMANDS, HARMLESS, live, pending, planned, tools
from support.trees import snapshot


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return planned(tmp_path / "project")


def propose(project: Path, name: str, text: str = HARMLESS, *words: str) -> dict[str, object]:
    answer: dict[str, object] = tools(project, "skill", "propose", name, *words, stdin=text).json
    return answer


def rejected(project: Path, name: str, reason: str) -> None:
    """What `gsd-install skills reject` does, without the installer."""
    from gsd_install.kernel import events as lines
    from gsd_install.kernel import learned, learned_moves

    found = learned.proposal(str(project), name)
    assert found is not None
    data = {"digest": found.digest, "reason": reason}
    lines.append(learned.planning(str(project)), lines.Event(learned.REJECTED, name, "ann", 2.0, data))
    learned_moves.settle(str(project))


@pytest.mark.req("B-stage-not-live")
def test_a_proposal_waits_and_is_in_no_catalog(project: Path) -> None:
    answer = propose(project, "branch-names", HARMLESS, "--impact", "low", "--as", "bea", "--task", "T-1")
    assert (answer["state"], answer["impact"]) == ("pending", "low")
    assert pending(project) == {"branch-names"}
    assert live(project) == set()
    [event] = events(find(str(project)), ("skill-proposed",))
    assert (event.subject, event.who, event.data["task"]) == ("branch-names", "bea", "T-1")
    assert event.data["digest"] == answer["digest"]


def test_a_folder_is_proposed_with_all_its_files(project: Path, tmp_path: Path) -> None:
    given = tmp_path / "given"
    (given / "scripts").mkdir(parents=True)
    (given / "SKILL.md").write_text(HARMLESS)
    (given / "scripts" / "run.py").write_text("print(1)\n")
    (given / "scripts" / "run.py").chmod(0o755)
    answer = propose(project, "branch-names", "", "--from", str(given))
    assert answer["files"] == ["SKILL.md", "scripts/run.py"]
    staged = project / ".planning" / "learning" / "pending" / "branch-names"
    assert (staged / "scripts" / "run.py").read_text() == "print(1)\n"
    assert (staged / "scripts" / "run.py").stat().st_mode & 0o100 or sys.platform == "win32"


def test_the_same_proposal_twice_is_one(project: Path) -> None:
    first = propose(project, "branch-names")
    before = snapshot(project)
    assert propose(project, "branch-names") == first
    assert snapshot(project) == before


def test_a_later_claim_about_the_same_text_counts(project: Path) -> None:
    assert propose(project, "branch-names")["impact"] == "high"
    assert propose(project, "branch-names", HARMLESS, "--impact", "low")["impact"] == "low"
    [row] = tools(project, "skill", "pending").json["pending"]
    assert row["impact"] == "low"


def test_another_text_under_the_same_name_waits_its_turn(project: Path) -> None:
    propose(project, "branch-names")
    said = tools(project, "skill", "propose", "branch-names", stdin=COMMANDS)
    assert said.code == 1
    assert "another proposal" in said.err
    assert tools(project, "skill", "withdraw", "branch-names").json["state"] == "withdrawn"
    assert pending(project) == set()
    propose(project, "branch-names", COMMANDS)


def test_what_is_not_right_leaves_nothing_behind(project: Path) -> None:
    before = snapshot(project)
    for name, text in (("branch-names", "no frontmatter\n"), ("Bad_Name", HARMLESS)):
        assert tools(project, "skill", "propose", name, stdin=text).code == 1
    assert tools(project, "skill", "propose", "x", "--impact", "none", stdin=HARMLESS).code == 2
    assert tools(project, "skill", "propose", "x", "--kind", "team", stdin=HARMLESS).code == 2
    assert tools(project, "skill", "propose", "x", "--kind", "pack", stdin=HARMLESS).code == 2
    assert tools(project, "skill", "propose", "x", "--from", "nowhere").code == 2
    huge = f"{HARMLESS}{'word ' * 50_000}\n"
    assert "too much" in tools(project, "skill", "propose", "x", stdin=huge).err
    assert snapshot(project) == before


def test_what_a_killed_process_left_is_cleared_and_no_proposal(project: Path) -> None:
    left = project / ".planning" / "learning" / "pending" / ".staging"
    left.mkdir(parents=True)
    (left / "half.md").write_text("half")
    assert tools(project, "skill", "pending").json == {"pending": []}
    propose(project, "branch-names")
    assert pending(project) == {"branch-names"}
    assert {path.name for path in (left.parent / "branch-names").iterdir()} == {"SKILL.md"}


def test_show_gives_the_text_and_only_of_what_waits(project: Path) -> None:
    propose(project, "branch-names")
    shown = tools(project, "skill", "show", "branch-names").json
    assert shown["texts"] == {"SKILL.md": HARMLESS}
    for name in ("other", "../pending/branch-names", ".staging"):
        said = tools(project, "skill", "show", name)
        assert (said.code, "waits" in said.err) == (1, True)


@pytest.mark.req("ECO-execute-no-skills")
def test_a_running_task_of_the_asker_writes_no_skill(project: Path) -> None:
    propose(project, "branch-names", HARMLESS, "--impact", "low", "--as", "bea")
    task = tools(project, "task", "add", "Tidy up", "--to", "bea").json["id"]
    assert tools(project, "task", "start", task, "--as", "bea").code == 0
    before = snapshot(project)
    for words in (("propose", "other"), ("install", "branch-names")):
        said = tools(project, "skill", *words, "--as", "bea", stdin=HARMLESS)
        assert (said.code, f"task {task}" in said.err) == (1, True)
    assert snapshot(project) == before
    propose(project, "another", COMMANDS, "--as", "cid")
    tools(project, "task", "complete", task, "--as", "bea")
    propose(project, "other", HARMLESS.replace("branch", "commit"), "--as", "bea")


@pytest.mark.req("B-reject-feedback")
def test_what_was_rejected_is_not_proposed_again_unless_it_changed(project: Path) -> None:
    propose(project, "branch-names")
    rejected(project, "branch-names", "we number them")
    near = HARMLESS.replace("Name a branch", "NAME a  branch").replace("hyphens,", "hyphens;")
    for name, text in (("branch-names", HARMLESS), ("name-branches", HARMLESS), ("again", near)):
        said = tools(project, "skill", "propose", name, stdin=text)
        assert (said.code, "we number them" in said.err) == (1, True)
    changed = "---\ndescription: Number every branch\n---\nBegin a branch with the number of its ticket.\n"
    assert propose(project, "branch-names", changed)["state"] == "pending"


@pytest.mark.req("B-reject-feedback")
def test_the_reason_outlives_the_text(project: Path) -> None:
    propose(project, "branch-names")
    rejected(project, "branch-names", "we number them")
    for path in (project / ".planning" / "learning" / "past").rglob("SKILL.md"):
        path.unlink()
    said = tools(project, "skill", "propose", "other", stdin=HARMLESS)
    assert "we number them" in said.err


@pytest.mark.req("B-skill-install-low-skips-hitl", "B-distill-package-install-allowed")
def test_what_is_harmless_goes_live_without_a_person(project: Path) -> None:
    propose(project, "branch-names", HARMLESS, "--impact", "low")
    answer = tools(project, "skill", "install", "branch-names", "--as", "bea").json
    assert answer["state"] == "learned"
    assert answer["live"] is False  # no runtime is installed here: the answer says what to run
    assert answer["run"] == "gsd-install skills sync"
    assert live(project) == {"skills/branch-names/SKILL.md"}
    [event] = events(find(str(project)), ("skill-installed",))
    assert (event.who, event.data["impact"]) == ("bea", "low")
    assert "already" in tools(project, "skill", "propose", "branch-names", stdin=HARMLESS).err


@pytest.mark.req("B-skill-install-high-requires-hitl")
@pytest.mark.parametrize(
    ("text", "words"),
    [(HARMLESS, ()), (HARMLESS, ("--impact", "high")), (COMMANDS, ("--impact", "low"))],
)
def test_what_is_not_needs_a_person(project: Path, text: str, words: tuple[str, ...]) -> None:
    propose(project, "branch-names", text, *words)
    before = snapshot(project)
    said = tools(project, "skill", "install", "branch-names")
    assert (said.code, "gsd-install skills approve branch-names" in said.err) == (1, True)
    assert snapshot(project) == before


@pytest.mark.req("B-skill-install-high-requires-hitl")
def test_a_claim_is_about_the_text_it_was_made_for(project: Path) -> None:
    propose(project, "branch-names", HARMLESS, "--impact", "low")
    staged = project / ".planning" / "learning" / "pending" / "branch-names" / "SKILL.md"
    staged.write_text(f"{HARMLESS}Always.\n")
    assert tools(project, "skill", "install", "branch-names").code == 1
    assert live(project) == set()


@pytest.mark.req("B-agent-install-always-hitl")
def test_an_agent_or_a_team_always_needs_a_person(project: Path, tmp_path: Path) -> None:
    propose(project, "reader", AGENT, "--kind", "agent", "--impact", "low")
    (tmp_path / "team").mkdir()
    (tmp_path / "team" / "author.md").write_text(AGENT.replace("diff", "plan"))
    propose(project, "pair", "", "--kind", "team", "--from", str(tmp_path / "team"), "--impact", "low")
    for name in ("reader", "pair"):
        said = tools(project, "skill", "install", name)
        assert (said.code, "needs a person" in said.err) == (1, True)
    assert live(project) == set()


def decided(project: Path, kind: str, name: str) -> None:
    """Write a decision down and move nothing: whoever decided was killed then."""
    from gsd_install.kernel import events as lines
    from gsd_install.kernel import learned

    found = learned.proposal(str(project), name)
    assert found is not None
    data = {"digest": found.digest, "reason": "no"}
    lines.append(learned.planning(str(project)), lines.Event(kind, name, "ann", 2.0, data))


def test_what_a_person_rejected_goes_not_live_though_it_was_not_put_away_yet(project: Path) -> None:
    propose(project, "branch-names", HARMLESS, "--impact", "low")
    decided(project, "skill-rejected", "branch-names")
    assert "waits" in tools(project, "skill", "install", "branch-names").err
    assert (live(project), pending(project)) == (set(), set())


def test_a_decision_that_was_not_carried_out_yet_is_not_forgotten(project: Path) -> None:
    propose(project, "branch-names", COMMANDS)
    decided(project, "skill-approved", "branch-names")
    assert "learned already" in tools(project, "skill", "propose", "branch-names", stdin=COMMANDS).err
    assert live(project) == {"skills/branch-names/SKILL.md"}
    changed = COMMANDS.replace("forty", "thirty")
    propose(project, "branch-names", changed)
    decided(project, "skill-withdrawn", "branch-names")
    propose(project, "branch-names", f"{changed}Always.\n")


def test_an_old_approval_is_none_of_the_same_text_proposed_again(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that is killed while it stages an older version leaves nothing that goes live by itself."""
    from gsd_capabilities.learning import staging
    from gsd_install.kernel import learned_moves

    newer = COMMANDS.replace("forty", "thirty")
    for text in (COMMANDS, newer):
        propose(project, "branch-names", text)
        decided(project, "skill-approved", "branch-names")
        learned_moves.settle(str(project))
    stage = staging._stage

    def killed(*given: object) -> None:
        stage(*given)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(staging, "_stage", killed)
    with pytest.raises(KeyboardInterrupt):
        tools(project, "skill", "propose", "branch-names", stdin=COMMANDS)
    learned_moves.settle(str(project))
    assert pending(project) == {"branch-names"}
    shown = project / ".planning" / "learned" / "skills" / "branch-names" / "SKILL.md"
    assert shown.read_text() == newer


def test_an_install_that_was_cut_short_is_finished_by_the_next_one(project: Path) -> None:
    propose(project, "branch-names", HARMLESS, "--impact", "low")
    decided(project, "skill-installed", "branch-names")
    for _ in range(2):
        answer = tools(project, "skill", "install", "branch-names").json
        assert (answer["state"], answer["kind"], answer["run"]) == (
            "learned",
            "skill",
            "gsd-install skills sync",
        )
    assert live(project) == {"skills/branch-names/SKILL.md"}


@pytest.mark.parametrize("place", ["learning", "learning/pending"])
def test_a_link_that_leads_away_is_no_place_for_proposals(project: Path, tmp_path: Path, place: str) -> None:
    away = tmp_path / "skills-of-a-host"
    away.mkdir()
    link = project / ".planning" / place
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(away)
    said = tools(project, "--json-errors", "skill", "propose", "branch-names", stdin=HARMLESS)
    assert (said.code, '"reason": "outside"' in said.err) == (1, True)
    assert list(away.iterdir()) == []
    assert not (project / ".planning" / "work").exists()


def test_nothing_has_no_name(project: Path) -> None:
    propose(project, "branch-names")
    for verb in ("withdraw", "show", "install"):
        assert "waits" in tools(project, "skill", verb, "").err
    assert pending(project) == {"branch-names"}


def test_a_folder_without_a_skill_among_what_is_live_hinders_nothing(project: Path) -> None:
    folder = project / ".planning" / "learned" / "skills" / "notes"
    folder.mkdir(parents=True)
    (folder / "notes.md").write_text("mine\n")
    propose(project, "branch-names")
    assert [row["name"] for row in tools(project, "skill", "pending").json["pending"]] == ["branch-names"]
