"""Rules of the house that no linter of ours knows. Each is first shown to catch what it is for."""

from __future__ import annotations

import ast
import functools
import importlib
import io
import os
import re
import shutil
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from gsd_install.plugins import Plugins, strictest
from gsd_install.runtime.model import Cap

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RUNTIMES = tuple(PYPROJECT["project"]["entry-points"]["gsd_install.runtimes"])
SOURCE_ROOTS = {
    "installer": "gsd_install",
    "plugins": "gsd_runtimes",
    "capabilities": "gsd_capabilities",
    "content": "gsd_content",
}


@functools.cache
def parsed(source: str) -> ast.Module:
    """The syntax tree of a module; each is looked at several times."""
    return ast.parse(source)


def modules(*roots: str) -> dict[str, str]:
    """The source of every module below the source roots, by path relative to its root."""
    found = {}
    for root in roots:
        for path in sorted((ROOT / root / SOURCE_ROOTS[root]).rglob("*.py")):
            found[path.relative_to(ROOT / root).as_posix()] = path.read_text(encoding="utf-8")
    return found


CORE = modules("installer")
OURS = modules("installer", "plugins", "capabilities")


def test_there_is_something_to_look_at() -> None:
    assert len(CORE) > 60
    assert len(RUNTIMES) >= 4
    assert set(OURS) > set(CORE)


# --- the core names no runtime ------------------------------------------------------------------------

# Words of English too: of these only a string that is nothing but the word counts.
ORDINARY = frozenset(
    {
        "cursor",
        "continue",
        "goose",
        "zed",
        "amp",
        "warp",
        "junie",
        "droid",
        "factory",
        "augment",
        "pi",
        "bob",
        "crush",
        "forge",
    }
)

# Where a name may stand, and why.
NAMED = {
    ("gsd_install/kernel/measure.py", "claude"): "a family of models",
    ("gsd_install/hookspecs.py", "windsurf"): "an example for authors of plugins",
    ("gsd_install/runtime/model.py", "opencode"): "an example for authors of plugins",
    ("gsd_install/apply/model.py", "claude"): "an example of a unit key",
    ("gsd_install/content/bundles/author.py", "claude"): "the host that bundles are written for",
    ("gsd_install/cli/projectfile.py", "claude"): "an example in a hint",
}


def mentions(source: str, ids: tuple[str, ...]) -> set[str]:
    """The ids that a module names: in its strings, comments and identifiers."""
    found: set[str] = set()
    ids = tuple(name for name in ids if name in source.lower())
    if not ids:
        return found
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        text = token.string.lower()
        for name in ids:
            if name in ORDINARY:
                hit = text in {f'"{name}"', f"'{name}'"}
            else:
                hit = re.search(rf"(?<![a-z]){re.escape(name)}(?![a-z])", text) is not None
            if hit:
                found.add(name)
    return found


@pytest.mark.parametrize(
    "source",
    [
        'x = "codex"',
        "# as codex does",
        "def codex_home(): pass",
        '"""For Codex."""',
        "import gsd_runtimes.codex",
        "CODEX = 1",
    ],
)
def test_a_name_of_a_runtime_is_seen(source: str) -> None:
    assert mentions(source, ("codex", "cursor")) == {"codex"}


def test_a_word_that_only_looks_like_a_runtime_is_not() -> None:
    assert mentions("cursor = 1  # the cursor of 'a cursor'", ("cursor",)) == set()
    assert mentions('kind = "cursor"', ("cursor",)) == {"cursor"}
    assert mentions("codexes = includex = 1", ("codex",)) == set()


def test_the_core_names_no_runtime() -> None:
    named = {(path, name) for path, source in CORE.items() for name in mentions(source, RUNTIMES)}
    assert named - NAMED.keys() == set()


# --- packages -----------------------------------------------------------------------------------------


def test_package_files_are_empty_but_for_the_one_plugins_import() -> None:
    full = {
        path
        for path, source in modules(*SOURCE_ROOTS).items()
        if path.endswith("__init__.py") and source.strip()
    }
    assert full == {"gsd_install/runtime/__init__.py"}
    tree = ast.parse(CORE["gsd_install/runtime/__init__.py"])
    assert {type(node) for node in tree.body} <= {
        ast.Expr,
        ast.ImportFrom,
        ast.Assign,
        ast.If,
        ast.FunctionDef,
    }
    assert [node.name for node in tree.body if isinstance(node, ast.FunctionDef)] == ["__getattr__"]


