"""Sums that a host limits: its listing, and the instruction files it reads in a chain."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gsd_install.apply.ledger import Ledger, Owned
from gsd_install.apply.location import project_location
from gsd_install.apply.model import Location
from gsd_install.configedit import edit
from gsd_install.contents import Content
from gsd_install.kernel.errors import GsdError
from gsd_install.pipeline import Prepared, prepare
from gsd_install.plugins import Plugin, Plugins
from gsd_install.runtime import Cap, Entry, Home, Place, Runtime, Surface, inline, skill
from gsd_install.runtime.platform import Platform
from gsd_install.units import Wish
from support.content import content_root

BLOCK = Surface("instructions", "block", ("./AGENTS.md",), (Entry(("{block}",), "{text}"),), scope="project")
ACME = Runtime(
    "acme",
    "Acme",
    Home("~/.acme"),
    ".acme",
    (Place("skill", "skills/{name}/SKILL.md", (skill,)), Place("command", "commands/{name}.md", (inline,))),
    surfaces=(BLOCK,),
)
OTHER = ACME._replace(id="other", title="Other", project=".other")
READER = ACME._replace(
    id="reader", title="Reader", project=".reader", cross_reads=("./.acme/skills/{name}/SKILL.md",)
)
SKILL = "---\ndescription: {}\ntier: core\n---\nbody\n"


class Fakes(Plugins):
    """Runtimes as a test describes them, with their caps."""

    def __init__(self, *rows: tuple[Runtime, tuple[Cap, ...]]) -> None:
        self._rows = {runtime.id: Plugin(runtime, caps, (), {}, ("test",)) for runtime, caps in rows}

    def get(self, runtime_id: str) -> Plugin:
        try:
            return self._rows[runtime_id]
        except KeyError:
            raise GsdError("no such plugin", reason="gone") from None


class Box(NamedTuple):
    """A project and what is recorded in it."""

    project: Path
    content: Path

    @property
    def location(self) -> Location:
        return project_location(
            Platform("linux", str(self.project.parent), {}, str(self.project)), str(self.project)
        )

    def prepared(
        self,
        plugins: Fakes,
        files: Mapping[str, str],
        *runtimes: str,
        ledger: Ledger | None = None,
        **wish: Any,
    ) -> Prepared:
        content = Content(str(content_root(self.content, files)))
        wishes = [(runtime, content, Wish("full", **wish)) for runtime in runtimes or ("acme",)]
        return prepare(self.location, ledger or Ledger(), plugins, wishes)


@pytest.fixture
def box(tmp_path: Path) -> Box:
    (tmp_path / "project").mkdir()
    return Box(tmp_path / "project", tmp_path / "content")


def warnings(prepared: Prepared) -> list[str]:
    return [warning for unit in prepared.units for warning in unit.warnings]


def skills(*lengths: int) -> dict[str, str]:
    """One skill for each length of a description; each name, `ac-s0`, has five characters."""
    return {f"skills/s{number}/SKILL.md": SKILL.format("d" * length) for number, length in enumerate(lengths)}


def listing(limit: int, **more: Any) -> Cap:
    return Cap("skill", limit, "characters", **{"on_excess": "warn", "field": "listing", **more})


# Listings.


@pytest.mark.case("CS-07")
@pytest.mark.parametrize(("limit", "warned"), [(329, True), (330, False), (331, False)])
def test_a_listing_is_the_sum_of_all_names_and_descriptions(box: Box, limit: int, warned: bool) -> None:
    found = box.prepared(Fakes((ACME, (listing(limit),))), skills(100, 100, 115))
    [total] = found.sums
    assert (total.runtime, total.ours, total.yours, total.used, total.over) == ("acme", 330, 0, 330, warned)
    assert total.largest == (("ac-s2", 120), ("ac-s0", 105), ("ac-s1", 105))
    if warned:
        [said] = warnings(found)
        assert said == (
            "Acme would list 330 characters of skills, 0 of them your own, the limit is 329; "
            "the largest are ac-s2 (120), ac-s0 (105), ac-s1 (105)"
        )
    else:
        assert warnings(found) == []


@pytest.mark.case("CS-07")
def test_what_the_user_has_there_counts_too(box: Box) -> None:
    mine = box.project / ".acme" / "skills"
    for name, text in {
        "mine": "---\nname: mine\ndescription: 0123456789\n---\n",
        "unreadable": "---\nname: [\n",
        "bytes": b"\xff\xfe",
        "empty": None,
    }.items():
        (mine / name).mkdir(parents=True)
        if text is not None:
            (mine / name / "SKILL.md").write_bytes(text if isinstance(text, bytes) else text.encode())
    (mine / "stray.txt").write_text("x")
    [total] = box.prepared(Fakes((ACME, (listing(10),))), skills(50)).sums
    assert (total.ours, total.yours) == (55, len("mine0123456789") + len("unreadable") + len("bytes"))


def test_files_of_ours_count_as_ours_and_those_that_go_do_not_count(box: Box) -> None:
    for name in ("old", "kept"):
        folder = box.project / ".acme" / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: abc\n---\n")
    files = {
        ".acme/skills/old/SKILL.md": Owned("", False, ("acme:acme",)),
        ".acme/skills/kept/SKILL.md": Owned("", False, ("acme:other",)),
    }
    found = box.prepared(Fakes((ACME, (listing(10),))), skills(50), ledger=Ledger(files=files))
    [total] = found.sums
    assert (total.ours, total.yours) == (55 + len("keptabc"), 0)


def test_a_shrunk_description_counts_as_it_is_written(box: Box) -> None:
    caps = (listing(10), Cap("skill", 40, "characters", on_excess="shrink", field="description"))
    found = box.prepared(Fakes((ACME, caps)), {"skills/s0/SKILL.md": SKILL.format("word " * 50)})
    [total] = found.sums
    assert 35 < total.ours <= 45


def test_a_listing_that_refuses_names_the_sizes_and_writes_nothing(box: Box) -> None:
    with pytest.raises(GsdError) as caught:
        box.prepared(Fakes((ACME, (listing(10, on_excess="refuse"),))), skills(50))
    assert caught.value.reason == "over_cap"
    assert "55 characters" in str(caught.value)
    assert "--profile" in str(caught.value.hint)


def test_a_cap_of_the_other_scope_or_kind_counts_nothing(box: Box) -> None:
    caps = (listing(1, scope="global"), listing(1)._replace(kind="agent"))
    found = box.prepared(Fakes((ACME, caps)), skills(50))
    assert [total.used for total in found.sums] == [0]
    assert warnings(found) == []


def test_two_contents_of_one_host_are_one_listing_and_one_warning(box: Box, tmp_path: Path) -> None:
    one = content_root(tmp_path / "one", skills(50))
    head = 'format = 1\nid = "two"\nname = "Two"\nversion = "1"\nprefix = "tw"\n'
    two = content_root(tmp_path / "two", skills(70), head=head)
    wishes = [("acme", Content(str(root)), Wish("full")) for root in (one, two)]
    found = prepare(box.location, Ledger(), Fakes((ACME, (listing(100),))), wishes)
    assert [total.used for total in found.sums] == [130]
    assert len(warnings(found)) == 1


def test_skills_of_another_host_that_this_one_lists_count_once(box: Box) -> None:
    plugins = Fakes((ACME, ()), (READER, (listing(1),)))
    mine = box.project / ".acme" / "skills" / "mine"
    mine.mkdir(parents=True)
    (mine / "SKILL.md").write_text("---\nname: mine\ndescription: abc\n---\n")
    for runtimes in (("reader",), ("acme", "reader")):
        [total] = box.prepared(plugins, skills(50), *runtimes).sums
        assert (total.ours, total.yours) == (55, 7), runtimes


# Chains.

RULE = "Rule text. " * 40
RULES = {f"rules/r{number}.md": f"{RULE}END{number}\n" for number in range(3)} | skills(5)


def chain(limit: int, **more: Any) -> Cap:
    return Cap("rule", limit, **{"on_excess": "warn", "field": "chain", **more})


def with_rules(box: Box, plugins: Fakes, *runtimes: str, **more: Any) -> Prepared:
    return box.prepared(plugins, RULES, *runtimes, surfaces=frozenset({"instructions"}), **more)


def written(box: Box, prepared: Prepared) -> bytes:
    """AGENTS.md as it will be."""
    path = box.project / "AGENTS.md"
    data = path.read_bytes() if path.exists() else None
    for item in prepared.desired.edits:
        assert item.path == str(path)
        data, _ = edit.put(data, item.format, item.pointer, item.value, file=item.path)
    return data or b""


def pointed_at(box: Box, prepared: Prepared) -> dict[str, str]:
    """The files that the block names, as they will be."""
    [item] = prepared.desired.edits
    texts = {file.path: file.data.decode() for file in prepared.desired.files}
    return {
        path: texts[str(box.project / path)] for path in re.findall(r"^- (\S+)$", item.value, re.MULTILINE)
    }


@pytest.mark.case("CS-03")
def test_a_block_that_does_not_fit_beside_the_users_part_becomes_a_pointer(box: Box) -> None:
    yours = b"u" * 2_999 + b"\n"
    (box.project / "AGENTS.md").write_bytes(yours)
    whole = len(written(box, with_rules(box, Fakes((ACME, ())))))
    for limit in (whole, whole + 1):
        found = with_rules(box, Fakes((ACME, (chain(limit),))))
        assert warnings(found) == []
        assert len(written(box, found)) == whole
    found = with_rules(box, Fakes((ACME, (chain(whole - 1),))))
    after = written(box, found)
    assert len(after) < whole
    assert after.startswith(yours)
    [said] = warnings(found)
    assert said == (
        f"AGENTS.md would have 3,000 bytes of yours and {whole - 3_000:,} of ours, "
        f"the limit of Acme is {whole - 1:,}: the block points at the rules instead"
    )
    assert [(total.yours, total.used) for total in found.sums] == [(3_000, len(after))]


@pytest.mark.case("CS-05")
def test_every_rule_is_a_file_of_its_own_and_none_is_cut(box: Box) -> None:
    files = pointed_at(box, with_rules(box, Fakes((ACME, (chain(600),)))))
    assert list(files.values()) == [f"{RULE}END{number}\n" for number in range(3)]
    assert list(files) == [f".gsd/content/acme/rules/r{number}.md" for number in range(3)]


@pytest.mark.case("CS-03")
def test_where_even_a_pointer_is_too_much_nothing_of_ours_is_written(box: Box) -> None:
    (box.project / "AGENTS.md").write_bytes(b"u" * 3_000)
    found = with_rules(box, Fakes((ACME, (chain(3_050),))))
    assert found.desired.edits == ()
    assert not [file for file in found.desired.files if "/rules/" in file.path]
    [said] = warnings(found)
    assert "3,000 bytes of yours" in said
    assert "the limit of Acme is 3,050" in said
    assert "nothing of ours is in it" in said


def test_a_chain_that_refuses_stops_before_anything_is_written(box: Box) -> None:
    (box.project / "AGENTS.md").write_bytes(b"u" * 3_000)
    with pytest.raises(GsdError) as caught:
        with_rules(box, Fakes((ACME, (chain(3_050, on_excess="refuse"),))))
    assert (caught.value.reason, caught.value.file) == ("over_cap", str(box.project / "AGENTS.md"))
    assert "instructions" in str(caught.value.hint)
    assert with_rules(box, Fakes((ACME, (chain(3_600, on_excess="refuse"),)))).desired.edits


@pytest.mark.parametrize("limit", [600, 5_000])
def test_what_is_in_the_file_already_does_not_count_twice(box: Box, limit: int) -> None:
    path = box.project / "AGENTS.md"
    path.write_bytes(b"mine\n")
    plugins = Fakes((ACME, (chain(limit),)))
    first = with_rules(box, plugins)
    path.write_bytes(written(box, first))
    second = with_rules(box, plugins)
    assert second.desired.edits == first.desired.edits
    assert second.sums == first.sums


def test_hosts_that_read_one_file_keep_the_caps_of_all_of_them(box: Box) -> None:
    plugins = Fakes((ACME, (chain(600),)), (OTHER, ()))
    found = with_rules(box, plugins, "other", "acme")
    [item] = found.desired.edits
    assert item.owners == ("acme:acme", "other:acme")
    assert "- .gsd/content/acme/rules/r0.md" in item.value
    # The one with the cap is installed already, or its plugin has gone.
    record = {"acme:acme": {"with": ["instructions"], "profile": "full"}}
    alone = with_rules(box, plugins, "other", ledger=Ledger(units=record))
    assert alone.desired.edits[0].value == item.value
    gone = with_rules(box, Fakes((OTHER, ())), "other", ledger=Ledger(units=record))
    assert "END2" in gone.desired.edits[0].value


def test_a_rule_that_names_its_host_stands_below_the_hosts_directory(box: Box) -> None:
    files = {"rules/a.md": f"In {{gsd:runtime}} do this. {RULE}\n", **skills(5)}
    found = box.prepared(Fakes((ACME, (chain(300),))), files, surfaces=frozenset({"instructions"}))
    [(path, text)] = pointed_at(box, found).items()
    assert path == ".acme/acme/rules/a.md"
    assert text.startswith("In Acme do this.")


def test_other_surfaces_and_hosts_without_caps_are_left_alone(box: Box) -> None:
    found = with_rules(box, Fakes((ACME, ())))
    assert found.sums == ()
    assert "END2" in found.desired.edits[0].value
    none = box.prepared(Fakes((ACME, (chain(1),))), RULES)
    assert (none.desired.edits, none.sums) == ((), ())
