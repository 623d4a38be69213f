"""Linting and loading agree: the loader is the judge, and every fault it knows is reported, not the first."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.content import catalog
from gsd_install.kernel.errors import GsdError, ManyErrors
from gsd_install.lint.citations import predicates
from gsd_install.lint.loading import load
from gsd_install.lint.model import body, field_line
from support.content import HEAD, content_root
from support.linting import BASE, FACTS, STEPS

LINES = (
    "---\n",
    "tier: high\n",
    "titel: x\n",
    "description:\n",
    "description: x\n",
    "requires: [nobody, plan]\n",
    "- item\n",
    "\n",
    "# Heading\n",
    "```\n",
    "<!--\n",
    "-->\n",
    '<!-- gsd:section id="a" when="always" -->\n',
    '<!-- gsd:section id="b" when="flag:--full" -->\n',
    "<!-- gsd:section -->\n",
    "<!-- /gsd:section -->\n",
    "<!-- gsd:keep -->\n",
    "<!-- /gsd:keep -->\n",
    "<!-- gsd:isolate -->\n",
    "<!-- /gsd:isolate -->\n",
    "<!-- gsd:literal -->\n",
    "<!-- /gsd:literal -->\n",
    "{gsd:path references/nope.md} {gsd:path references/nope.md} {gsd:agent planner}\n",
    "{gsd:what} {gsd:args}\n",
    "{gsd:path\n",
    "{{gsd:path}\n",
    "no end\r\n",
    "lone\r\r\r",
    "odd \x0c \u2028 ends\n",
)
TEXTS = st.lists(st.sampled_from(LINES), max_size=9).map("".join)
PATHS = st.sampled_from([*BASE, "content.toml", "mcp.json", "hooks/hooks.toml", "commands/Two.md"])


def errors(root: str) -> list[GsdError]:
    """What loading a root reports."""
    try:
        catalog.load(root)
    except ManyErrors as error:
        return list(error.errors)
    except GsdError as error:
        return [error]
    return []


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(PATHS, TEXTS, max_size=3))
def test_what_loads_is_free_of_faults_and_what_does_not_names_each(files: Mapping[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = str(content_root(Path(folder), {"content.toml": HEAD, **BASE, **files}))
        expected = errors(root)
        found = load(root)
    assert found.tree is not None
    assert bool(found.findings) == bool(expected)
    for error in expected:
        rule = error.reason.replace("_", "-")
        assert (rule, error.message) in [(item.rule, item.message) for item in found.findings]
    for item in found.findings:
        assert item.line >= 1
        assert item.fix


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_a_body_starts_where_it_is_said_to(text: str) -> None:
    rest, line = body(text)
    assert text.endswith(rest)
    assert len(re.findall(r"\r\n?|\n", text.removesuffix(rest))) == line - 1


def test_lines_stay_those_of_the_file_where_a_description_is_missing(tmp_path: Path) -> None:
    fields = "---\ntitle: x\nfoo: y\nrequires: [nobody]\n---\n"
    text = f"{fields}\n{{gsd:what}}\n{{gsd:path references/nope.md}}\n{{gsd:args}}\n"
    found = load(str(content_root(tmp_path, {**BASE, "commands/two.md": text})))
    assert sorted((item.line, item.rule) for item in found.findings) == [
        (1, "no-description"),
        (3, "unknown-key"),
        (4, "unresolved"),
        (7, "unknown-placeholder"),
        (8, "unresolved"),
    ]
    assert found.tree
    [two] = [item for item in found.tree.catalog.documents if item.id == "two"]
    assert [(item.verb, item.line) for item in two.placeholders] == [("args", 9)]


def test_a_consequence_of_a_fault_is_no_fault(tmp_path: Path) -> None:
    files = {
        **BASE,
        "references/scope.md": BASE["references/scope.md"],
        "commands/Plan-B.md": "---\ndescription: x\n---\n",
        "rules/loop.md": "{gsd:command Plan-B} {gsd:path commands/Plan-B.md}\n",
        "agents/planner.md": "---\ndescription: [x]\n---\n",
    }
    found = load(str(content_root(tmp_path, files)))
    assert sorted((item.path, item.rule) for item in found.findings) == [
        ("agents/planner.md", "bad-value"),
        ("commands/Plan-B.md", "bad-name"),
    ]


@pytest.mark.parametrize(
    ("head", "faults"),
    [
        (
            'format = 2\nid = "A"\nname = ""\nextra = 1\nversion = "1"\n',
            [(1, "bad-value"), (1, "content-format"), (2, "bad-value"), (3, "bad-value"), (4, "unknown-key")],
        ),
        (HEAD.replace('id = "acme"\n', ""), [(1, "bad-value")]),
        (HEAD + "[table]\nx = 1\n[other]\n", [(7, "unknown-key"), (9, "unknown-key")]),
        (HEAD + "x = [\n", [(7, "bad-toml")]),
    ],
)
def test_every_fault_of_the_head_is_found(tmp_path: Path, head: str, faults: list[tuple[int, str]]) -> None:
    found = load(str(content_root(tmp_path, BASE, head=head)))
    assert {item.path for item in found.findings} == {"content.toml"}
    assert sorted((item.line, item.rule) for item in found.findings) == faults
    assert found.tree


def test_a_field_is_found_where_it_stands() -> None:
    assert field_line("---\ntitle: x\ndescription: y\n---\n", "description") == 3
    assert field_line("title: x\n", "title") == 1


def test_predicates_are_those_of_the_companion() -> None:
    from gsd_install.kernel.predicates import read
    from gsd_install.shipped import shipped_root

    text = (Path(shipped_root()) / "CONTEXT.md").read_text(encoding="utf-8")
    odd = f"{FACTS}1. `A.b=c`\n> `B=c`\n\n```\n`C=d`\n```\n<!--\n`D=e`\n-->\n`a.b=c`\n`E=`\n`F=x=y`\n{STEPS}"
    for each in (text, odd):
        found = [(name, value) for name, values in predicates(each).items() for value in values]
        assert sorted(found) == sorted((item.id, item.value) for item in read(each).predicates)
    assert predicates(odd) == {"LOOP.steps": ["plan, execute"], "A.b": ["c"], "F": ["x=y"]}
