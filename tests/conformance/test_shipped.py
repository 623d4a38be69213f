"""Our own runtimes keep what the conformance suite asks of everybody's."""

from __future__ import annotations

from pathlib import Path

import pytest

from gsd_install.declared import declared
from support.kit import suite

OURS = sorted({entry.name for entry in declared() if entry.module.startswith("gsd_runtimes.")})


@pytest.mark.req("ADR1671-caps-on-emitted", "ADR1671-caps-real-installs")
@pytest.mark.parametrize("runtime", OURS)
def test_a_shipped_runtime_conforms(runtime: str, tmp_path: Path) -> None:
    session = suite(tmp_path, runtimes=[runtime])
    failed = {
        name: verdict for name, verdict in session.verdicts.items() if verdict.outcome in {"failed", "error"}
    }
    assert session.code == 0, "\n".join(f"{name}: {verdict.message}" for name, verdict in failed.items())
    passed = [name for name, verdict in session.verdicts.items() if verdict.outcome == "passed"]
    assert len(passed) >= 15, session.output


def test_there_are_runtimes_to_test() -> None:
    assert len(OURS) >= 4


def test_without_a_runtime_every_check_is_skipped_with_its_reason(tmp_path: Path) -> None:
    session = suite(tmp_path)
    assert session.code == 0, session.output
    assert session.verdicts
    for name, verdict in session.verdicts.items():
        assert verdict.outcome == "skipped", name
        assert "--gsd-runtime ID" in verdict.message


def test_a_runtime_nobody_declares_is_a_usage_error_that_names_the_known_ones(tmp_path: Path) -> None:
    session = suite(tmp_path, runtimes=["nope"])
    assert session.code == 4
    assert "'nope'" in session.output
    assert all(name in session.output for name in OURS)
    assert not session.verdicts
