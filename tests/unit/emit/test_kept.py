"""Which frontmatter keys of a bundle a host gets, and what is said of the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from gsd_install.emit.kept import grouped, keeps, with_kept
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.runtime.forms import markdown
from gsd_install.runtime.model import Field
from support import foreign

if TYPE_CHECKING:
    from gsd_install.runtime.words import Keeps

PLAIN = markdown("name", "description")


@pytest.mark.parametrize(
    ("word", "unknown", "model"), [("", False, False), ("unknown", True, False), ("all", True, True)]
)
def test_a_form_says_what_it_keeps(word: Keeps, unknown: bool, model: bool) -> None:
    form = PLAIN._replace(keeps=word)
    assert (keeps(form, "x-team"), keeps(form, "model")) == (unknown, model)


def test_grants_of_both_stand_together() -> None:
    form = markdown("description", Field("allowed-tools", constant="Read(x)"))._replace(keeps="all")
    fields = {"description": "D", "allowed-tools": "Read(x)"}
    for given in ("Bash(git:*), Write", ["Bash(git:*)", "Write"]):
        found = with_kept(fields, form, {"allowed-tools": given, "model": "m"}, "acme")
        assert found == {"description": "D", "allowed-tools": "Bash(git:*), Write, Read(x)", "model": "m"}


def test_a_mapping_below_a_runtime_is_for_it_alone() -> None:
    extra = {"acme": {"a": 1, "name": "no"}, "other": {"b": 2}, "metadata": {"c": "d"}, "hooks": {"e": "f"}}
    assert with_kept({"name": "n"}, PLAIN, extra, "acme") == {"name": "n", "a": 1}
    found = with_kept({"name": "n"}, PLAIN._replace(keeps="unknown"), extra, "third")
    assert found == {"name": "n", "metadata": {"c": "d"}}


def test_what_is_left_out_is_named_once_for_all_documents(tmp_path: Path) -> None:
    text = "---\nname: {}\ndescription: D\nmodel: opus\nx-team: blue\n---\nFirst $1.\n"
    files = {f"skills/{name}/SKILL.md": text.format(name) for name in "abcde"}
    files |= {"commands/one.md": text.format("one"), "agents/two.md": text.format("two")}
    catalog = foreign.bundle(tmp_path / "kit", files)
    assert foreign.emitted(catalog, "claude").warnings == ()
    assert foreign.emitted(catalog, "gemini").warnings == (
        "kit: Gemini CLI does not get the key model of kit-one, two, a and 4 more",
        "kit: Gemini CLI does not get the key x-team of kit-one, two",
        "kit: Gemini CLI puts nothing in the place of $1 in kit-one",
    )


def test_notes_that_say_the_same_are_one() -> None:
    notes = [*(f"{name}: it has no description" for name in "abcd"), "e: another: thing"]
    assert grouped(notes) == ("a, b, c and 1 more: it has no description", "e: another: thing")
