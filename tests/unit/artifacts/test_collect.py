"""Nothing is removed but what was asked for."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from gsd_capabilities.artifacts.collect import collect
from gsd_capabilities.artifacts.folder import Folder
from gsd_install.kernel.errors import UsageError
from support.artifacts import Lab, digest, ending

BODIES = [bytes([65 + number]) * 200 for number in range(4)]
NOW = 1_900_000_000.0


def aged(lab: Lab) -> list[str]:
    """Four artifacts of 200 bytes, 4, 3, 2 and 1 days old."""
    inner = lab.spy.inner
    assert isinstance(inner, Folder)
    references = [lab.reference(body) for body in BODIES]
    for number, body in enumerate(BODIES):
        modified = NOW - (4 - number) * 86_400
        os.utime(inner.location(digest(body)), (modified, modified))
    return references


@pytest.mark.req("ADR0006-gc-explicit")
@pytest.mark.parametrize(
    ("older_than", "max_bytes", "gone"),
    [
        (2.5 * 86_400, None, 2),
        (None, 800, 0),
        (None, 799, 1),
        (None, 0, 4),
        (0.5 * 86_400, 10_000, 4),
        (3.5 * 86_400, 400, 2),
    ],
)
def test_the_oldest_go_first_and_a_dry_run_says_the_same(
    folder_lab: Lab, older_than: float | None, max_bytes: int | None, gone: int
) -> None:
    references = aged(folder_lab)
    dry = collect(folder_lab.spy, older_than=older_than, max_bytes=max_bytes, now=NOW, dry_run=True)
    assert len(list(folder_lab.spy.stored())) == 4
    done = collect(folder_lab.spy, older_than=older_than, max_bytes=max_bytes, now=NOW, dry_run=False)
    assert done == dry
    assert [each.digest for each in done.removed] == [digest(body) for body in BODIES[:gone]]
    assert done.kept_bytes == (4 - gone) * 200
    endings = [ending(folder_lab.get(reference))[0] for reference in references]
    assert endings == ["missing"] * gone + ["resolved"] * (4 - gone)


@pytest.mark.req("ADR0006-gc-explicit")
def test_without_a_limit_nothing_is_removed(lab: Lab) -> None:
    lab.put(BODIES[0])
    with pytest.raises(UsageError) as caught:
        collect(lab.spy, older_than=None, max_bytes=None, now=NOW, dry_run=False)
    assert caught.value.reason == "no_limit"
    assert len(list(lab.spy.stored())) == 1


@pytest.mark.req("ADR0006-gc-explicit")
def test_every_workspace_can_be_collected(lab: Lab) -> None:
    references = [lab.reference(body) for body in BODIES]
    done = collect(lab.spy, older_than=None, max_bytes=200, now=time.time(), dry_run=False)
    assert (len(done.removed), done.kept_bytes) == (3, 200)
    assert sorted(ending(lab.get(each))[0] for each in references) == ["missing"] * 3 + ["resolved"]
    assert lab.reference(BODIES[0]) == references[0]


def test_what_killed_writers_left_goes_and_what_living_ones_write_stays(folder_lab: Lab) -> None:
    aged(folder_lab)
    inner = folder_lab.spy.inner
    old = Path(inner.location(digest(BODIES[0])) + ".77.gsd-tmp")
    young = Path(inner.location(digest(BODIES[1])) + ".78.gsd-tmp")
    for path, age in ((old, 7200), (young, 60)):
        path.write_bytes(b"half")
        os.utime(path, (NOW - age, NOW - age))
    done = collect(folder_lab.spy, older_than=99 * 86_400, max_bytes=None, now=NOW, dry_run=True)
    assert (done.remains, old.exists()) == (1, True)
    done = collect(folder_lab.spy, older_than=99 * 86_400, max_bytes=None, now=NOW, dry_run=False)
    assert (done.removed, done.remains, old.exists(), young.exists()) == ((), 1, False, True)


def decided(folder: Folder, count: int) -> None:
    """So many decisions, an hour apart, the last one now."""
    lab = Lab(folder)
    for number in range(count):
        lab.put(b"x")
        event = lab.events[-1]._replace(timestamp=NOW - 3_600 * (count - 1 - number))
        folder.decide(event)


@pytest.mark.parametrize(
    ("before", "max_bytes", "gone"),
    [(None, 1 << 20, 0), (NOW - 3_600 * 3.5, 1 << 20, 6), (None, 0, 10), (NOW + 1, 1 << 20, 10)],
)
def test_the_log_of_decisions_is_shortened_from_its_beginning(
    tmp_path: Path, before: float | None, max_bytes: int, gone: int
) -> None:
    folder = Folder(str(tmp_path / "artifacts"))
    decided(folder, 10)
    assert folder.forget(before, max_bytes, dry_run=True) == gone
    assert len(list(folder.decided())) == 10
    assert folder.forget(before, max_bytes, dry_run=False) == gone
    assert len(list(folder.decided())) == 10 - gone
    decided(folder, 1)
    assert len(list(folder.decided())) == 11 - gone


def test_of_a_log_that_is_too_large_the_newest_stay(tmp_path: Path) -> None:
    folder = Folder(str(tmp_path / "artifacts"))
    decided(folder, 10)
    log = tmp_path / "artifacts" / "decisions"
    before = log.read_bytes()
    gone = folder.forget(None, len(before) // 2, dry_run=False)
    assert 4 <= gone <= 6
    assert before.endswith(log.read_bytes())
    assert 0 < log.stat().st_size <= len(before) // 2 + 40
