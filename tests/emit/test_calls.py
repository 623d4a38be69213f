"""Every line that the shipped texts tell an agent to run is one that `gsd-tools` takes."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from gsd_install.emit.output import Output
from gsd_install.runtime.words import Scope
from gsd_install.shipped import shipped_root
from support import calls
from support.calls import Call, fault, shape_of, stray, words
from support.emissions import SCOPES, emitted
from support.venvs import ROOT

_OF_FEATURES = (ROOT / "capabilities" / "gsd_capabilities").glob("*/workflows/*.md")
WORKFLOWS = sorted(path.stem for path in (*Path(shipped_root(), "workflows").glob("*.md"), *_OF_FEATURES))
# It speaks of the installation alone.
WITHOUT = {"update"}
TEXTS = ("workflow", "reference", "template", "agent", "skill", "command")


@cache
def texts(scope: Scope) -> tuple[Output, ...]:
    return tuple(emitted("claude", scope, "full").of(*TEXTS))


@cache
def rendered(workflow: str) -> str:
    """A workflow with all its step files, as it is installed."""
    own = [output for output in texts("global") if output.source == f"workflows/{workflow}.md"]
    assert own
    return "\n".join(output.data.decode() for output in own)


def faults(text: str) -> list[str]:
    return [wrong for call in calls.calls(text) if (wrong := fault(call))]


@pytest.mark.parametrize("scope", SCOPES)
def test_every_call_of_every_installed_text_is_one_that_the_companion_takes(scope: Scope) -> None:
    found = 0
    for output in texts(scope):
        text = output.data.decode()
        assert not faults(text), output.path
        found += len(calls.calls(text))
        if output.kind != "command":  # a command also names the launcher in its permissions
            assert not stray(text), output.path
    assert found > 100


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_a_misspelt_verb_in_any_workflow_is_found(workflow: str) -> None:
    text = rendered(workflow)
    found = calls.calls(text)
    assert bool(found) is (workflow not in WITHOUT)
    assert not faults(text)
    for call in found:
        verb = words(call)[0]
        misspelt = call.text.replace(f" {verb}", f" {verb}x", 1)
        assert faults(text.replace(call.text, misspelt)), misspelt
        if verb != "render":  # its words belong to the command of the workflow, and it takes any of them
            assert faults(text.replace(call.text, call.text.replace(f" {verb}", f" {verb} --no-such", 1)))


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("stat get next", "no verb 'stat'"),
        ("phase lst", "no verb 'phase lst'"),
        ("phase list 3", "does not take 1 words"),
        ("phase show", "does not take 0 words"),
        ("phase move <n> behind <m>", "no 'behind'"),
        ("phase status <n> plannd", "not the status"),
        ("phase add '<name>' --aim x", "no option --aim"),
        ("state set next", "without a value"),
        ("state set nxt=<next>", "no field 'nxt'"),
        ("config get checks.tset", "no setting 'checks.tset'"),
        ("config set mode fast", "cannot be 'fast'"),
        ("commit 'docs: x'", "does not take 1 words"),
        ("review-prompt <n>", "needs --max-tokens"),
        ("query context-predicates --clas PLAN", "no option --clas"),
        ("state set 'next=<n>", "No closing quotation"),
    ],
)
def test_each_kind_of_mistake_is_found(line: str, wrong: str) -> None:
    found = fault(Call(f"~/.gsd/bin/gsd-tools {line}", 1))
    assert found is not None
    assert wrong in found


def test_a_call_is_found_in_a_fence_and_in_a_code_span_and_nowhere_else() -> None:
    text = (
        "Run `~/.gsd/bin/gsd-tools phase list`, then `.gsd/bin/gsd-tools state get`: `.gsd/bin/gsd-tools`.\n"
        "\n```bash\n~/.gsd/bin/gsd-tools validate   # all\nls ~/.gsd/bin/gsd-tools\n```\n"
        "- `~/.gsd/bin/gsd-tools phase\n  show 3`\n"
    )
    assert [(call.text.split(" ", 1)[1], call.line) for call in calls.calls(text)] == [
        ("phase list", 1),
        ("state get", 1),
        ("validate   # all", 4),
    ]
    assert stray(text) == 2


def test_placeholders_are_filled_in_and_what_the_shell_keeps_is_gone() -> None:
    call = Call('~/.gsd/bin/gsd-tools commit "docs(<n>): <what>" <dir> > x.md # all', 1)
    assert words(call, {"n": "3", "what": "a b", "dir": "d"}) == ["commit", "docs(3): a b", "d"]
    with pytest.raises(KeyError):
        words(call, {"n": "3"})


def test_a_usage_says_how_many_words_a_verb_takes() -> None:
    assert shape_of("NUMBER before|after NUMBER") == (3, 3, (), ((1, ("before", "after")),))
    assert shape_of("MESSAGE PATH ...") == (2, None, (), ())
    assert shape_of("PHASE --max-tokens N [--x Y]") == (1, 1, ("max-tokens",), ())
    assert shape_of("--check | --write [--source FILE]") == (0, 0, (), ())


@pytest.mark.parametrize("workflow", [name for name in WORKFLOWS if name not in WITHOUT])
def test_a_workflow_says_what_to_do_where_the_companion_cannot_run(workflow: str) -> None:
    """By the ground rules, or beside the call in the two that do without them."""
    [rules] = [o for o in texts("global") if o.source == "references/context/ground-rules.md"]
    assert "cannot run at all" in rules.data.decode()
    text = rendered(workflow)
    if workflow in {"help", "surface"}:
        assert re.search(r"state get next`, or its\s+line\s+in\s+`\.planning/STATE\.md`", text)
    else:
        assert "~/.gsd/content/gsd/references/context/ground-rules.md" in text


@pytest.mark.req("ADR1671-predicate-briefs")
def test_whoever_dispatches_a_role_that_is_bound_by_facts_takes_them_from_the_selector() -> None:
    """The brief gets the lines that the selector prints, and the text says that they are copied."""
    for workflow, agent, wanted in (
        ("plan-phase", "planner", ["PLAN"]),
        ("plan-phase", "plan-checker", ["PLAN"]),
        ("execute-phase", "executor", ["EXEC", "COMMIT"]),
        ("execute-phase", "verifier", ["EVIDENCE"]),
        ("code-review", "code-reviewer", ["EVIDENCE"]),
    ):
        text = rendered(workflow)
        assert f"gsd-{agent}" in text
        asked = [words(call) for call in calls.calls(text)]
        for name in wanted:
            assert ["query", "context-predicates", "--class", name] in asked, (workflow, name)
        assert re.search(r"word\s+for\s+word", text), workflow
    [dispatch] = [o for o in texts("global") if o.source == "references/execution/dispatch.md"]
    assert "Facts: <lines of CONTEXT that the workflow selected, word for word>" in dispatch.data.decode()
