"""How a check of the kit fails: with sentences, and without a traceback into the kit."""

from __future__ import annotations

from collections.abc import Iterable

import pytest


def none(faults: Iterable[str]) -> None:
    """Fail the test with every fault on a line of its own; pass when there is none."""
    lines = "\n".join(faults)
    if lines:
        pytest.fail(lines, pytrace=False)
