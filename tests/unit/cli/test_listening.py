"""What hosts print is read by data; a host that hangs or fails is ended and named."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.cli.listening import heard, names
from gsd_install.runtime import Ask

NAME = st.from_regex(r"[a-z0-9]+(-[a-z0-9]+)*", fullmatch=True)
NOISE = st.sampled_from(["warning: {not json", "", "  at line [3]", "[broken", '{"other": 1}'])
posix = pytest.mark.skipif(os.name == "nt", reason="the fake hosts are shell scripts")


def host(folder: Path, script: str) -> str:
    """A program that is a shell script."""
    path = folder / "host"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


@given(found=st.lists(NAME, min_size=1), noise=st.lists(NOISE, max_size=3), indent=st.sampled_from([None, 2]))
@settings(max_examples=60)
def test_names_are_told_from_documents_whatever_stands_around_them(
    found: list[str], noise: list[str], indent: int | None
) -> None:
    document = json.dumps({"list": [{"name": name} for name in found]}, indent=indent)
    text = "\n".join([*noise, document, *noise])
    assert names(Ask(("skill",), ("x",), ("list", "*", "name")), text) == set(found)


@pytest.mark.parametrize(
    ("path", "document", "expected"),
    [
        (("@",), {"a": 1, "b": 2}, {"a", "b"}),
        (("x", "*"), {"x": ["/a", "skill:b"]}, {"a", "b"}),
        (("*", "name"), [{"name": "a"}, {"title": "b"}, "c"], {"a"}),
        (("x", "y"), {"x": []}, set()),
    ],
)
def test_a_path_leads_to_names_or_nowhere(
    path: tuple[str, ...], document: object, expected: set[str]
) -> None:
    assert names(Ask(("skill",), ("x",), path), json.dumps(document)) == expected


def test_a_pattern_reads_lines_without_their_colours() -> None:
    ask = Ask(("skill",), ("x",), pattern=r"^(\S+) \[on\]")
    assert names(ask, "Skills:\n\x1b[1mone\x1b[0m [on]\ntwo [off]\n") == {"one"}


@posix
def test_a_host_is_told_its_lines_and_ended_once_it_has_answered(tmp_path: Path) -> None:
    program = host(tmp_path, 'read line; echo "{\\"names\\": [\\"$line\\", \\"$1\\"]}"; exec sleep 600')
    ask = Ask(("skill",), ("word",), ("names", "*"), said=("said {home}",))
    answer = heard(program, [ask], str(tmp_path), seconds=60)
    assert names(ask, answer.text) == {f"said {tmp_path}", "word"}
    assert answer.problem == ""


# Prints as programs do that write without waiting: what the pipe does not take at once is lost.
HASTY = """\
import json, os, stat
data = json.dumps([{"name": f"skill-{at}"} for at in range(9_000)]).encode()
if stat.S_ISFIFO(os.fstat(1).st_mode):
    os.set_blocking(1, False)
os.write(1, data)
"""


@posix
def test_a_host_that_does_not_wait_for_a_pipe_is_heard_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "hasty.py").write_text(HASTY, encoding="utf-8")
    program = host(tmp_path, f'exec "{sys.executable}" "{tmp_path}/hasty.py"')
    ask = Ask(("skill",), ("x",), ("*", "name"))
    answer = heard(program, [ask], str(tmp_path), seconds=60)
    assert len(names(ask, answer.text)) == 9_000
    assert answer.problem == ""


@posix
def test_what_a_child_of_a_host_prints_is_heard_too(tmp_path: Path) -> None:
    program = host(tmp_path, '(sleep 0.2; printf \'["a",\n"b"]\') & exit 0')
    ask = Ask(("skill",), ("x",), ("*",))
    answer = heard(program, [ask], str(tmp_path), seconds=60)
    assert names(ask, answer.text) == {"a", "b"}


@posix
def test_a_host_that_leaves_something_running_has_answered(tmp_path: Path) -> None:
    program = host(tmp_path, "sleep 600 >/dev/null 2>&1 & echo '[\"a\"]'")
    ask = Ask(("skill",), ("x",), ("*",))
    answer = heard(program, [ask], str(tmp_path), seconds=60)
    assert (names(ask, answer.text), answer.problem) == ({"a"}, "")


@posix
def test_a_host_that_hangs_is_ended_with_what_it_started_and_named(tmp_path: Path) -> None:
    program = host(tmp_path, "sleep 600 & wait")
    answer = heard(program, [Ask(("skill",), ("x",), ("names", "*"))], str(tmp_path), seconds=0.2)
    assert answer.problem == "it gave no answer within 0.2 seconds and was ended"


@posix
def test_a_host_that_fails_says_why(tmp_path: Path) -> None:
    program = host(tmp_path, "echo 'bad setting' >&2; exit 3")
    answer = heard(program, [Ask(("skill",), ("x",), ("names", "*"))], str(tmp_path), seconds=60)
    assert answer.problem == "it ended with exit code 3: bad setting"


@posix
def test_a_host_learns_of_no_home_and_no_key_but_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/elsewhere")
    ask = Ask(("skill",), ("x",), pattern=r"^(.+)$", environ={"ADDED": "yes"})
    answer = heard(host(tmp_path, "env"), [ask], str(tmp_path), seconds=60)
    assert "secret" not in answer.text
    assert "/elsewhere" not in answer.text
    assert f"\nHOME={tmp_path}\n" in f"\n{answer.text}"
    assert "ADDED=yes" in answer.text
