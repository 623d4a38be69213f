"""What may exist once only, and what must hold for every workspace."""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.artifacts.folder import Folder
from gsd_capabilities.artifacts.object_store import ObjectStore
from gsd_capabilities.artifacts.reference import is_reference

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "capabilities" / "gsd_capabilities" / "artifacts"
CONTRACT = (
    "size",
    "open",
    "write",
    "remove",
    "stored",
    "sweep",
    "location",
    "recall",
    "remember",
    "recorded",
)


def parsers(source: str) -> list[str]:
    """Strings of code, not of documentation, that know what a reference begins with."""
    tree = ast.parse(source)
    documented = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in documented
        and "artifact:" in node.value
    ]


@pytest.mark.req("ADR0006-reference-parser-once")
def test_one_module_knows_what_a_reference_looks_like() -> None:
    assert parsers('"""artifact://"""\nx = "artifact://sha256/"\n') == ["artifact://sha256/"]
    found = {
        path.relative_to(ROOT).as_posix()
        for root in ("capabilities", "installer")
        for path in (ROOT / root).rglob("*.py")
        if parsers(path.read_text(encoding="utf-8"))
    }
    assert found == {"capabilities/gsd_capabilities/artifacts/reference.py"}


@pytest.mark.req("ADR0006-reference-form")
@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="0123456789abcdefABCDEFg/\n ", min_size=60, max_size=68))
def test_a_reference_is_82_ascii_bytes_and_nothing_else(tail: str) -> None:
    text = f"artifact://sha256/{tail}"
    assert is_reference(text) == (len(tail) == 64 and set(tail) <= set("0123456789abcdef"))
    assert is_reference(text) <= (len(text.encode()) == 82)
    assert not is_reference(text.encode())


def adapters() -> set[type]:
    found = set()
    for path in PACKAGE.glob("*.py"):
        module = importlib.import_module(f"gsd_capabilities.artifacts.{path.stem}")
        for _, kind in inspect.getmembers(module, inspect.isclass):
            if all(hasattr(kind, name) for name in CONTRACT):
                found.add(kind)
    return found


@pytest.mark.req("ADR0006-contracts-per-workspace")
def test_the_tests_run_against_every_workspace_that_we_ship() -> None:
    assert adapters() == {Folder, ObjectStore}
    pytest.importorskip("fsspec")
    fixture = (Path(__file__).parent / "conftest.py").read_text(encoding="utf-8")
    assert "Folder(" in fixture
    assert "connect(" in fixture
