from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from gsd_capabilities.companion import main, output
from gsd_capabilities.companion.request import Faulty, Request, Verb
from gsd_install.kernel import errors
from gsd_install.kernel.errors import GsdError, LockedError
from support.payloads import Box


@pytest.fixture
def box(tmp_path: Path) -> Box:
    made = Box(tmp_path)
    made.workflow("plan-phase", ["# Plan\n"])
    made.roadmap({"1": "standard"})
    return made


@pytest.fixture
def verb(monkeypatch: pytest.MonkeyPatch) -> dict[str, Verb]:
    """The verbs of a module that only this test has, all of which begin with `test`."""
    module = ModuleType("gsd_capabilities.made_up")
    verbs: dict[str, Verb] = {}
    vars(module)["VERBS"] = verbs
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(main.TABLE, "test", f"{module.__name__}:VERBS")
    return verbs


def always(answer: object) -> Callable[[Request], object]:
    return lambda _: answer


def test_an_answer_is_json_text_or_bytes(box: Box, verb: dict[str, Verb]) -> None:
    for answer, printed in (
        ({"a": ["é"]}, '{\n  "a": [\n    "é"\n  ]\n}\n'.encode()),
        ("as it is", b"as it is"),
        (b"\xff\x00", b"\xff\x00"),
        (None, b"null\n"),
    ):
        verb["test"] = Verb(always(answer), "test")
        assert box.run("test") == (0, printed, "")


def test_an_answer_that_says_something_is_wrong_is_printed_whole_and_ends_with_1(
    box: Box, verb: dict[str, Verb]
) -> None:
    verb["test"] = Verb(always(Faulty({"valid": False})), "test")
    assert box.run("test") == (1, b'{\n  "valid": false\n}\n', "")
    assert box.run("--pick", "valid", "test") == (1, b"false\n", "")


def test_a_request_has_what_was_typed(box: Box, verb: dict[str, Verb]) -> None:
    asked: list[Request] = []
    verb["test it"] = Verb(asked.append, "test it", frozenset({"to"}), frozenset({"now"}))
    answer = box.run(
        "--runtime",
        "claude",
        "--payload=/p",
        "test",
        "it",
        "a",
        "--to",
        "x",
        "--now",
        "--to=y",
        "--",
        "--b",
        stdin=b"in",
    )
    assert answer.code == 0, answer.err
    [request] = asked
    assert (request.words, request.options) == (("a", "--b"), {"to": "x", "now": ""})
    assert (request.runtime, request.payload, request.cwd) == ("claude", "/p", str(box.project))
    assert request.stdin() == b"in"


def test_another_folder_is_one_relative_to_here(box: Box, verb: dict[str, Verb]) -> None:
    verb["test"] = Verb(lambda request: request.cwd, "test")
    (box.project / "src").mkdir()
    assert box.run("--cwd", "src", "test").out.decode() == str(box.project / "src")
    assert box.run("--cwd", "gone", "test").code == 2


def test_a_value_is_picked(box: Box, verb: dict[str, Verb]) -> None:
    verb["test"] = Verb(lambda _: {"a": {"b.c": [{"d": "x"}, 2]}, "n": None}, "test")
    for path, printed in (
        ("a.b.c[0].d", "x\n"),
        ("a.b.c[-1]", "2\n"),
        ("n", "null\n"),
        ("a.b.c[0]", '{\n  "d": "x"\n}\n'),
    ):
        assert box.run("--pick", path, "test") == (0, printed.encode(), "")
    for path, reason, code in (
        ("a.x", "no_such_value", 1),
        ("a.b.c[2]", "no_such_value", 1),
        ("a[0]", "no_such_value", 1),
        ("a..b", "bad_path", 2),
        ("a[x]", "bad_path", 2),
        ("a[0", "bad_path", 2),
    ):
        answer = box.run("--json-errors", "--pick", path, "test")
        assert (answer.code, json.loads(answer.err)["reason"]) == (code, reason), path


def raising(error: Exception) -> Verb:
    def run(_: Request) -> object:
        raise error

    return Verb(run, "test")


