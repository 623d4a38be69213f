"""Every rule of learning has a caller in what ships: none is there for tests alone."""

from __future__ import annotations

import ast
from pathlib import Path

from gsd_capabilities.learning import verbs

LEARNING = Path(verbs.__file__).parent
CAPABILITIES = LEARNING.parent


def public(source: str) -> set[str]:
    """The functions of a module that others may call."""
    found = {node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    return {name for name in found if not name.startswith("_")}


def used(source: str) -> set[str]:
    """The names that a module reads, its own functions too where they are called."""
    tree = ast.parse(source)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    imported = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    return names | {alias.name for node in imported for alias in node.names}


def callerless(modules: dict[Path, str]) -> set[str]:
    """Public functions of the package that nothing names."""
    everything = set().union(*map(used, modules.values()))
    own = {path: public(source) for path, source in modules.items() if path.parent == LEARNING}
    return {f"{path.stem}.{name}" for path, names in own.items() for name in names - everything}


def test_every_function_of_learning_is_called_by_what_ships() -> None:
    modules = {path: path.read_text(encoding="utf-8") for path in CAPABILITIES.rglob("*.py")}
    assert len([path for path in modules if path.parent == LEARNING]) > 10
    assert callerless(modules) == set()
    seeded = modules[LEARNING / "librarian.py"] + "\n\ndef dreamed_of() -> None:\n    pass\n"
    assert callerless({**modules, LEARNING / "librarian.py": seeded}) == {"librarian.dreamed_of"}
