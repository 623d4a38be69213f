from __future__ import annotations

import pytest

from gsd_install.content.model import FOLDERS
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.scope import COMPOSED, VERBATIM, should_compose


def test_workflows_and_agents_are_composed_and_nothing_else_is() -> None:
    assert {kind for kind in FOLDERS if should_compose(kind)} == {"workflow", "agent"}


def undecided(kinds: set[str]) -> set[str]:
    return kinds ^ (COMPOSED | VERBATIM)


def test_every_kind_is_decided_once() -> None:
    assert undecided(set(FOLDERS)) == set()
    assert not COMPOSED & VERBATIM
    assert undecided({*FOLDERS, "seeded"}) == {"seeded"}
    assert undecided(set(FOLDERS) - {"rule"}) == {"rule"}


@pytest.mark.parametrize("kind", ["workflows", "hook", "", "Agent"])
def test_an_unknown_kind_is_an_error(kind: str) -> None:
    with pytest.raises(GsdError, match=repr(kind)) as caught:
        should_compose(kind)
    assert caught.value.reason == "unknown_kind"
    assert "reference" in (caught.value.hint or "")
