"""Each number stands once, and nobody but the selection hands out schemas of tools."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from gsd_capabilities.learning import limits

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "capabilities/gsd_capabilities"
PACKAGES = ("harness", "learning", "memory", "packs", "prefix", "work")
HOME = "learning/limits.py"
OURS = {
    path.relative_to(FOLDER).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(FOLDER.rglob("*.py"))
}
NUMBERS = {name: value for name, value in vars(limits).items() if name.isupper()}
# Smaller numbers mean many things, and so do the seconds of a day; these mean one.
TELLING = {value for value in NUMBERS.values() if value >= 1_000} - {86_400}


def second_places(source: str, *, strict: bool = True) -> list[str]:
    """Names and numbers of `limits` that a module defines or writes out again.

    With `strict`, constants of the same meaning too: the same number under a name that shares a word.
    """
    found = list[str]()
    tree = ast.parse(source)
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            found += [name for name in names if _defines(name, node.value, strict=strict)]
    if strict:
        found += [
            str(node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and type(node.value) is int and node.value in TELLING
        ]
    return found


def _defines(name: str, node: ast.expr, *, strict: bool) -> bool:
    bare = name.lstrip("_")
    if bare in NUMBERS:
        return True
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return False
    words = set(bare.upper().split("_"))
    alike = [other for other, number in NUMBERS.items() if number == value and words & set(other.split("_"))]
    return strict and type(value) in (int, float) and bool(alike)


SEEDED = {
    "the same name": "ROLE_PROMPT_MAX_TOKENS = 7\n",
    "a private name": "_STATE_TTL_DAYS: int = 7\n",
    "the same meaning": "TTL_OF_STATES = 7\nTTL_DAYS = 7\n",
    "another spelling": "DISCOVER_LIMIT = 5\n",
    "the number itself": "def f(text):\n    return len(text) > 1_500\n",
    "as a default": "def f(budget=8_000):\n    return budget\n",
}
HARMLESS = {
    "a small number": "VERSION = 1\n",
    "another meaning": "WIDTH = 7\n",
    "use": "from gsd_capabilities.learning.limits import STATE_TTL_DAYS\nSECONDS = STATE_TTL_DAYS * 86_400\n",
}


@pytest.mark.req("ECO-const-one-place")
@pytest.mark.parametrize("name", SEEDED)
def test_a_second_place_is_seen(name: str) -> None:
    assert second_places(SEEDED[name])


@pytest.mark.parametrize("name", HARMLESS)
def test_other_numbers_are_let_be(name: str) -> None:
    assert second_places(HARMLESS[name]) == []


@pytest.mark.req("ECO-const-one-place")
def test_every_number_stands_once() -> None:
    assert len(NUMBERS) > 50
    assert second_places(OURS[HOME])
    found = {
        path: second_places(source, strict=path.split("/")[0] in PACKAGES)
        for path, source in OURS.items()
        if path != HOME
    }
    assert {path: names for path, names in found.items() if names} == {}
    assert {path.split("/")[0] for path in OURS} >= set(PACKAGES)


# --- schemas ------------------------------------------------------------------------------------------

DEFINITIONS = frozenset({"core_machine", "core_self", "core_work"})
# What a list of definitions is got from, and the modules that make one and hand it to no model.
LISTS = frozenset({"CORE", "offered"})
MAKERS = frozenset({"packs/tools.py", "packs/offer.py", "harness/toolbox.py"})
SELECTIONS = frozenset({"select", "live", "finding"})


def hands_out(source: str) -> bool:
    """Whether a module takes definitions of core tools and asks no selection."""
    names = set[str]()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gsd_capabilities."):
            names |= {alias.name for alias in node.names} | {(node.module or "").rpartition(".")[2]}
        elif isinstance(node, ast.Import):
            names |= {alias.name.rpartition(".")[2] for alias in node.names}
        elif isinstance(node, ast.Attribute) and node.attr in LISTS:
            names.add(node.attr)
    return bool(names & DEFINITIONS) or bool(names & LISTS and not names & SELECTIONS)


@pytest.mark.req("ECO-pack-only-path")
@pytest.mark.parametrize(
    "source",
    [
        "from gsd_capabilities.packs.tools import CORE\n",
        "from gsd_capabilities.packs import tools\nx = tools.CORE\n",
        "from gsd_capabilities.packs import core_work\n",
        "import gsd_capabilities.packs.core_work\n",
        "def f():\n    from gsd_capabilities.packs.core_self import TOOLS\n",
        "from gsd_capabilities.packs.offer import offered\n",
    ],
)
def test_a_way_around_the_selection_is_seen(source: str) -> None:
    assert hands_out(source)


@pytest.mark.req("ECO-pack-only-path")
def test_schemas_leave_through_the_selection_alone() -> None:
    assert all(hands_out(OURS[path]) for path in MAKERS)
    assert not hands_out(OURS["packs/verbs.py"])
    assert [path for path, source in OURS.items() if path not in MAKERS and hands_out(source)] == []