def test_each_source_root_holds_one_package() -> None:
    for root, package in SOURCE_ROOTS.items():
        assert {
            path.name for path in (ROOT / root).iterdir() if path.is_dir() and path.name[0] not in "._"
        } == {package}


# --- imports ------------------------------------------------------------------------------------------


def _lint_imports(folder: Path, *paths: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths)), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def test_lower_never_imports_higher() -> None:
    done = _lint_imports(ROOT)
    assert done.returncode == 0, done.stdout
    assert "4 kept, 0 broken" in done.stdout


@pytest.mark.parametrize(
    ("path", "line", "contract"),
    [
        (
            "installer/gsd_install/kernel/scope.py",
            "import gsd_install.emit.output",
            "Lower never imports higher",
        ),
        (
            "installer/gsd_install/emit/output.py",
            "import gsd_install.apply.model",
            "Lower never imports higher",
        ),
        (
            "installer/gsd_install/kernel/scope.py",
            "import yaml",
            "The kernel needs the standard library only",
        ),
        ("installer/gsd_install/version.py", "import gsd_runtimes.codex", "The core finds runtimes"),
        ("plugins/gsd_runtimes/codex.py", "import gsd_install.content.model", "A runtime plugin imports"),
    ],
)
def test_an_import_in_the_wrong_direction_is_caught(
    tmp_path: Path, path: str, line: str, contract: str
) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for root, package in SOURCE_ROOTS.items():
        if root != "content":
            ignored = shutil.ignore_patterns("__pycache__", "data", ".mypy_cache")
            shutil.copytree(ROOT / root / package, tmp_path / root / package, ignore=ignored)
    with (tmp_path / path).open("a", encoding="utf-8") as module:
        module.write(f"\n{line}\n")
    done = _lint_imports(tmp_path, *(tmp_path / root for root in SOURCE_ROOTS))
    assert done.returncode == 1, done.stdout
    broken = [text for text in done.stdout.splitlines() if text.endswith("BROKEN")]
    assert any(text.startswith(contract) for text in broken), done.stdout


def imports(source: str) -> set[str]:
    """The top-level names of everything a module imports, wherever it does."""
    found = set()
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module if node.module.startswith("gsd_") else node.module.partition(".")[0])
    return found


def test_the_kernel_imports_itself_and_the_standard_library() -> None:
    assert imports("import rich.text\nfrom gsd_install.emit import fit\nimport os.path") == {
        "rich",
        "gsd_install.emit",
        "os",
    }
    for path, source in CORE.items():
        if path.startswith("gsd_install/kernel/"):
            strangers = imports(source) - sys.stdlib_module_names
            assert all(name.startswith("gsd_install.kernel") for name in strangers), (path, strangers)


@pytest.mark.parametrize("layer", ["kernel", "content", "runtime", "emit", "apply"])
def test_dataclasses_cost_too_much_on_the_way_to_an_install(layer: str) -> None:
    found = [
        path
        for path, source in CORE.items()
        if path.startswith(f"gsd_install/{layer}/") and "dataclasses" in imports(source)
    ]
    assert found == []


# --- below the command line nothing prints or exits ---------------------------------------------------

AT_THE_TOP = ("gsd_install/cli/", "gsd_install/testing/", "gsd_install/__main__.py")
# A process that was forked must end where its work does, and not in the code of its parent.
FORKED = {"gsd_install/apply/filling.py": ["os._exit", "os._exit"]}


def loud(source: str) -> list[str]:
    """Calls that print, exit or read a line from a person."""
    names = {"print", "exit", "quit", "input", "breakpoint"}
    calls = [node.func for node in ast.walk(parsed(source)) if isinstance(node, ast.Call)]
    found = [call.id for call in calls if isinstance(call, ast.Name) and call.id in names]
    return found + [
        text
        for call in calls
        if (text := ast.unparse(call)) in {"sys.exit", "os._exit", "sys.stdout.write", "sys.stderr.write"}
    ]


def test_below_the_command_line_nothing_prints_or_exits() -> None:
    assert loud("import sys\nprint(1)\nsys.exit(2)\nsys.stderr.write('x')\nself.print(1)") == [
        "print",
        "sys.exit",
        "sys.stderr.write",
    ]
    assert {
        path: loud(source)
        for path, source in OURS.items()
        if not path.startswith(AT_THE_TOP) and loud(source)
    } == FORKED


# --- who may write ------------------------------------------------------------------------------------

