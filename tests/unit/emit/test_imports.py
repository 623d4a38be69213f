"""At-signs in instructions: text stays text, and an import stays an import."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gsd_install.emit.imports import loose, shielded

TEXT = "Install @acme/core, mail ann@ex.test.\nSee @docs/flow.md: it has the steps.\n"


def test_words_become_code_spans_and_mail_addresses_stay() -> None:
    assert shielded(TEXT) == (
        "Install `@acme/core`, mail ann@ex.test.\nSee `@docs/flow.md`: it has the steps.\n"
    )
    assert list(loose(TEXT)) == [(1, "@acme/core"), (2, "@docs/flow.md")]


@pytest.mark.parametrize(
    "text",
    [
        "@docs/flow.md\n",
        "  @~/notes.md  \r\n",
        "`@acme/core` and ``a ` @b``\n",
        "```\n@acme/core here\n```\n",
        "<!-- @acme/core here -->\n",
        "a@b.test and x/@scope/y\n",
        "@ alone, and @\n",
        "",
    ],
)
def test_what_is_no_such_word_stays(text: str) -> None:
    assert shielded(text) == text
    assert list(loose(text)) == []


@given(st.text("@a`/. \n-~", max_size=40))
def test_nothing_but_marks_of_code_is_added(text: str) -> None:
    assert shielded(text).replace("`", "") == text.replace("`", "")
