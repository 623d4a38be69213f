"""How documents are written for a host is data: forms over the shared vocabulary, limits with their unit."""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from gsd_install.plugins import Plugin, Plugins
from gsd_install.runtime.dialects import DIALECTS
from gsd_install.runtime.words import Kind

ROOT = Path(__file__).resolve().parents[3]
MODULES = sorted((ROOT / "plugins" / "gsd_runtimes").glob("*.py"))
# Fields of a cap that mean a whole file, or all the files that a host reads together.
WHOLE = (None, "chain")


@cache
def ours() -> dict[str, Plugin]:
    """The runtimes this project declares."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    names = declared["project"]["entry-points"]["gsd_install.runtimes"]
    return {name: Plugins().get(name) for name in names}


def conversions(source: str) -> list[str]:
    """Functions of a plugin that could convert a document: those that make bytes or text of a draft."""
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    named = [each.name for each in functions if each.name == "gsd_converters"]
    taking = [each.name for each in functions if "Draft" in ast.unparse(each.args)]
    return named + taking


@pytest.mark.req("ADR1671-converters-as-data")
def test_every_host_of_ours_is_written_for_without_code_of_its_own() -> None:
    seeded = "def gsd_converters():\n    return {'x': convert}\n\ndef convert(draft: Draft) -> str: ...\n"
    assert conversions(seeded) == ["gsd_converters", "convert"]
    assert len(MODULES) > 50
    assert {path.name: found for path in MODULES if (found := conversions(path.read_text("utf-8")))} == {}
    used = Counter[str]()
    for name, plugin in ours().items():
        assert plugin.converters == {}, name
        used.update(form.dialect for place in plugin.runtime.places for form in place.forms)
    assert len(used) >= 3
    assert used.keys() <= DIALECTS.keys()


@pytest.mark.req("ADR1671-units")
def test_every_limit_on_a_whole_file_is_a_number_of_bytes() -> None:
    kinds = set[Kind]()
    for name, plugin in ours().items():
        for cap in plugin.caps:
            if cap.field in WHOLE:
                assert cap.unit == "bytes", (name, cap)
                kinds.add(cap.kind)
    assert len(kinds) >= 2