# The folder of artifacts is a store of its own, written once and by digest: no tree that is installed.
WRITERS = (
    "gsd_install/apply/",
    "gsd_install/kernel/files.py",
    "gsd_install/testing/",
    "gsd_capabilities/artifacts/folder.py",
)
_CHANGES = re.compile(
    r"os\.(replace|rename|unlink|remove|rmdir|mkdir|makedirs|symlink|link|chmod|truncate|utime)"
    r"|shutil\.(move|rmtree|copy\w*)|.*\.(write_text|write_bytes|touch|unlink|mkdir|rmdir|symlink_to|chmod)"
)


def changes(source: str) -> list[str]:
    """Calls that change a file or a directory."""
    found = []
    for node in ast.walk(parsed(source)):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        given = [*node.args[1:2], *(word.value for word in node.keywords if word.arg == "mode")]
        modes = [word.value for word in given if isinstance(word, ast.Constant)]
        if _CHANGES.fullmatch(name) or (name == "open" and any("r" not in str(mode) for mode in modes)):
            found.append(name)
    return found


def test_only_apply_changes_a_disk() -> None:
    seeded = "os.replace(a, b)\nopen(p, 'wb')\nopen(p, mode='a')\nPath(p).write_text('x')\n"
    assert changes(seeded) == ["os.replace", "open", "open", "Path(p).write_text"]
    assert changes("open(p, 'rb')\nopen(p)\ntext.replace('a', 'b')") == []
    found = {path: changes(source) for path, source in OURS.items() if not path.startswith(WRITERS)}
    assert {path: calls for path, calls in found.items() if calls} == {}


# --- one of each --------------------------------------------------------------------------------------

ONCE = {
    "should_compose": "gsd_install/kernel/scope.py",
    "measure": "gsd_install/kernel/measure.py",
    "estimated": "gsd_install/kernel/measure.py",
    "named": "gsd_install/kernel/measure.py",
    "shorten": "gsd_install/kernel/cut.py",
    "write_atomic": "gsd_install/kernel/files.py",
    "strictest": "gsd_install/plugins.py",
}


def definitions(sources: dict[str, str], name: str) -> list[str]:
    """The modules that define a function or class of that name at their top, underscore or not."""
    defined = re.compile(rf"^(?:def|async def|class) _*{name}_*\b", re.MULTILINE)
    return [path for path, source in sources.items() for _ in defined.finditer(source)]


@pytest.mark.req("ADR1671-one-scope-predicate", "ADR1671-shared-constants")
@pytest.mark.parametrize("name", ONCE)
def test_what_exists_once_is_defined_once(name: str) -> None:
    twin = {**OURS, "gsd_install/emit/twin.py": f"def _{name}(x):\n    return x\n"}
    assert definitions(twin, name) == [*definitions(OURS, name), "gsd_install/emit/twin.py"]
    assert definitions(OURS, name) == [ONCE[name]]


def second_predicates(source: str) -> list[int]:
    """Lines that list exactly the kinds that are composed: a second opinion on what they are."""
    found = []
    for node in ast.walk(parsed(source)):
        if isinstance(node, (ast.Set, ast.Tuple, ast.List)):
            values = {item.value for item in node.elts if isinstance(item, ast.Constant)}
            if len(values) == len(node.elts) and values == {"workflow", "agent"}:
                found.append(node.lineno)
    return found


@pytest.mark.req("ADR1671-one-scope-predicate")
def test_nobody_else_says_what_is_composed() -> None:
    assert second_predicates('if kind in ("agent", "workflow"):\n    pass\nx = {"agent"}') == [1]
    assert len(second_predicates(CORE["gsd_install/kernel/scope.py"])) == 1
    others = {
        path: second_predicates(source)
        for path, source in OURS.items()
        if path != "gsd_install/kernel/scope.py"
    }
    assert {path: lines for path, lines in others.items() if lines} == {}


def second_estimates(source: str) -> list[int]:
    """Lines that divide a length by a constant: the usual home-made estimate of tokens."""
    found = []
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.FloorDiv)):
            lengths = isinstance(node.left, ast.Call) and ast.unparse(node.left.func) == "len"
            if lengths and isinstance(node.right, ast.Constant):
                found.append(node.lineno)
    return found


@pytest.mark.req("ADR1671-shared-constants")
def test_nobody_else_estimates_tokens() -> None:
    assert second_estimates("def tokens(text):\n    return len(text) // 4 + len(text) / 3.5\n") == [2, 2]
    others = {
        path: second_estimates(source)
        for path, source in OURS.items()
        if path != "gsd_install/kernel/measure.py"
    }
    assert {path: lines for path, lines in others.items() if lines} == {}


