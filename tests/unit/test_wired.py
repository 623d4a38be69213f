"""Every rule of work, memory, learning, packs, prefix and the agent is asked by something that ships.

A rule that nobody calls holds nowhere, however well its own tests pass. So this follows names from what a
user can reach (verbs, hooks, servers, the installer) into these packages: what is not reached is found.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from gsd_capabilities.learning import limits

ROOT = Path(__file__).resolve().parents[2]
OURS = "gsd_capabilities"
PACKAGES = ("harness", "learning", "memory", "packs", "prefix", "work")
_TARGET = re.compile(r"([a-z_.]+):([A-Za-z_]+)")

# A module and a name at its top; the empty name is what else runs when it is imported.
Place = tuple[str, str]


def sources() -> dict[str, str]:
    """Everything that ships, by dotted name."""
    found = {}
    for root, package in (("capabilities", OURS), ("installer", "gsd_install"), ("plugins", "gsd_runtimes")):
        for path in sorted((ROOT / root / package).rglob("*.py")):
            dotted = ".".join(path.relative_to(ROOT / root).with_suffix("").parts)
            found[dotted.removesuffix(".__init__")] = path.read_text(encoding="utf-8")
    return found


def own(module: str) -> bool:
    """Whether a module is of one of the packages that this is about."""
    root, _, rest = module.partition(".")
    return root == OURS and rest.partition(".")[0] in PACKAGES


@cache
def parsed(source: str) -> ast.Module:
    """The syntax tree of a module; each is looked at many times."""
    return ast.parse(source)


@cache
def read(name: str, source: str) -> Mapping[str, frozenset[str]]:
    """The names that a module defines at its top, each with the dotted names that its statements name.

    What stands under TYPE_CHECKING is for readers and calls nobody.
    """
    found: dict[str, frozenset[str]] = {}
    tree = parsed(source)
    bound = _bound(tree.body)
    for node in tree.body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        named = frozenset(_named(name, node, bound))
        for one in _defined(node):
            found[one] = found.get(one, frozenset()) | named
    return found


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    return [] if isinstance(node, ast.Import | ast.ImportFrom) else [""]


def _bound(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """Local names and the dotted ones that they stand for."""
    found: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.asname: alias.name for alias in node.names if alias.asname}
    return found


def _named(module: str, node: ast.stmt, around: Mapping[str, str]) -> Iterator[str]:
    """What a statement names: by an import, by a module, at the top of its own, or in a string."""
    bound, local = {**around, **_bound(ast.walk(node))}, _local(node)
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and one.id not in local:
            yield bound.get(one.id, f"{module}.{one.id}")
        elif isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id in bound:
            yield f"{bound[one.value.id]}.{one.attr}"
        elif isinstance(one, ast.Constant) and (match := _TARGET.fullmatch(str(one.value))):
            yield f"{match[1]}.{match[2]}"
            yield f"{module.rpartition('.')[0]}.{match[1]}.{match[2]}"


def _local(node: ast.stmt) -> set[str]:
    """The variables of a function, which name nothing at the top of the module."""
    if not isinstance(node, ast.FunctionDef):
        return set()
    names = {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}
    stores = (one for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))
    return names | {one.id for one in stores}


def reached(modules: Mapping[str, str]) -> set[Place]:
    """What can be got to from outside the packages."""
    known = {name: read(name, source) for name, source in modules.items()}
    pending = [(name, part) for name, parts in known.items() if not own(name) for part in parts]
    found = set(pending)
    while pending:
        module, part = pending.pop()
        for dotted in known[module].get(part, ()):
            fresh = set(_places(dotted, known)) - found
            pending += fresh
            found |= fresh
    return found


def _places(dotted: str, known: Mapping[str, Mapping[str, frozenset[str]]]) -> Iterator[Place]:
    """The place of that name, and the module around it, which runs when it is imported."""
    module, _, name = dotted.rpartition(".")
    if module in known and name in known[module]:
        yield from ((module, name), (module, ""))
    elif dotted in known:
        yield dotted, ""


def functions(modules: Mapping[str, str]) -> set[Place]:
    """The public functions at the top of the modules of the packages."""
    return {
        (name, node.name)
        for name, source in modules.items()
        if own(name)
        for node in parsed(source).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    }


def methods(modules: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """The public methods of the classes of the packages."""
    for name, source in modules.items():
        for node in parsed(source).body if own(name) else ():
            if isinstance(node, ast.ClassDef):
                inner = (one.name for one in node.body if isinstance(one, ast.FunctionDef))
                yield from ((name, node.name, one) for one in inner if not one.startswith("_"))


def unread(modules: Mapping[str, str]) -> set[tuple[str, str, str]]:
    """Public methods whose name nothing that ships reads of anything."""
    trees = (parsed(source) for source in modules.values())
    read_of = {node.attr for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return {one for one in methods(modules) if one[2] not in read_of}


SOURCES = sources()


def test_every_rule_is_asked_by_something_that_ships() -> None:
    every = functions(SOURCES)
    assert {name.split(".")[1] for name, _ in every} == set(PACKAGES)
    assert len(every) > 250
    assert every - reached(SOURCES) == set()


SEEDED = {
    "nobody": "def dreamt() -> None:\n    pass\n",
    "itself": "def dreamt() -> None:\n    dreamt()\n",
    "what nobody calls": "def _idle() -> None:\n    dreamt()\n\ndef dreamt() -> None:\n    _idle()\n",
    "nobody, but another of its name is": "def dreamt() -> None:\n    pass\n",
    "a comment": "# dreamt is called here\ndef dreamt() -> None:\n    '''See dreamt.'''\n",
    "a variable of its name": "def _f(dreamt):\n    return dreamt\n\nX = _f(1)\n\ndef dreamt():\n    pass\n",
    "types alone": "if TYPE_CHECKING:\n    dreamt\n\ndef dreamt() -> None:\n    pass\n",
}


@pytest.mark.parametrize("name", SEEDED)
@pytest.mark.parametrize("package", PACKAGES)
def test_a_rule_that_nobody_asks_is_found(package: str, name: str) -> None:
    there = {**SOURCES, f"{OURS}.{package}.seeded": SEEDED[name]}
    there[f"{OURS}.drift.other"] = "def dreamt() -> None:\n    pass\n\nX = dreamt()\n"
    assert functions(there) - reached(there) == {(f"{OURS}.{package}.seeded", "dreamt")}


CALLERS = {
    "by its name": "from gsd_capabilities.work.seeded import dreamt\n\ndef used() -> None:\n    dreamt()\n",
    "by its module": "def used():\n    from gsd_capabilities.work import seeded\n    seeded.dreamt()\n",
    "under another name": "from gsd_capabilities.work.seeded import dreamt as it\n\nX = it\n",
    "in a table": "TABLE = {'dream': 'gsd_capabilities.work.seeded:dreamt'}\n",
}


@pytest.mark.parametrize("how", CALLERS)
def test_a_rule_that_is_asked_is_not(how: str) -> None:
    there = {**SOURCES, f"{OURS}.work.seeded": SEEDED["nobody"], f"{OURS}.hooks.caller": CALLERS[how]}
    assert functions(there) - reached(there) == set()


def test_every_method_is_read_of_something() -> None:
    assert len(list(methods(SOURCES))) > 15
    assert unread(SOURCES) == set()
    seeded = f"{OURS}.packs.seeded"
    there = {**SOURCES, seeded: "class Dream:\n    def remembered_by_nobody(self) -> None:\n        pass\n"}
    assert unread(there) == {(seeded, "Dream", "remembered_by_nobody")}


@pytest.mark.req("ECO-const-one-place")
def test_every_number_is_used_by_something_that_ships() -> None:
    numbers = {(limits.__name__, name) for name in vars(limits) if name.isupper()}
    assert len(numbers) > 50
    assert numbers - reached(SOURCES) == set()
    there = {**SOURCES, limits.__name__: f"{SOURCES[limits.__name__]}\nDREAMS_A_DAY = 3\n"}
    assert (limits.__name__, "DREAMS_A_DAY") not in reached(there)
