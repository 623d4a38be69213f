"""Content of capabilities in the catalog of the core: what joins it, and what is left out with its reason."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.content.capability import KEYS as MANIFEST_KEYS
from gsd_install.content.capability import capability
from gsd_install.content.catalog import PACKED, load, load_with, pack
from gsd_install.content.coherence import faults
from gsd_install.content.extension import CONTRIBUTION_KEYS, GATE_KEYS, SETTING_KEYS, STEP_KEYS
from gsd_install.content.feature import Capability
from gsd_install.content.order import at_point
from gsd_install.content.select import select
from gsd_install.kernel.errors import GsdError, ManyErrors
from support.capabilities import AGENT, CORE, RESEARCH, RESEARCH_FILES, bare, feature, merged
from support.content import content_root

HEAD = ("id", "role", "title")
KEYS = sorted({*MANIFEST_KEYS, *STEP_KEYS, *GATE_KEYS, *CONTRIBUTION_KEYS, *SETTING_KEYS})
STEP = '[[step]]\nid = "s"\npoint = "plan:pre"\nagent = "planner"\n'


def only_fault(root: Path, files: Mapping[str, str], *before: Mapping[str, str]) -> GsdError:
    """The error of the last capability, while the others are in."""
    catalog, found = merged(root, *before, files)
    [(name, error)] = found.items()
    assert f'id = "{name}"' in files["capability.toml"]
    assert [item.said.id for item in catalog.features] == [
        line.split('"')[1] for other in before for line in other["capability.toml"].splitlines()[:1]
    ]
    return error


def test_documents_keep_their_paths_and_are_read_like_those_of_the_core(tmp_path: Path) -> None:
    catalog, found = merged(tmp_path, RESEARCH_FILES)
    assert found == {}
    paths = [document.path for document in catalog.documents]
    assert paths == sorted([*CORE, "agents/researcher.md", "references/research/how.md"])
    assert catalog.at("agents/researcher.md") == f"{tmp_path}/feature-0/agents/researcher.md"
    assert catalog.at("agents/planner.md") == f"{tmp_path}/core/agents/planner.md"


def test_the_core_alone_is_what_it_is_without_capabilities(tmp_path: Path) -> None:
    merged(tmp_path, RESEARCH_FILES)
    core = load(str(tmp_path / "core"))
    assert load_with(str(tmp_path / "core")).catalog == core
    assert core.features == ()
    assert not any(document.id == "researcher" for document in core.documents)


def test_an_install_profile_holds_what_hooks_dispatch_and_read(tmp_path: Path) -> None:
    catalog, _ = merged(tmp_path, RESEARCH_FILES)
    held = {
        profile: {document.path for document in select(catalog, profile)} for profile in ("core", "standard")
    }
    own = {"agents/researcher.md", "references/research/how.md"}
    assert own <= held["standard"]
    assert own.isdisjoint(held["core"])
    assert "references/size.md" in held["standard"], "what a document of a hook points at comes along"


def test_documents_are_lifted_to_the_tier_of_their_capability(tmp_path: Path) -> None:
    files = {
        "capability.toml": bare("big", tier='"full"', agents='["one"]', commands='["two"]'),
        "agents/one.md": AGENT,
        "commands/two.md": "---\ndescription: Two.\ntier: core\n---\nUse {gsd:agent one}.\n",
    }
    catalog, found = merged(tmp_path, files)
    assert found == {}
    tiers = {document.path: document.tier for document in catalog.documents if document.kind != "reference"}
    assert (tiers["agents/one.md"], tiers["commands/two.md"], tiers["agents/planner.md"]) == (
        "full", "full", "standard"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("files", "word"),
    [
        ({"references/x.md": "{gsd:path references/gone.md}\n"}, "references/gone.md"),
        ({"references/x.md": "{gsd:what}\n"}, "what"),
        ({"agents/a.md": AGENT}, "agents does not name it"),
        ({"capability.toml": bare("bad", agents='["a"]')}, "agents/ does not hold it"),
        ({"references/size.md": "Large.\n"}, "the core brings references/size.md"),
        ({"references/SIZE.md": "Large.\n"}, "the core brings references/SIZE.md"),
        (
            {"skills/plan/SKILL.md": AGENT, "capability.toml": bare("bad", skills='["plan"]')},
            "the core brings the name 'plan'",
        ),
        ({"capability.toml": bare("bad", f'{STEP}read = "references/gone.md"\n')}, "no neutral body"),
        ({"capability.toml": bare("bad", f'{STEP}read = "references/host.md"\n')}, "no neutral body"),
        ({"capability.toml": bare("bad", f'{STEP}read = "agents/planner.md"\n')}, "no neutral body"),
        (
            {"capability.toml": bare("bad", STEP.replace("planner", "nobody") + 'text = "x"\n')},
            "the agent 'nobody'",
        ),
        ({"capability.toml": bare("bad", f'{STEP}text = "x"\n', tier='"core"')}, "whose tier is standard"),
        (
            {
                "capability.toml": bare(
                    "bad", '[[contribution]]\npoint = "plan:pre"\ninto = "nobody"\ntext = "x"\n'
                )
            },
            "'nobody'",
        ),
        (
            {
                "capability.toml": bare(
                    "bad", '[[gate]]\nid = "g"\npoint = "plan:pre"\npredicate = "PLAN.GONE"\nmessage = "m"\n'
                )
            },
            "PLAN.GONE",
        ),
        ({"capability.toml": bare("bad", f'{STEP}text = "x"\nwhen = "workflow.gone"\n')}, "workflow.gone"),
        ({"agents/no.txt": "x", "capability.toml": bare("bad")}, "Markdown files only"),
    ],
)
def test_a_malformed_capability_is_left_out_with_its_reason_and_the_rest_stays(
    tmp_path: Path, files: Mapping[str, str], word: str
) -> None:
    error = only_fault(tmp_path, {"capability.toml": bare("bad"), **files}, RESEARCH_FILES)
    assert word in error.message
    assert error.file
    assert error.file.startswith(f"{tmp_path}/feature-1")


def test_all_faults_of_one_capability_are_told_at_once(tmp_path: Path) -> None:
    files = {
        "capability.toml": bare("bad", agents='["a"]'),
        "references/x.md": "{gsd:path references/gone.md} {gsd:agent nobody}\n",
    }
    error = only_fault(tmp_path, files)
    assert isinstance(error, ManyErrors)
    assert len(error.errors) == 3


def test_what_brings_code_only_may_be_required_and_has_no_part_here(tmp_path: Path) -> None:
    files = {"capability.toml": bare("user", requires='["companion"]')}
    assert merged(tmp_path, files).faults == {}


def test_of_two_that_clash_the_later_one_is_left_out(tmp_path: Path) -> None:
    twin = {"capability.toml": bare("twin"), "references/research/how.md": "Else.\n"}
    error = only_fault(tmp_path, twin, RESEARCH_FILES)
    assert "the capability 'research' brings references/research/how.md already" in error.message


def test_only_what_is_required_may_be_named(tmp_path: Path) -> None:
    user = {
        "capability.toml": bare("user", commands='["use"]'),
        "commands/use.md": "---\ndescription: Use.\n---\nUse {gsd:agent researcher}.\n",
    }
    assert "researcher" in only_fault(tmp_path / "a", user, RESEARCH_FILES).message
    asking = {**user, "capability.toml": bare("user", commands='["use"]', requires='["research"]')}
    assert merged(tmp_path / "b", RESEARCH_FILES, asking).faults == {}


def test_what_requires_a_malformed_one_is_left_out_too(tmp_path: Path) -> None:
    broken = {**RESEARCH_FILES, "references/research/how.md": "{gsd:path references/gone.md}\n"}
    user = {"capability.toml": bare("user", requires='["research"]')}
    other = {"capability.toml": bare("other")}
    catalog, found = merged(tmp_path, broken, user, other)
    assert list(found) == ["research", "user"]
    assert "left out itself" in found["user"].message
    assert [item.said.id for item in catalog.features] == ["other"]
    assert not any(document.path == "agents/researcher.md" for document in catalog.documents)


# --- several together ---------------------------------------------------------------------------------


def judged(*found: Capability) -> dict[str, GsdError]:
    return faults({said.id: said for said in found}, {said.id: f"{said.id}.toml" for said in found})


def said(name: str, more: str = "", **keys: str) -> Capability:
    return capability(bare(name, more, **keys).encode(), file=name)


def test_requirements_in_a_circle_leave_out_all_of_it() -> None:
    circle = said("a", requires='["b"]'), said("b", requires='["c"]'), said("c", requires='["a"]')
    found = judged(*circle, said("d", requires='["a"]'), said("e"))
    assert sorted(found) == ["a", "b", "c", "d"]
    assert found["a"].reason == "capability_cycle"


def test_nothing_may_require_what_only_a_larger_profile_holds() -> None:
    found = judged(said("a", requires='["b"]'), said("b", tier='"full"'))
    assert list(found) == ["a"]
    assert judged(said("a", requires='["b"]', tier='"full"'), said("b", tier='"core"')) == {}


def test_a_launcher_belongs_to_one_capability() -> None:
    code = '[payload]\npackages = ["p"]\nrender = "go"\n[payload.launchers]\n{} = "p.main:go"\n'
    one = said("one", code.format("go"))
    found = judged(one, said("two", code.format("go")))
    assert "'one' brings the launcher 'go' already" in found["two"].message
    found = judged(one, said("two", code.replace('"go"', '"run"', 1).format("run")))
    assert "a launcher that renders" in found["two"].message


@pytest.mark.parametrize(("one", "two"), [("a.b", "a.b"), ("a.b", "a.b.c"), ("a.b.c", "a.b")])
def test_a_setting_belongs_to_one_capability(one: str, two: str) -> None:
    text = '[config."{}"]\ntype = "string"\ndefault = ""\nmeaning = "m"\n'
    found = judged(said("x", text.format(one)), said("y", text.format(two)))
    assert list(found) == ["y"]
    assert "'x'" in found["y"].message


def test_a_condition_is_a_switch_that_comes_along() -> None:
    word = '[config."workflow.research"]\ntype = "string"\ndefault = ""\nmeaning = "m"\n'
    step = f'{STEP}text = "x"\nwhen = "workflow.research"\n'
    assert list(judged(said("a", word + step))) == ["a"]
    switch = word.replace('"string"\ndefault = ""', '"boolean"\ndefault = true')
    assert judged(said("a", switch + step)) == {}
    assert judged(said("a", switch), said("b", step, requires='["a"]')) == {}
    assert list(judged(said("a", switch), said("b", step))) == ["b"]


def stepped(name: str, *steps: tuple[str, str, str]) -> Capability:
    """A capability with steps: id, what they consume and what they produce."""
    text = "".join(
        f'{STEP.replace(chr(34) + "s" + chr(34), chr(34) + id_ + chr(34))}text = "x"\n'
        f"consumes = {json.dumps(consumes.split())}\nproduces = {json.dumps(produces.split())}\n"
        for id_, consumes, produces in steps
    )
    return said(name, text)


def test_steps_follow_what_they_read_and_else_their_names() -> None:
    found = (
        stepped("a", ("late", "SPEC", ""), ("free", "", "")),
        stepped("b", ("spec", "RESEARCH", "SPEC")),
        stepped("c", ("research", "CONTEXT", "RESEARCH")),
    )
    names = [(item.capability, item.id) for item in at_point(found, "plan:pre").steps]
    assert names == [("a", "free"), ("c", "research"), ("b", "spec"), ("a", "late")]
    assert at_point(found, "plan:post").steps == ()


def test_steps_in_a_circle_leave_out_their_capabilities_and_no_other() -> None:
    found = judged(
        stepped("a", ("one", "Y", "X")),
        stepped("b", ("two", "X", "Y")),
        stepped("c", ("behind", "X", "Z")),
        stepped("d", ("own", "D", "D")),
    )
    assert sorted(found) == ["a", "b"]
    assert "a/one and b/two wait for each other" in found["a"].message


# --- packed -------------------------------------------------------------------------------------------


def test_the_packed_catalog_is_the_merged_one(tmp_path: Path) -> None:
    root = content_root(tmp_path / "core", CORE)
    features = [feature(tmp_path / "research", RESEARCH_FILES)]
    parsed = load_with(str(root), features).catalog
    (tmp_path / "core" / PACKED).write_bytes(pack(str(root), features))
    assert load_with(str(root), features).catalog == parsed
    marked = (tmp_path / "core" / PACKED).read_bytes().replace(b"Does it.", b"Is packed.")
    (tmp_path / "core" / PACKED).write_bytes(marked)
    packed = {document.id: document for document in load_with(str(root), features).catalog.documents}
    assert packed["researcher"].meta["description"] == "Is packed."


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("references/research/how.md", "Look", "Gaze"),
        ("capability.toml", "before planning", "in advance"),
    ],
)
def test_a_pack_of_other_capabilities_is_not_used(tmp_path: Path, path: str, old: str, new: str) -> None:
    root = content_root(tmp_path / "core", CORE)
    before = [feature(tmp_path / "research", RESEARCH_FILES)]
    (tmp_path / "core" / PACKED).write_bytes(pack(str(root), before).replace(b"Does it.", b"Is packed."))
    changed = {**RESEARCH_FILES, path: RESEARCH_FILES[path].replace(old, new)}
    found = load_with(str(root), [feature(tmp_path / "research", changed)]).catalog
    assert [document.meta["description"] for document in found.documents if document.id == "researcher"] == [
        "Does it."
    ]
    assert load(str(root)).features == ()


def test_a_build_refuses_a_capability_that_an_install_would_leave_out(tmp_path: Path) -> None:
    root = content_root(tmp_path / "core", CORE)
    broken = {**RESEARCH_FILES, "capability.toml": RESEARCH.replace("how.md", "gone.md")}
    with pytest.raises(GsdError, match=r"gone\.md"):
        pack(str(root), [feature(tmp_path / "research", broken)])


# --- whatever they say --------------------------------------------------------------------------------

FILES = st.sets(st.sampled_from("ABCDE"), max_size=2).map(lambda kinds: " ".join(sorted(kinds)))
STEPS = st.lists(st.tuples(FILES, FILES), min_size=1, max_size=7)


@given(STEPS)
@settings(max_examples=150, deadline=None)
def test_no_step_comes_before_what_it_reads_is_written(rows: list[tuple[str, str]]) -> None:
    found = stepped("a", *((f"s{at}", consumes, produces) for at, (consumes, produces) in enumerate(rows)))
    steps, cyclic = at_point([found], "plan:pre")
    assert sorted(item.id for item in steps) == sorted(f"s{at}" for at in range(len(rows)))
    sound = steps if not cyclic else ()
    for at, item in enumerate(sound):
        later = set().union(*(other.step.produces for other in sound[at + 1 :]))
        assert later.isdisjoint(item.step.consumes)
    for item in cyclic:
        others = [other for other in cyclic if other is not item]
        assert any(set(item.step.consumes) & set(other.step.produces) for other in others)


@given(st.permutations(range(4)), STEPS)
@settings(max_examples=60, deadline=None)
def test_the_order_does_not_depend_on_who_is_asked_first(
    order: list[int], rows: list[tuple[str, str]]
) -> None:
    parts = [[(f"s{number}", *row) for number, row in enumerate(rows[at::4])] for at in range(4)]
    found = [stepped(f"c{at}", *part) for at, part in enumerate(parts)]
    names = [(item.capability, item.id) for item in at_point(found, "plan:pre").steps]
    again = at_point([found[at] for at in order], "plan:pre").steps
    assert [(item.capability, item.id) for item in again] == names


VALUES = st.recursive(
    st.sampled_from(["x", "plan:pre", "workflow.x", "", "references/x.md", 1, 1.5, True]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=5))
@settings(max_examples=200, deadline=None)
def test_any_manifest_is_read_or_refused_with_its_file(table: dict[str, object]) -> None:
    text = bare("a", "".join(f"{key} = {inline(value)}\n" for key, value in table.items() if key not in HEAD))
    error = None
    try:
        capability(text.encode(), file="x.toml")
    except GsdError as refused:
        error = refused
    assert error is None or (error.file, error.reason in ("bad_value", "unknown_key")) == ("x.toml", True)


def inline(value: object) -> str:
    """A value as TOML writes it in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {inline(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(inline, value)) + "]"
    return json.dumps(value)