# --- one reader of Markdown ---------------------------------------------------------------------------

SCANNER = "gsd_install/kernel/markdown.py"
# Who takes a Markdown text apart: all of them look at the lines of the one scanner.
READERS = (
    "gsd_install/kernel/sections.py",
    "gsd_install/kernel/predicates.py",
    "gsd_install/content/holds.py",
    "gsd_install/emit/extract.py",
    "gsd_install/emit/imports.py",
    "gsd_install/lint/sections.py",
    "gsd_capabilities/companion/roadmap.py",
    "gsd_capabilities/companion/state.py",
    "gsd_capabilities/memory/legacy.py",
    "gsd_capabilities/memory/sections.py",
)
# Where a fence or the opening of a comment may be spelled besides, and why.
SPELLED = {
    "gsd_install/kernel/predicates.py": "passes prose over, and asks the scanner where what opens ends",
    "gsd_install/kernel/cut.py": "passes texts over that have neither, before it asks the scanner",
    "gsd_capabilities/context/git.py": "writes a fence that is longer than those in its text",
    "gsd_capabilities/context/plan.py": "keeps the rows of a task together",
    "gsd_capabilities/context/summary.py": "shortens prose of a conversation",
}
_FENCE = re.compile(r"^(`{3}|~{3}|<!--)$|[`~]\]?\{3,?\}|\[`~\]|\[~`\]")


def fences(source: str) -> list[str]:
    """Strings that are or match the opening of a fence or comment."""
    constants = (node.value for node in ast.walk(parsed(source)) if isinstance(node, ast.Constant))
    return [value for value in constants if isinstance(value, str) and _FENCE.search(value)]


@pytest.mark.req("ADR1671-one-scanner")
@pytest.mark.parametrize(
    "source",
    [
        "if row.startswith('```'):\n    pass",
        "fence = re.compile(r' {0,3}(`{3,}|~{3,})')",
        "fence = re.compile(r'^[`~]{3,}')",
        "at = text.find('<!--')",
        "inside = row.strip()[:3] in ('~~~', 'x')",
    ],
)
def test_a_second_reader_of_markdown_is_caught(source: str) -> None:
    assert len(fences(source)) == 1


@pytest.mark.req("ADR1671-one-scanner")
def test_sections_predicates_and_the_fitter_share_one_reader_of_markdown() -> None:
    assert not fences("x = '```text\\n'\ny = '<!-- gsd:keep -->'\nz = 'a `b` c'")
    for path in READERS:
        assert imports(OURS[path]) & {"gsd_install.kernel", "gsd_install.kernel.markdown"}, path
        names = {node.id for node in ast.walk(parsed(OURS[path])) if isinstance(node, ast.Name)}
        assert names & {"markdown", "scan"}, path
    assert definitions(OURS, "scan") == [SCANNER]
    found = {path for path, source in OURS.items() if fences(source)}
    assert found - SPELLED.keys() == {SCANNER}, found
    assert SPELLED.keys() <= found


# --- nobody else cuts text to a budget ----------------------------------------------------------------

CUTTERS = re.compile(r"gsd_install/(kernel/(compose\w*|composition|cut|budget|fragment)\.py|testing/.*)")
_LIMITS = re.compile(r"(.*_)?(limits?|budgets?|caps?|allowance|max(imum)?|longest)(_.*)?", re.IGNORECASE)
_ROOMS = re.compile(r"(.*_)?(units|room|space|available|remaining)", re.IGNORECASE)
_LONG = 64


def cuts(source: str) -> list[str]:
    """Functions that take the head (or the tail) of something where a limit is at hand, or shorten text."""
    functions = (node for node in ast.walk(parsed(source)) if isinstance(node, ast.FunctionDef))
    return [
        function.name
        for function in functions
        if _shortens(function) or _fixed(function) or (_heads(function) and _knows_a_limit(function))
    ]


def _slices(function: ast.FunctionDef) -> Iterator[ast.Slice]:
    for node in ast.walk(function):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) and node.slice.step is None:
            yield node.slice


def _is_head(part: ast.Slice) -> bool:
    starts = part.lower is None or (isinstance(part.lower, ast.Constant) and part.lower.value == 0)
    return starts and part.upper is not None


