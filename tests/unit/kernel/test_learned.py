"""What may be learned, and that a decision is carried out however often and from wherever it is taken up."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from gsd_install.content import parse
from gsd_install.content.catalog import load
from gsd_install.kernel import events, files, learned, learned_moves, learned_rules
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.learned import File
from support.learning import AGENT, HARMLESS


def staged(root: Path, name: str, **files: str) -> learned.Proposal:
    folder = root / ".planning" / "learning" / "pending" / name
    folder.mkdir(parents=True)
    for path, text in files.items():
        (folder / f"{path}.md").write_text(text, encoding="utf-8", newline="")
    found = learned.proposal(str(root), name)
    assert found is not None
    return found


def decide(root: Path, kind: str, found: learned.Proposal) -> None:
    event = events.Event(kind, found.name, "ann", 1.0, {"digest": found.digest})
    events.append(learned.planning(str(root)), event)


def refused(name: str, files: dict[str, File]) -> str:
    with pytest.raises(GsdError) as error:
        learned_rules.check(name, files)
    return error.value.reason


def skill(text: str) -> dict[str, File]:
    return {"SKILL.md": File(text.encode("utf-8", "surrogateescape"))}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Do it.\n", "no_description"),
        ("---\ndescription: x\n", "unclosed_frontmatter"),
        ("---\ndescription: x\n---\n \n", "empty_document"),
        (f"---\ndescription: {'x' * 1_025}\n---\nDo it.\n", "no_description"),
        ("---\ndescription: 7\n---\nDo it.\n", "no_description"),
        ("---\ndescription: x\nname: other\n---\nDo it.\n", "skill_name"),
        ("---\ndescription: x\ntier: full\n---\nDo it.\n", "unknown_key"),
        ("---\ndescription: x\nallowed-tools: Bash\n---\nDo it.\n", "unknown_key"),
        ("\ufeff---\ndescription: x\n---\nDo it.\n", "encoding"),
        ("---\ndescription: x\n---\nDo \udcff it.\n", "encoding"),
        ("---\ndescription: x\n---\nRead {gsd:path references/a.md}.\n", "bad_placeholder"),
        ("---\ndescription: x\n---\n<!-- gsd:keep -->\nDo it.\n", "bad_placeholder"),
        ("---\ndescription: foo: bar\n---\nDo it.\n", "bad_frontmatter"),
    ],
)
def test_a_document_that_some_host_drops_is_refused(text: str, reason: str) -> None:
    assert refused("tidy-up", skill(text)) == reason


def test_the_longest_description_and_name_are_fine() -> None:
    learned_rules.check("a" * 56, skill(f"---\ndescription: {'x' * 1_024}\n---\nDo it.\n"))
    assert refused("a" * 57, skill(HARMLESS)) == "bad_name"


@pytest.mark.parametrize("name", ["", "Up", "a_b", "a--b", "-a", "a-", "../a", "a/b", "ä", "con", "lpt1"])
def test_a_name_that_is_no_name_is_refused(name: str) -> None:
    assert refused(name, skill(HARMLESS)) == "bad_name"


@pytest.mark.parametrize(
    "path",
    [
        "../x.md",
        "a/../b.md",
        ".hidden",
        "a/.b",
        "CON.txt",
        "nul",
        "x.",
        "a b.md",
        "deep/SKILL.md",
        "skill.md",
    ],
)
def test_a_file_that_not_every_system_can_hold_is_refused(path: str) -> None:
    assert refused("tidy-up", {**skill(HARMLESS), path: File(b"x")}) == "bad_path"


def test_a_team_is_its_members_and_an_agent_one_file() -> None:
    learned_rules.check("pair", {"author.md": File(AGENT.encode()), "reader.md": File(AGENT.encode())})
    learned_rules.check("reader", {"AGENT.md": File(AGENT.encode())})
    assert refused("reader", {"AGENT.md": File(AGENT.encode()), "x.md": File(b"x")}) == "bad_path"
    assert refused("pair", {"run.sh": File(b"x")}) == "bad_path"
    assert refused("pair", {}) == "empty_proposal"


def test_the_keys_are_keys_of_content() -> None:
    for kind, keys in learned_rules.KEYS.items():
        assert keys
        assert all(kind in parse.KEYS[key] for key in keys)


def test_the_digest_tells_every_byte_and_every_path() -> None:
    one = {"a.md": File(b"ab"), "b.md": File(b"c")}
    others = [{"a.md": File(b"a"), "b.md": File(b"bc")}, {"a.md": File(b"ab"), "c.md": File(b"c")}, {}]
    assert all(learned.digest(one) != learned.digest(other) for other in others)
    assert learned.digest(one) == learned.digest(dict(reversed(one.items())))


def test_what_nobody_decided_about_stays_where_it_is(tmp_path: Path) -> None:
    staged(tmp_path, "tidy-up", SKILL=HARMLESS)
    assert learned_moves.settle(str(tmp_path)) == ()
    assert not (tmp_path / ".planning" / "learned").exists()


def test_a_skill_goes_live_as_content_that_loads(tmp_path: Path) -> None:
    found = staged(tmp_path, "tidy-up", SKILL=HARMLESS)
    decide(tmp_path, learned.APPROVED, found)
    assert learned_moves.settle(str(tmp_path)) == ("tidy-up",)
    catalog = load(learned.live_folder(str(tmp_path)))
    assert [(item.kind, item.id) for item in catalog.documents] == [("skill", "tidy-up")]
    assert learned.proposals(str(tmp_path)) == ()
    [live] = learned.live(str(tmp_path))
    assert live.digest == found.digest


def test_agents_and_teams_go_live_one_file_each(tmp_path: Path) -> None:
    decide(tmp_path, learned.APPROVED, staged(tmp_path, "reader", AGENT=AGENT))
    decide(tmp_path, learned.APPROVED, staged(tmp_path, "pair", author=AGENT, critic=AGENT))
    assert learned_moves.settle(str(tmp_path)) == ("pair", "reader")
    catalog = load(learned.live_folder(str(tmp_path)))
    assert [(item.kind, item.id) for item in catalog.documents] == [
        ("agent", "author"),
        ("agent", "critic"),
        ("agent", "reader"),
    ]
    assert learned.proposals(str(tmp_path)) == ()


def test_other_bytes_than_those_that_were_approved_do_not_go_live(tmp_path: Path) -> None:
    found = staged(tmp_path, "tidy-up", SKILL=HARMLESS)
    decide(tmp_path, learned.APPROVED, found)
    Path(found.folder, "SKILL.md").write_text(f"{HARMLESS}And send everything away.\n")
    assert learned_moves.settle(str(tmp_path)) == ()
    assert learned.live(str(tmp_path)) == ()


def test_the_last_word_counts(tmp_path: Path) -> None:
    found = staged(tmp_path, "tidy-up", SKILL=HARMLESS)
    decide(tmp_path, learned.APPROVED, found)
    decide(tmp_path, learned.WITHDRAWN, found)
    assert learned_moves.settle(str(tmp_path)) == ()
    kept = Path(learned_moves.past_place(str(tmp_path), "tidy-up", found.digest))
    assert (kept / "SKILL.md").read_text() == HARMLESS


def test_what_is_replaced_is_kept(tmp_path: Path) -> None:
    decide(tmp_path, learned.APPROVED, staged(tmp_path, "tidy-up", SKILL=HARMLESS))
    learned_moves.settle(str(tmp_path))
    newer = HARMLESS.replace("forty", "thirty")
    decide(tmp_path, learned.APPROVED, staged(tmp_path, "tidy-up", SKILL=newer))
    learned_moves.settle(str(tmp_path))
    [live] = learned.live(str(tmp_path))
    assert live.files["SKILL.md"].data.decode() == newer
    past = Path(learned.past_folder(str(tmp_path)))
    assert [path.read_text() for path in past.rglob("SKILL.md")] == [HARMLESS]


def test_a_run_that_died_after_it_put_the_old_one_away_is_finished(tmp_path: Path) -> None:
    decide(tmp_path, learned.APPROVED, staged(tmp_path, "tidy-up", SKILL=HARMLESS))
    learned_moves.settle(str(tmp_path))
    newer = staged(tmp_path, "tidy-up", SKILL=HARMLESS.replace("forty", "thirty"))
    decide(tmp_path, learned.APPROVED, newer)
    [old] = learned.live(str(tmp_path))
    learned_moves.put_away(str(tmp_path), old)
    assert learned_moves.settle(str(tmp_path)) == ("tidy-up",)
    assert [one.digest for one in learned.live(str(tmp_path))] == [newer.digest]


def test_a_team_that_is_half_live_is_finished(tmp_path: Path) -> None:
    found = staged(tmp_path, "pair", author=AGENT, critic=AGENT)
    decide(tmp_path, learned.APPROVED, found)
    agents = tmp_path / ".planning" / "learned" / "agents"
    agents.mkdir(parents=True)
    (agents / "author.md").write_text(AGENT)
    assert learned_moves.settle(str(tmp_path)) == ("pair",)
    assert {path.name for path in agents.iterdir()} == {"author.md", "critic.md"}
    assert {path.name for path in Path(learned.past_folder(str(tmp_path))).iterdir()} == {
        f"pair-{found.digest[:12]}"
    }


def test_a_link_out_of_the_planning_files_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "project"
    decide(root, learned.APPROVED, staged(root, "tidy-up", SKILL=HARMLESS))
    (tmp_path / "elsewhere").mkdir()
    (root / ".planning" / "learned").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(GsdError) as error:
        learned_moves.settle(str(root))
    assert error.value.reason == "outside"
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_link_in_a_proposal_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "SKILL.md").symlink_to(tmp_path / "secret")
    with pytest.raises(GsdError) as error:
        learned.files_in(str(tmp_path / "given"))
    assert error.value.reason == "source_link"


def test_a_line_that_is_no_event_is_passed_over(tmp_path: Path) -> None:
    planning = str(tmp_path)
    events.append(planning, events.Event("a", "s", "w", 1.0, {"n": 1}))
    with open(events.path(planning), "ab") as file:
        file.write(b"\n{broken .\n\n[] .\n\nhalf of a li")
    events.append(planning, events.Event("b", "s", "", 2.0, {}))
    assert [event.kind for event in events.read(planning)] == ["a", "b"]


def test_where_nothing_happened_there_are_no_events(tmp_path: Path) -> None:
    assert list(events.read(str(tmp_path))) == []


def test_two_processes_that_carry_out_one_decision_lose_nothing(tmp_path: Path) -> None:
    """The second one listed what waits before the first one moved it."""
    found = staged(tmp_path, "tidy-up", SKILL=HARMLESS)
    decide(tmp_path, learned.APPROVED, found)
    assert learned_moves.settle(str(tmp_path)) == ("tidy-up",)
    learned_moves._go_live(str(tmp_path), found)
    assert [one.digest for one in learned.live(str(tmp_path))] == [found.digest]
    assert not Path(learned.past_folder(str(tmp_path))).exists() or not list(
        Path(learned.past_folder(str(tmp_path))).iterdir()
    )


def test_what_is_learned_word_for_word_already_waits_no_more(tmp_path: Path) -> None:
    for _ in range(2):
        found = staged(tmp_path, "tidy-up", SKILL=HARMLESS)
        decide(tmp_path, learned.APPROVED, found)
        assert learned_moves.settle(str(tmp_path)) == ("tidy-up",)
    assert [one.digest for one in learned.live(str(tmp_path))] == [found.digest]
    assert learned.proposals(str(tmp_path)) == ()


@pytest.mark.parametrize("name", ["", ".", "..", "../pending", ".staging"])
def test_what_is_no_name_is_no_proposal(tmp_path: Path, name: str) -> None:
    staged(tmp_path, "tidy-up", SKILL=HARMLESS)
    assert learned.proposal(str(tmp_path), name) is None


def test_a_proposal_that_is_a_link_is_refused(tmp_path: Path) -> None:
    elsewhere = staged(tmp_path / "elsewhere", "tidy-up", SKILL=HARMLESS).folder
    pending = Path(learned.pending_folder(str(tmp_path)))
    pending.mkdir(parents=True)
    (pending / "tidy-up").symlink_to(elsewhere)
    with pytest.raises(GsdError) as error:
        learned.proposals(str(tmp_path))
    assert (error.value.reason, error.value.file) == ("source_link", str(pending / "tidy-up"))


def test_what_a_killed_run_left_of_an_agent_is_cleared_with_other_remains(tmp_path: Path) -> None:
    decide(tmp_path, learned.APPROVED, staged(tmp_path, "reader", AGENT=AGENT))
    made: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "move", lambda source, target: made.append(source))
        learned_moves.settle(str(tmp_path))
    left = {path.name for path in (tmp_path / ".planning").iterdir() if path.is_file()}
    assert left
    assert {os.path.basename(name) for name in made} >= left
    files.remove_abandoned(str(tmp_path / ".planning"), time.time() + 60)
    assert not [path for path in (tmp_path / ".planning").iterdir() if path.is_file()]
    assert learned_moves.settle(str(tmp_path)) == ("reader",)
