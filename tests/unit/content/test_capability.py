"""`capability.toml`: what it may say, and what is said about what it may not."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from gsd_install.content import capability as module
from gsd_install.content import extension
from gsd_install.content.capability import capability
from gsd_install.content.feature import Capability, packed, unpacked
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.points import POINTS
from support.capabilities import RESEARCH, bare

STEP = '[[step]]\nid = "s"\npoint = "plan:pre"\nagent = "a"\ntext = "do"\n'
GATE = '[[gate]]\nid = "g"\npoint = "ship:pre"\nmessage = "mend it"\nquery = "state get phase"\n'
SETTING = '[config."workflow.x"]\ntype = "boolean"\ndefault = true\nmeaning = "x happens"\n'
CONTRIBUTION = '[[contribution]]\npoint = "plan:pre"\ninto = "planner"\ntext = "more"\n'


def said(text: str) -> Capability:
    return capability(text.encode(), file="x.toml")


def test_a_feature_says_what_it_adds_to_the_loop() -> None:
    found = said(RESEARCH)
    assert (found.id, found.role, found.tier, found.agents) == (
        "research", "feature", "standard", ("researcher",)
    )  # fmt: skip
    [step] = found.steps
    assert (step.kind, step.target, step.read, step.text) == (
        "agent", "researcher", "references/research/how.md", ""
    )  # fmt: skip
    assert (step.produces, step.consumes, step.on_error, step.when) == (
        ("RESEARCH",), (), "skip", "workflow.research"
    )  # fmt: skip
    [setting] = found.settings
    assert (setting.key, setting.type, setting.default) == ("workflow.research", "boolean", True)


def test_a_gate_halts_on_errors_when_it_blocks_and_is_skipped_otherwise() -> None:
    [gate] = said(bare("a", GATE)).gates
    assert (gate.blocking, gate.on_error) == (False, "skip")
    [gate] = said(bare("a", f"{GATE}blocking = true\n")).gates
    assert (gate.blocking, gate.on_error) == (True, "halt")


@pytest.mark.parametrize("point", POINTS)
def test_every_loop_point_takes_steps(point: str) -> None:
    assert said(bare("a", STEP.replace("plan:pre", point))).steps[0].point == point


def test_there_are_twelve_loop_points() -> None:
    assert len(set(POINTS)) == 12


def test_what_is_packed_comes_back() -> None:
    enum = '[config."a.b"]\ntype = "enum"\nvalues = ["x", "y"]\ndefault = "x"\nmeaning = "which"\n'
    found = said(bare("a", SETTING + enum + STEP + GATE + CONTRIBUTION, requires='["b", "c"]'))
    assert unpacked(json.loads(json.dumps(packed(found)))) == found


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (bare("a", "colour = 1\n"), "colour"),
        (bare("a", f"{STEP}colour = 1\n"), "colour"),
        (bare("a", f"{GATE}colour = 1\n"), "colour"),
        (bare("a", f"{CONTRIBUTION}colour = 1\n"), "colour"),
        (bare("a", f"{SETTING}colour = 1\n"), "colour"),
    ],
)
def test_an_unknown_key_is_an_error_with_its_name(text: str, key: str) -> None:
    with pytest.raises(GsdError) as caught:
        said(text)
    assert (caught.value.reason, caught.value.file) == ("unknown_key", "x.toml")
    assert repr(key) in caught.value.message


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (bare("a", role='"runtime"'), "role"),
        (bare("a", tier='"huge"'), "tier"),
        (bare("a", tier='"full"', role='"support"'), "tier"),
        (bare("a", requires='["B"]'), "requires"),
        (bare("a", agents='["x", "x"]'), "agents"),
        (bare("a", skills='"x"'), "skills"),
        (bare("a", STEP.replace("plan:pre", "plan:mid")), "point"),
        (bare("a", f'{STEP}skill = "b"\n'), "agent and skill"),
        (bare("a", STEP.replace('agent = "a"\n', "")), "none of them"),
        (bare("a", f'{STEP}read = "references/x.md"\n'), "read and text"),
        (bare("a", STEP.replace("do", "{gsd:path x.md}")), "placeholder"),
        (bare("a", STEP.replace("do", " ")), "text"),
        (bare("a", f'{STEP}produces = ["plan.md"]\n'), "produces"),
        (bare("a", f'{STEP}on_error = "retry"\n'), "on_error"),
        (bare("a", f'{STEP}when = "always"\n'), "when"),
        (bare("a", STEP + STEP), "'s'"),
        (bare("a", GATE + GATE), "'g'"),
        (bare("a", f'{GATE}predicate = "PLAN.SIZE"\n'), "query and predicate"),
        (bare("a", GATE.replace("phase", "{plan}")), "query"),
        (bare("a", GATE.replace('message = "mend it"\n', "")), "message"),
        (bare("a", f'{GATE}blocking = "yes"\n'), "blocking"),
        (bare("a", f'{GATE}blocking = true\non_error = "skip"\n'), "on_error"),
        (
            bare("a", GATE.replace('query = "state get phase"', 'agent = "b"\nblocking = true')),
            "may not block",
        ),
        (
            bare("a", GATE.replace('query = "state get phase"', 'predicate = "PLAN.SIZE"\nblocking = true')),
            "may not block",
        ),
        (bare("a", GATE.replace('query = "state get phase"', 'predicate = "plan"')), "predicate"),
        (bare("a", CONTRIBUTION.replace("planner", "../x")), "into"),
        (bare("a", SETTING.replace("workflow.x", "X")), "'X'"),
        (bare("a", SETTING.replace("workflow.x", "plain")), "'plain'"),
        (bare("a", SETTING.replace("true", '"true"')), "default"),
        (bare("a", SETTING.replace("boolean", "list")), "type"),
        (bare("a", f'{SETTING}values = ["x"]\n'), "values"),
        (bare("a", SETTING.replace("boolean", "enum")), "values"),
        (bare("a", SETTING.replace('meaning = "x happens"\n', "")), "meaning"),
        (bare("a", "step = 1\n"), "step"),
        (bare("a", "config = 1\n"), "config"),
    ],
)
def test_a_value_that_cannot_be_is_an_error_that_names_it(text: str, word: str) -> None:
    with pytest.raises(GsdError) as caught:
        said(text)
    assert (caught.value.reason, caught.value.file) == ("bad_value", "x.toml")
    assert word in caught.value.message
    assert caught.value.hint


# --- the page about it --------------------------------------------------------------------------------

ROOT = Path(__file__).resolve().parents[3]


def tables(page: str) -> dict[str, set[str]]:
    """The first column of the table below each heading."""
    found: dict[str, set[str]] = {}
    for part in re.split(r"^#+ ", page, flags=re.MULTILINE)[1:]:
        head, _, rest = part.partition("\n")
        found[head] = set(re.findall(r"^\| `(\w+)` \|", rest, flags=re.MULTILINE))
    return found


def undocumented(page: str) -> set[str]:
    """Keys that the page and the parser do not have in common."""
    found = tables(page)
    alternatives = {"skill", "command", "text"}  # named in the rows of `agent` and `read`
    return (
        found["The manifest"].symmetric_difference(module.KEYS)
        | found["Settings"].symmetric_difference(extension.SETTING_KEYS)
        | found["Steps"].symmetric_difference(extension.STEP_KEYS) - alternatives
        | found["Contributions"].symmetric_difference(extension.CONTRIBUTION_KEYS) - alternatives
        | found["Gates"].symmetric_difference(extension.GATE_KEYS)
    )


def test_the_page_names_every_key_and_no_other() -> None:
    page = (ROOT / "docs" / "capabilities.md").read_text(encoding="utf-8")
    assert undocumented(page) == set()
    assert undocumented(page.replace("| `blocking` |", "| `stopping` |")) == {"blocking", "stopping"}
    assert all(f"`{point}`" in page for point in POINTS)


def test_the_page_shows_the_manifest_of_the_example() -> None:
    page = (ROOT / "docs" / "capabilities.md").read_text(encoding="utf-8")
    manifest = ROOT / "tests" / "third_party" / "glossary" / "gsd_glossary" / "capability.toml"
    assert f"```toml\n{manifest.read_text(encoding='utf-8')}```" in page