def test_errors_have_their_exit_code_and_two_forms(box: Box, verb: dict[str, Verb]) -> None:
    verb["test"] = raising(GsdError("it is broken", reason="broken", file="a.md", line=3, hint="mend it"))
    assert box.run("test") == (1, b"", "gsd-tools: a.md:3: it is broken\nhint: mend it\n")
    answer = box.run("--json-errors", "test")
    assert (answer.code, answer.out) == (1, b"")
    assert json.loads(answer.err) == {
        "ok": False,
        "reason": "broken",
        "message": "it is broken",
        "file": "a.md",
        "line": 3,
        "hint": "mend it",
    }
    verb["test"] = raising(LockedError("somebody else writes", reason="locked"))
    assert box.run("test").code == 5
    verb["test"] = raising(ZeroDivisionError("oops"))
    plain = box.run("test")
    assert plain.code == 3
    assert "Traceback" in plain.err
    assert json.loads(box.run("--json-errors", "test").err)["reason"] == "bug"


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        ((), "unknown_verb"),
        (("rendr",), "unknown_verb"),
        (("test", "that"), "unknown_verb"),
        (("test", "--text"), "unknown_verb"),
        (("--wrong", "test"), "unknown_option"),
        (("--cwd",), "missing_value"),
        (("test", "it", "--wrong"), "unknown_option"),
        (("test", "it", "--now=1"), "unexpected_value"),
        (("test", "it", "--to"), "missing_value"),
    ],
)
def test_a_wrong_command_line_is_a_usage_error(
    box: Box, verb: dict[str, Verb], argv: tuple[str, ...], reason: str
) -> None:
    verb["test it"] = Verb(lambda _: "", "test it", frozenset({"to"}), frozenset({"now"}))
    answer = box.run("--json-errors", *argv)
    assert (answer.code, json.loads(answer.err)["reason"], answer.out) == (2, reason, b"")
    assert json.loads(answer.err)["hint"]


@pytest.mark.parametrize(
    ("argv", "message", "hint"),
    [
        (("test",), "'test' needs a second word", "test add | list; gsd-tools test --help says more"),
        (("test", "--now"), "'test' needs a second word", "test add | list; gsd-tools test --help says more"),
        (("test", "ad"), "there is no verb 'test ad'", "did you mean 'test add'?"),
        (("test", "zzz"), "there is no verb 'test zzz'", "test add | list; gsd-tools test --help says more"),
    ],
)
def test_a_group_of_verbs_says_what_there_is_in_it(
    box: Box, verb: dict[str, Verb], argv: tuple[str, ...], message: str, hint: str
) -> None:
    verb["test add"] = verb["test list"] = Verb(lambda _: "", "test add")
    told = json.loads(box.run("--json-errors", *argv).err)
    assert (told["message"], told["hint"]) == (message, hint)


def test_help_lists_every_verb_and_a_verb_says_its_own(box: Box, verb: dict[str, Verb]) -> None:
    verb["test it"] = Verb(lambda _: "", "test it [--now]")
    assert "  test it [--now]\n" in box.run("--help").out.decode()
    assert box.run("test", "it", "--help").out == b"gsd-tools test it [--now]\n"
    assert box.run("test", "it", "-h").out == b"gsd-tools test it [--now]\n"
    assert box.run("-h").out == box.run("--help").out


@pytest.mark.parametrize("word", ["-h", "--help"])
def test_a_group_of_verbs_says_its_own(box: Box, word: str) -> None:
    told = box.run("phase", word)
    usages = [line.split()[:2] for line in told.out.decode().splitlines()[2:]]
    assert told.code == 0
    assert ["phase", "show"] in usages
    assert {first for first, _ in usages} == {"phase"}


