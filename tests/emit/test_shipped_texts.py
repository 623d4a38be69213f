"""What the shipped texts promise about themselves: sizes as emitted, one place for each statement."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import pytest

from gsd_install.content.model import Catalog
from gsd_install.emit.output import Output
from gsd_install.kernel.scope import should_compose
from gsd_install.shipped import shipped_root
from support.calls import calls, words
from support.content import loaded
from support.emissions import SCOPES, content, emitted, plugins

KIB = 1024
CEILINGS = {"workflows": 40 * KIB, "agents": 24 * KIB, "commands": 2 * KIB}
# Long enough to say something: shorter ones are headings and turns of phrase.
SENTENCE = 50


def over(outputs: Iterable[Output]) -> dict[str, int]:
    """Outputs that are larger than a text of their kind may be; steps and parts count by themselves."""
    limits = ((output, CEILINGS.get(output.source.partition("/")[0])) for output in outputs)
    return {output.path: len(output.data) for output, limit in limits if limit and len(output.data) > limit}


@pytest.mark.req("ADR1671-authoring-ceilings")
@pytest.mark.parametrize("runtime", plugins().ids())
def test_no_text_is_larger_than_its_kind_may_be(runtime: str) -> None:
    for scope in SCOPES:
        assert not over(emitted(runtime, scope, "full").outputs)


def test_a_text_that_is_too_large_is_found_by_one_byte() -> None:
    found = emitted("claude", "global", "full")
    for folder, limit in CEILINGS.items():
        first = next(output for output in found.outputs if output.source.startswith(f"{folder}/"))
        assert over([first._replace(data=b"x" * limit)]) == {}
        assert over([first._replace(data=b"x" * (limit + 1))]) == {first.path: limit + 1}


@cache
def prose() -> Mapping[str, str]:
    """Every text of the content by its path."""
    root = Path(shipped_root())
    return {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in root.rglob("*.md")}


def sentences(text: str) -> set[str]:
    """The sentences of a text, without frontmatter, fences, comments and tables."""
    text = re.sub(
        r"\A---\n.*?\n---\n|^( *)```.*?^\1```$|<!--.*?-->", "", text, flags=re.DOTALL | re.MULTILINE
    )
    blocks = (" ".join(block.split()) for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-|#]|\d+\.))", text))
    pieces = (piece for block in blocks if block[:1] != "|" for piece in re.split(r"(?<=[.:;])\s", block))
    return {piece for piece in pieces if len(piece) >= SENTENCE}


def said_twice(texts: Mapping[str, str]) -> dict[str, list[str]]:
    """Sentences that stand in two texts; how a command sends to its workflow is the same in each."""
    found = defaultdict(list)
    for path, text in texts.items():
        for sentence in sentences(text):
            found[sentence].append(path)
    return {
        sentence: paths
        for sentence, paths in found.items()
        if len(paths) > 1 and not all(path.startswith("commands/") for path in paths)
    }


@pytest.mark.req("ADR1671-one-source-per-fact")
def test_no_sentence_stands_in_two_texts() -> None:
    assert sum(len(sentences(text)) for text in prose().values()) > 1000
    for sentence in said_twice(prose()):
        # A line that is run reads the same wherever it is run.
        assert "{gsd:launcher" in sentence, sentence


def test_a_sentence_that_is_copied_is_found() -> None:
    sentence = "A plan that names something nobody has seen in the tree is a guess, and is marked as one."
    texts = dict(prose())
    texts["references/a.md"] = f"# A\n\n{sentence} Short.\n"
    texts["agents/b.md"] = "---\ndescription: x\n---\n" + sentence.replace("tree is", "tree\nis") + "\n"
    assert said_twice(texts)[sentence] == ["references/a.md", "agents/b.md"]


@pytest.mark.req("ADR1671-one-source-per-fact")
def test_what_a_fact_says_is_written_nowhere_else() -> None:
    """The values of CONTEXT.md are asked for, and stand in no other text."""
    values = re.findall(r"`[A-Z]+\.[A-Z]+=([^`]+)`", prose()["CONTEXT.md"])
    assert len(values) > 15
    for path, text in prose().items():
        flat = " ".join(text.split())
        assert path == "CONTEXT.md" or not [value for value in values if value in flat], path


# Citing facts, what features add or judge at a point of the loop, and what says that something closes
# something: a phase its gaps, a pull request its issue.
RULES = re.compile(
    r"context-predicates|word\s+for\s+word|gsd-tools\} loop |\bgate that blocks"
    r"|\*\*Closes:\*\*|--closes|Issues are linked|pull_request_template"
)


def loose(catalog: Catalog) -> list[tuple[str, str]]:
    """Places of such a rule in a text that is composed, where a budget might move it."""
    found = []
    for document in catalog.documents:
        for section in document.sections if should_compose(document.kind) else ():
            text = "".join(
                part if isinstance(part, str) else f"{{gsd:{part.verb} {part.argument}}}"
                for part in section.parts
            )
            if section.hold not in ("keep", "isolate"):
                found += [(document.path, match[0]) for match in RULES.finditer(text)]
    return found


@pytest.mark.req("ADR1671-load-bearing-rules")
def test_rules_about_citing_gates_and_closing_are_load_bearing_wherever_they_stand() -> None:
    assert loose(content().catalog) == []


def test_such_a_rule_that_a_budget_might_move_is_found(tmp_path: Path) -> None:
    texts = {
        "workflows/a.md": "Copy it word\nfor word.\n\n"
        "<!-- gsd:keep -->\n`**Closes:** G1`\n<!-- /gsd:keep -->\n",
        "workflows/b.md": '<!-- gsd:section id="x" when="flag:--auto" -->\n'
        "Run `{gsd:launcher gsd-tools} loop plan:pre 1`.\n<!-- /gsd:section -->\n",
        "references/c.md": "**Closes:** stands in a text that is never composed.\n",
    }
    assert loose(loaded(tmp_path, texts)) == [
        ("workflows/a.md", "word\nfor word"),
        ("workflows/b.md", "gsd-tools} loop "),
    ]
    unkept = re.sub(r"<!-- /?gsd:keep -->\n", "", prose()["workflows/plan-phase.md"])
    unkept = re.sub(r"\{gsd:(?!launcher)[^}]*\}", "x", unkept)
    assert len(loose(loaded(tmp_path / "all", {"workflows/a.md": unkept}))) > 5


@pytest.mark.req("ADR1671-mode-files")
def test_help_reads_only_the_text_of_the_mode_that_is_asked_for() -> None:
    found = emitted("claude", "global", "core")
    texts = {output.source: output.data.decode() for output in found.outputs}
    body, every, question = (
        texts[path]
        for path in ("workflows/help.md", "references/help/all.md", "references/help/questions.md")
    )
    spell = {output.source: found.target.spell(output.path) for output in found.outputs}
    assert f"| `all` | {spell['references/help/all.md']} |" in body
    assert f"| a question or a wish in words | {spell['references/help/questions.md']} |" in body
    assert not {*sentences(body)} & {*sentences(every), *sentences(question)}
    assert "--research" not in body
    assert "gsd-install uninstall" in question
    assert len(body) < len(body + every + question) * 0.6
    assert [words(call) for call in calls(body)] == [["state", "get", "next"]]
