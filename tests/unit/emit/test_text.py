from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.content.model import Document, Placeholder, Section
from gsd_install.emit.text import Step, Stretch, composed, invocation, rendered, renderer, step_path
from gsd_install.kernel.applicability import ATOMS
from gsd_install.runtime import Home, Place, Runtime, inline
from support.content import EVERY_KIND, document, loaded, target_of

ACME = Runtime(
    "acme",
    "Acme Code",
    Home("~/.acme"),
    ".acme",
    (Place("command", "commands/{name}.md", (inline,)),),
    invoke="$prompts:{name}",
    arguments="<words>",
    tools={"read": "open_file"},
)


def workflow(*sections: Section) -> Document:
    return Document("workflow", "plan", "workflows/plan.md", {}, sections, False)


def plain(placeholder: Placeholder) -> str:
    return f"<{placeholder.verb}>"


def at(path: str) -> str:
    return f"~/payload/{path}"


def test_a_gated_section_becomes_a_step_with_a_pointer_in_its_place() -> None:
    stretches, steps = composed(
        workflow(
            Section("", "always", ("one\n",)),
            Section("research", "flag:--research", ("two ", Placeholder("args", "", 1), "\n")),
            Section("", "always", ("three\n",)),
        ),
        plain,
        at,
    )
    pointer = (
        "**When `--research` was passed:** read ~/payload/workflows/plan/steps/research.md, "
        "do what it says, then go on here.\n"
    )
    assert stretches == (Stretch("one\n", ""), Stretch(pointer, ""), Stretch("three\n", ""))
    assert steps == (Step("research", "workflows/plan/steps/research.md", "two <args>\n"),)


def test_what_a_budget_may_do_stays_known() -> None:
    sections = [
        Section("", "always", (hold or "free",), hold) for hold in ("isolate", "keep", "", "shrink:3", "drop")
    ]
    stretches, steps = composed(workflow(*sections), plain, at)
    assert [stretch.hold for stretch in stretches] == ["isolate", "keep", "", "shrink:3", "drop"]
    assert steps == ()


def test_a_section_in_several_stretches_is_one_step_with_one_pointer() -> None:
    parts = [
        Section("s", "flag:--auto", (text,), hold)
        for text, hold in (("a\n", ""), ("b\n", "keep"), ("c\n", ""))
    ]
    stretches, steps = composed(workflow(*parts), plain, at)
    assert len(stretches) == 1
    assert steps == (Step("s", "workflows/plan/steps/s.md", "a\nb\nc\n"),)


@pytest.mark.parametrize("when", ATOMS)
def test_every_condition_is_said_in_words(when: str) -> None:
    [stretch], _ = composed(workflow(Section("s", when, ("x",))), plain, at)
    assert stretch.text.startswith(f"**When {ATOMS[when].meaning}:** read ")
    assert stretch.text.count("\n") == 1
    assert stretch.text.endswith("\n")


def test_the_steps_of_a_workflow_stand_in_a_folder_of_its_name() -> None:
    assert step_path(workflow(), "research") == "workflows/plan/steps/research.md"


def test_placeholders_become_the_hosts_words(tmp_path: Path) -> None:
    catalog = loaded(tmp_path, EVERY_KIND)
    render = renderer(
        catalog, target_of(ACME), {"workflows/plan.md": "/home/ann/.gsd/content/acme/workflows/plan.md"}
    )
    said = {
        Placeholder("path", "workflows/plan.md", 1): "~/.gsd/content/acme/workflows/plan.md",
        Placeholder("launcher", "acme-tools", 1): "~/.gsd/bin/acme-tools",
        Placeholder("agent", "planner", 1): "ac-planner",
        Placeholder("command", "plan", 1): "$prompts:ac-plan",
        Placeholder("tool", "read", 1): "open_file",
        Placeholder("tool", "search", 1): "search",
        Placeholder("args", "", 1): "<words>",
        Placeholder("runtime", "", 1): "Acme Code",
    }
    assert {placeholder: render(placeholder) for placeholder in said} == said
    assert rendered(("a ", *said, " b"), render) == f"a {''.join(said.values())} b"


@pytest.mark.parametrize(
    ("invoke", "typed"), [("/{name}", "/x"), ("${name}", "$x"), ("run {name} now", "run x now")]
)
def test_a_command_is_typed_as_the_host_wants_it(invoke: str, typed: str) -> None:
    assert invocation(ACME._replace(invoke=invoke), "x") == typed


@pytest.mark.req("ADR1671-partition")
def test_a_text_without_placeholders_or_sections_comes_out_as_it_went_in(tmp_path: Path) -> None:
    text = "# T\r\n\r\n```\n{x} ${y}\n```\n\ttab  \n\n\nend without newline"
    catalog = loaded(tmp_path, {"commands/a.md": "---\ndescription: d\n---\n", "workflows/w.md": text})
    stretches, _ = composed(document(catalog, "workflows/w.md"), plain, at)
    assert "".join(stretch.text for stretch in stretches) == text


SECTIONS = st.lists(
    st.tuples(
        st.sampled_from(["", "", "a", "b", "c"]),
        st.sampled_from(list(ATOMS)),
        st.lists(
            st.text("xy\n \u00e9", min_size=1, max_size=5) | st.just(Placeholder("args", "", 1)),
            min_size=1,
            max_size=3,
        ),
        st.sampled_from(["", "keep", "drop"]),
    ),
    max_size=8,
)


@given(SECTIONS)
@settings(max_examples=200)
@pytest.mark.req("ADR1671-marked-not-larger")
def test_order_is_kept_and_no_byte_lost(rows: list[tuple[str, str, list[str | Placeholder], str]]) -> None:
    """Putting each step back where its pointer stands gives the text; only pointers make it larger."""
    sections, seen = [], set()
    last = ""
    for id, when, parts, hold in rows:  # noqa: A001
        name = id if id == last or id not in seen else ""
        last = name
        seen.add(name)
        sections.append(Section(name, when, tuple(parts), hold))
    made = workflow(*sections)
    source = "".join(rendered(section.parts, plain) for section in sections)
    stretches, steps = composed(made, plain, at)
    back = [stretch.text for stretch in stretches]
    for step in steps:
        [position] = [number for number, text in enumerate(back) if f"{at(step.path)}," in text]
        back[position] = step.text
    assert "".join(back) == source
    pointers = [
        stretch.text for stretch in stretches if any(f"{at(step.path)}," in stretch.text for step in steps)
    ]
    assert len(pointers) == len(steps)
    emitted = sum(len(stretch.text) for stretch in stretches) + sum(len(step.text) for step in steps)
    assert emitted == len(source) + sum(map(len, pointers))