def _heads(function: ast.FunctionDef) -> bool:
    heads = [part.upper for part in _slices(function) if _is_head(part)]
    tails = [
        part.lower for part in _slices(function) if part.upper is None and isinstance(part.lower, ast.UnaryOp)
    ]
    return any(not isinstance(end, ast.Constant) for end in heads) or any(
        not isinstance(end.operand, ast.Constant) for end in tails if isinstance(end, ast.UnaryOp)
    )


def _fixed(function: ast.FunctionDef) -> bool:
    """The first so many of something, where so many is what a text has and a hash has not."""
    ends = [part.upper for part in _slices(function) if _is_head(part)]
    return any(
        isinstance(end, ast.Constant) and isinstance(end.value, int) and end.value >= _LONG for end in ends
    )


def _knows_a_limit(function: ast.FunctionDef) -> bool:
    arguments = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
    names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)} - {"max"} | arguments
    attributes = {node.attr for node in ast.walk(function) if isinstance(node, ast.Attribute)}
    return any(_LIMITS.fullmatch(name) for name in names | attributes) or any(map(_ROOMS.fullmatch, names))


def _shortens(function: ast.FunctionDef) -> bool:
    calls = {ast.unparse(node.func) for node in ast.walk(function) if isinstance(node, ast.Call)}
    return bool(calls & {"textwrap.shorten"})


SEEDED_CUTS = {
    "the head": "def f(text, limit):\n    return text[:limit]\n",
    "the head from nought": "def f(text, budget):\n    return text[0:budget] + '...'\n",
    "bytes": "def f(text, cap):\n    return text.encode()[: cap.limit].decode(errors='ignore')\n",
    "word by word": (
        "def f(text, cap):\n    words = text.split()\n"
        "    while measure(' '.join(words), cap.unit) > cap.limit:\n"
        "        words = words[:-1]\n    return ' '.join(words)\n"
    ),
    "by halves": "def f(words, cap):\n    low, high = 0, cap.limit\n    return words[: (low + high) // 2]\n",
    "lines": "def f(text, max_lines):\n    return text.splitlines()[:max_lines]\n",
    "what is left": "def f(text, used):\n    room = 100 - used\n    return text[:room]\n",
    "the tail": "def f(text, limit):\n    return text[-limit:]\n",
    "a fixed size": "def f(text):\n    return text[:2_000]\n",
    "the library": "import textwrap\ndef f(text):\n    return textwrap.shorten(text, 80)\n",
}
HARMLESS = {
    "a prefix": "def f(path, base):\n    return path[len(base):]\n",
    "a hash": "def f(data):\n    return sha256(data).hexdigest()[:16]\n",
    "a first item": "def f(items, limit):\n    return items[:1], limit\n",
    "a position": "def f(text, at):\n    return text[:at]\n",
    "a middle": "def f(text, start, end, limit):\n    return text[start:end], limit\n",
}


@pytest.mark.req("ADR1671-one-composer")
@pytest.mark.parametrize("name", SEEDED_CUTS)
def test_a_second_place_that_cuts_text_is_caught(name: str) -> None:
    assert cuts(SEEDED_CUTS[name]) == ["f"]


@pytest.mark.parametrize("name", HARMLESS)
def test_other_slices_are_let_be(name: str) -> None:
    assert cuts(HARMLESS[name]) == []


@pytest.mark.req("ADR1671-one-composer")
def test_nobody_but_the_composer_cuts_text_to_a_budget() -> None:
    assert any(cuts(source) for path, source in CORE.items() if CUTTERS.fullmatch(path))
    found = {path: cuts(source) for path, source in OURS.items() if not CUTTERS.fullmatch(path)}
    assert {path: names for path, names in found.items() if names} == {}


# --- each cap stands once -----------------------------------------------------------------------------


@pytest.mark.req("ADR1671-caps-once")
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_no_runtime_declares_a_cap_that_another_of_its_own_makes_superfluous(runtime: str) -> None:
    module = PYPROJECT["project"]["entry-points"]["gsd_install.runtimes"][runtime]
    caps: tuple[Cap, ...] = importlib.import_module(module).gsd_caps()
    assert strictest(caps) == caps
    assert strictest((*caps, *caps)) == caps


@pytest.mark.req("ADR1671-caps-once")
def test_the_core_holds_no_limit_of_a_runtime() -> None:
    limits = {cap.limit for runtime in RUNTIMES for cap in Plugins().get(runtime).caps if cap.limit >= 2_000}
    assert limits
    for path, source in CORE.items():
        numbers = {node.value for node in ast.walk(parsed(source)) if isinstance(node, ast.Constant)}
        assert not limits & {number for number in numbers if isinstance(number, int)}, path
