"""Sections of the shipped workflows: marked in the workflow itself, one workflow at a time."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from gsd_install.apply.ledger import Ledger
from gsd_install.apply.location import global_location
from gsd_install.content.model import Catalog, Document
from gsd_install.contents import open_contents
from gsd_install.emit.output import Output
from gsd_install.lint.sections import gated
from gsd_install.payload import payload
from gsd_install.pipeline import prepare
from gsd_install.shipped import shipped_root
from gsd_install.units import Wish
from support.content import LINUX, loaded
from support.emissions import content, emitted, plugins

MARKER = re.compile(r"^<!-- /?gsd:section\b.*-->\n", re.MULTILINE)
STEP = "step "
# From this size on a text that no invocation needs as a whole costs more than a marker.
LARGE = 8 * 1024


def workflows(catalog: Catalog) -> list[Document]:
    return [document for document in catalog.documents if document.kind == "workflow"]


# One file holds a workflow and what it does under conditions.


def hand_made(root: Path) -> list[str]:
    """Files beside the workflows: parts of one by hand, or a list of its parts."""
    folder = root / "workflows"
    files = (path for path in folder.rglob("*") if path.is_file())
    return sorted(
        path.relative_to(root).as_posix() for path in files if path.parent != folder or path.suffix != ".md"
    )


@pytest.mark.req("ADR1671-in-file-markers")
def test_every_step_file_comes_out_of_the_workflow_that_marks_it() -> None:
    assert hand_made(Path(shipped_root())) == []
    marked = {(document.path, name) for document in workflows(content().catalog) for name in gated(document)}
    steps = [
        (output.source, output.rendition.removeprefix(STEP))
        for output in emitted("claude", "global", "full").outputs
        if output.rendition.startswith(STEP)
    ]
    assert len(steps) > 40
    assert sorted(steps) == sorted(marked)


def test_a_part_or_a_list_that_was_made_by_hand_is_found(tmp_path: Path) -> None:
    root = tmp_path / "root"
    shutil.copytree(shipped_root(), root)
    (root / "workflows" / "ship").mkdir()
    (root / "workflows" / "ship" / "draft.md").write_text("x\n", encoding="utf-8")
    (root / "workflows" / "sections.json").write_text("{}\n", encoding="utf-8")
    assert hand_made(root) == ["workflows/sections.json", "workflows/ship/draft.md"]


# A workflow gets its markers when it is ready for them.


def outputs(root: Path) -> dict[str, Output]:
    """What is installed of a content root for one host, by path; the description of the content apart."""
    location = global_location(LINUX)
    found = prepare(
        location,
        Ledger(),
        plugins(),
        [("claude", each, Wish("full", frozenset())) for each in open_contents([str(root)], LINUX)],
        brought=payload(),
    )
    assert any(output.path.endswith("/companion.json") for output in found.outputs)
    return {output.path: output for output in found.outputs if not output.path.endswith("/companion.json")}


@pytest.fixture(scope="module")
def after(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Output]:
    """What the shipped content is installed as, from a folder like those without a marker."""
    root = tmp_path_factory.mktemp("marked") / "root"
    shutil.copytree(shipped_root(), root)
    return outputs(root)


@pytest.mark.req("ADR1671-per-workflow-cutover", "ADR1671-in-file-markers")
@pytest.mark.parametrize("name", ["plan-phase", "execute-phase", "update"])
def test_markers_in_one_workflow_change_no_other_output_and_write_nothing_twice(
    tmp_path: Path, after: Mapping[str, Output], name: str
) -> None:
    root = tmp_path / "root"
    shutil.copytree(shipped_root(), root)
    source = root / "workflows" / f"{name}.md"
    text = source.read_text(encoding="utf-8")
    source.write_text(MARKER.sub("", text), encoding="utf-8")
    before = outputs(root)
    assert {path for path in {*before, *after} if before.get(path) != after.get(path)} == {
        path for path, output in after.items() if output.source == f"workflows/{name}.md"
    }
    steps = {path: output for path, output in after.items() if output.source == f"workflows/{name}.md"}
    [body] = [path for path, output in steps.items() if not output.rendition.startswith(STEP)]
    joined = steps.pop(body).data.decode()
    assert len(steps) > 1
    for path, output in steps.items():
        [pointer] = [line for line in joined.splitlines(keepends=True) if f"/{Path(path).name}," in line]
        joined = joined.replace(pointer, output.data.decode())
    assert joined == before[body].data.decode()


# What is large is marked.


def size(document: Document) -> int:
    """The bytes of a text, what is filled in apart."""
    parts = (part for section in document.sections for part in section.parts)
    return sum(len(part.encode()) for part in parts if isinstance(part, str))


def unmarked(documents: Iterable[Document]) -> list[str]:
    """Large workflows in which no two branches are told apart."""
    return [each.path for each in documents if size(each) > LARGE and len(gated(each)) < 2]


@pytest.mark.req("ADR1671-large-workflows-sectioned")
def test_every_large_workflow_marks_the_branches_that_exclude_each_other() -> None:
    every = workflows(content().catalog)
    assert unmarked(every) == []
    assert {each.id for each in sorted(every, key=size)[-2:]} == {"plan-phase", "execute-phase"}
    whens = {each.id: {section.when for section in each.sections} for each in every}
    branches = {"flag:--prd", "flag:--reviews", "flag:--research-phase", "state:phase-mvp-mode"}
    assert branches <= whens["plan-phase"]
    assert {"flag:--wave", "state:gap-closure-phase", "state:has-prior-phases"} <= whens["execute-phase"]


def test_a_large_workflow_without_marks_is_found(tmp_path: Path) -> None:
    section = '<!-- gsd:section id="{0}" when="flag:--auto" -->\n{1}\n<!-- /gsd:section -->\n'
    words = "word " * 900
    files = {
        "workflows/large.md": words * 2 + "\n",
        "workflows/half.md": words + "\n" + section.format("a", words),
        "workflows/whole.md": words + "\n" + section.format("a", words) + section.format("b", words),
        "workflows/small.md": words + "\n",
    }
    found = unmarked(workflows(loaded(tmp_path, files)))
    assert found == ["workflows/half.md", "workflows/large.md"]
