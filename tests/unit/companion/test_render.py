from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gsd_install.kernel.measure import ERROR_PERCENT, estimated
from support.payloads import Box

RESEARCH = "## Research\n\nLook at what exists.\n"
THIN = "## Thin\n\nLess.\n"


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return Box(tmp_path)


def install(box: Box, end: str = "\n") -> Path:
    return box.workflow(
        "plan-phase",
        [
            f"# Plan{end}{end}First.{end}",
            ("research", "flag:--research", RESEARCH),
            f"Then.{end}",
            ("auto", "flag:--auto", THIN),
            "End, without a line end",
        ],
        end,
    )


@pytest.mark.req("ADR1671-universal-shim")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("1", "# Plan\n\nFirst.\nThen.\nEnd, without a line end"),
        ("1 --research", f"# Plan\n\nFirst.\n{RESEARCH}Then.\nEnd, without a line end"),
        ("--auto 1 --research", f"# Plan\n\nFirst.\n{RESEARCH}Then.\n{THIN}End, without a line end"),
    ],
)
def test_exactly_the_sections_of_this_invocation_are_printed(box: Box, arguments: str, expected: str) -> None:
    install(box)
    answer = box.run("render", "plan-phase", arguments)
    assert (answer.code, answer.out.decode(), answer.err) == (0, expected, "")
    assert box.run("render", "plan-phase", "-", stdin=arguments.encode()).out == answer.out
    assert box.run("render", "plan-phase", *arguments.split()).out == answer.out


def test_what_a_person_changed_is_printed_as_it_is(box: Box) -> None:
    path = install(box)
    edited = path.read_bytes().replace(b"Then.\n", b"Then.\r\n\xff mine\r\n\xe2\x80\xa8")
    edited = edited.replace(
        b"**When `--auto` was passed:** read", b"**When `--auto` was passed:** please read"
    )
    path.write_bytes(edited)
    out = box.run("render", "plan-phase", "1 --auto").out
    research = [line for line in edited.splitlines(keepends=True) if b"steps/research.md" in line]
    assert out == edited.replace(research[0], b"")
    assert b"please read" in out


def test_line_ends_of_the_body_are_kept(box: Box) -> None:
    install(box, "\r\n")
    (box.payload / "content/gsd/workflows/plan-phase/steps/research.md").write_bytes(b"cut short")
    out = box.run("render", "plan-phase", "1 --research").out
    assert out == b"# Plan\r\n\r\nFirst.\r\ncut short\r\nThen.\r\nEnd, without a line end"


def test_a_body_whose_sections_nobody_knows_keeps_its_pointers_and_says_so(box: Box) -> None:
    path = install(box)
    (box.payload / "content/gsd/workflows/plan-phase/steps/auto.md").unlink()
    answer = box.run("render", "plan-phase", "1 --research")
    assert (answer.code, answer.out) == (0, path.read_bytes())
    assert "auto.md: this step file is gone; every step file is to be read" in answer.err


def test_a_body_that_is_gone_is_an_error(box: Box) -> None:
    install(box).unlink()
    told = box.run("--json-errors", "render", "plan-phase", "1")
    assert (told.code, json.loads(told.err)["reason"], told.out) == (1, "missing_text", b"")


def big(box: Box) -> Path:
    long = "A sentence with some words in it.\n" * 60
    return box.workflow(
        "plan-phase",
        [
            "# Plan\n",
            ("research", "flag:--research", long),
            "Mid.\n",
            ("auto", "flag:--auto", long),
            "End.\n",
        ],
    )


def test_under_a_budget_sections_give_way_to_their_pointers_and_nothing_else_does(box: Box) -> None:
    body = big(box).read_text()
    whole = box.run("render", "plan-phase", "1 --research --auto").out.decode()
    assert (
        box.run("render", "plan-phase", "1 --research --auto", "--max-tokens", "9000").out.decode() == whole
    )
    pointers = box.run("render", "plan-phase", "1 --research --auto", "--max-tokens", "200").out.decode()
    assert pointers == body
    one = box.run("render", "plan-phase", "1 --research --auto", "--max-tokens=900").out.decode()
    assert len(pointers) < len(one) < len(whole)
    assert one.count("**When ") == 1
    assert one.startswith("# Plan\n")
    assert one.endswith("End.\n")


def test_a_budget_too_small_for_the_body_is_refused_with_numbers(box: Box) -> None:
    big(box)
    answer = box.run("--json-errors", "render", "plan-phase", "1 --research", "--max-tokens", "10")
    told = json.loads(answer.err)
    assert (answer.code, answer.out, told["reason"], told["available"]) == (1, b"", "over_budget", 8)
    needed = -(-told["required"] * 100 // 85) + 1
    assert box.run("render", "plan-phase", "1 --research", "--max-tokens", str(needed)).code == 0
    assert box.run("render", "plan-phase", "1", "--max-tokens", "many").code == 2


LINE = st.text(alphabet="ab é\u2028\x0c#*`", max_size=6)
FLAGS = ("--research", "--auto", "--prd", "--reviews")
PART = st.one_of(LINE.map(lambda text: text + "\n"), st.sampled_from(FLAGS))


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    parts=st.lists(PART, max_size=8),
    passed=st.sets(st.sampled_from(FLAGS)),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_the_result_is_the_source_without_what_does_not_apply(
    tmp_path_factory: pytest.TempPathFactory, parts: list[str], passed: set[str], end: str
) -> None:
    made: list[str | tuple[str, str, str]] = []
    expected = ""
    for number, part in enumerate(parts):
        if part not in FLAGS:
            made.append(part)
            expected += part
            continue
        text = f"step {number} {part}\n"
        made.append((f"s{number}", f"flag:{part}", text))
        expected += text if part in passed else ""
    box = Box(tmp_path_factory.mktemp("render"))
    box.workflow("plan-phase", made, end)
    arguments = ["1", *sorted(passed - {"--prd"}), *(["--prd", "x"] if "--prd" in passed else [])]
    out = box.run("render", "plan-phase", *arguments).out.decode()
    assert out == expected


@pytest.mark.req("ADR1671-units")
@pytest.mark.parametrize("letter", ["o", "é", "日"])
def test_what_an_invocation_is_given_is_counted_in_tokens(box: Box, letter: str) -> None:
    text = ("A sentence with some words in it, and more.\n" * 60).replace("o", letter)
    box.workflow("plan-phase", ["# Plan\n", ("research", "flag:--research", text), "End.\n"])
    whole = box.run("render", "plan-phase", "1 --research").out
    cost = estimated().cost(whole.decode())

    def given(size: int) -> bytes:
        return box.run("render", "plan-phase", "1 --research", "--max-tokens", str(size)).out

    enough = next(size for size in range(cost, 2 * cost) if given(size) == whole)
    assert enough * (100 - ERROR_PERCENT) // 100 == cost
    assert enough < len(whole.decode())
    assert len(given(enough - 1)) < len(whole)