def test_a_capability_that_is_not_there_is_named(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(main.TABLE, "gone", "gsd_capabilities.gone.verbs:VERBS")
    answer = box.run("--json-errors", "gone", "thing")
    assert (answer.code, json.loads(answer.err)["reason"]) == (1, "missing_capability")
    assert "  gone: " in box.run("--help").out.decode()


def test_a_capability_that_cannot_be_imported_is_a_bug_and_not_missing(
    box: Box, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "gsd_breaks.py").write_text("import gsd_no_such_module\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(main.TABLE, "breaks", "gsd_breaks:VERBS")
    assert box.run("breaks").code == 3


def test_every_verb_of_ours_is_found_under_its_first_word() -> None:
    for first, place in main.TABLE.items():
        module = place.partition(":")[0]
        if module.startswith(("gsd_capabilities.companion.", "gsd_capabilities.predicates.")):
            verbs = main._load(first)
            assert any(name.split(" ")[0] == first for name in verbs)
            assert all(main.TABLE[name.split(" ")[0]] == place for name in verbs)


@pytest.mark.parametrize(
    ("where", "found"), [("project", True), ("gsd_home", True), ("home", True), ("none", False)]
)
def test_the_payload_is_found_without_a_launcher(tmp_path: Path, where: str, found: bool) -> None:
    box = Box(tmp_path / "user")
    box.workflow("plan-phase", [f"# {where}\n"])
    environ = {"HOME": str(tmp_path / "nobody")}
    place = {
        "project": box.project / ".gsd",
        "gsd_home": tmp_path / "gsd",
        "home": tmp_path / "nobody" / ".gsd",
    }
    (tmp_path / "nobody").mkdir()
    target = place.get(where, tmp_path / "unused")
    box.payload.rename(target)
    if where == "gsd_home":
        environ["GSD_HOME"] = str(target)
    answer = box.run("--json-errors", "render", "plan-phase", environ=environ)
    if found:
        assert answer.out == f"# {where}\n".encode()
    else:
        told = json.loads(answer.err)
        assert (answer.code, told["reason"]) == (1, "no_payload")
        assert told["hint"]


def test_the_payload_of_the_launcher_wins(box: Box, tmp_path: Path) -> None:
    other = Box(tmp_path / "other")
    other.workflow("plan-phase", ["# Other\n"])
    assert box.run("--payload", str(other.payload), "render", "plan-phase").out == b"# Other\n"
    answer = box.run("--json-errors", "--payload", str(tmp_path / "x"), "render", "plan-phase")
    assert json.loads(answer.err)["reason"] == "no_payload"


HEAVY = {
    "argparse",
    "dataclasses",
    "difflib",
    "hashlib",
    "logging",
    "pathlib",
    "subprocess",
    "tempfile",
    "typing",
}


def imported(box: Box, *argv: str) -> set[str]:
    """The modules a whole process has imported at its end."""
    code = (
        "import sys; sys.path[:0] = sys.argv.pop(1).split('|')\n"
        "from gsd_capabilities.companion.main import console\n"
        "code = console(); sys.stderr.write(' '.join(sys.modules)); sys.exit(code)"
    )
    environ = {"HOME": str(box.home), "TMPDIR": str(box.home)}
    files = (main.__file__, errors.__file__)
    roots = "|".join(str(Path(file).parents[2]) for file in files)
    command = [sys.executable, "-I", "-S", "-c", code, roots, "--payload", str(box.payload), *argv]
    done = subprocess.run(command, cwd=box.project, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


@pytest.mark.parametrize(
    "argv",
    [
        ("init", "plan-phase", "1"),
        ("render", "plan-phase", "1"),
        ("query", "context-predicates", "--class", "A"),
    ],
)
def test_hot_verbs_import_nothing_heavy(box: Box, argv: tuple[str, ...]) -> None:
    box.write(box.project / "CONTEXT.md", "`A.b=c`\n")
    modules = imported(box, *argv)
    assert "gsd_capabilities.companion.request" in modules
    assert modules & HEAVY == set()


def test_the_guard_of_imports_sees_a_heavy_one(box: Box) -> None:
    box.write(box.project / "CONTEXT.md", "".join(f"`RULE.any.{'n' * 40}{n}=x`\n" for n in range(1_500)))
    assert {"hashlib"} <= imported(box, "init", "plan-phase", "1") & HEAVY


def test_text_that_no_file_can_hold_is_still_told() -> None:
    assert b"?" in output.told(GsdError("\udc80"), as_json=False)
