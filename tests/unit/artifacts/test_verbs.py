"""What a person or an agent can do from the command line."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from gsd_capabilities.artifacts.binding import begin_session
from gsd_capabilities.artifacts.verbs import VERBS
from gsd_capabilities.companion.request import Request
from gsd_install.kernel.errors import GsdError, UsageError

BIG = "".join(f"line {number}\n" for number in range(1, 5001)).encode()


class Shell:
    """Runs verbs in one folder; keywords are options."""

    def __init__(self, cwd: Path) -> None:
        self.cwd = cwd

    def __call__(self, verb: str, *words: str, stdin: bytes = b"", **options: str) -> Any:
        dashed = {name.replace("_", "-"): value for name, value in options.items()}
        known = VERBS[verb]
        assert set(dashed) <= known.values | known.flags
        return known.run(Request(words, dashed, str(self.cwd), None, {}, lambda: stdin))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".planning").mkdir()
    return tmp_path


@pytest.fixture
def shell(project: Path) -> Shell:
    return Shell(project)


def test_every_verb_is_declared_and_says_how_it_is_used() -> None:
    assert set(VERBS) == {f"artifact {name}" for name in ("put", "get", "list", "path", "gc", "summary")}
    for name, verb in VERBS.items():
        assert verb.usage.startswith(name)
        assert all(f"--{option}" in verb.usage for option in verb.values | verb.flags)


@pytest.mark.req("ADR0006-surface-tools", "ADR0006-threshold-default", "ADR0006-lossless")
def test_put_and_get(shell: Shell, project: Path) -> None:
    made = shell("artifact put", stdin=BIG, tool="grep", call="7", description="rows")
    assert (made["outcome"], made["limit_bytes"]) == ("offloaded", 16_384)
    assert "preview" not in made
    assert shell("artifact get", made["reference"], budget="100000") == BIG
    assert shell("artifact get", made["reference"], lines="2-3") == b"line 2\nline 3\n"
    assert shell("artifact get", made["reference"], bytes="0-5") == b"line 1"
    shown = shell("artifact path", made["reference"])
    assert Path(shown.rstrip("\n")).read_bytes() == BIG
    assert Path(shown).is_relative_to(project / ".planning" / "artifacts")
    assert (project / ".planning" / "artifacts" / ".gitignore").read_bytes() == b"*\n"


@pytest.mark.req("ADR0006-surface-tools", "ADR0006-only-reference")
def test_text_is_what_stands_in_for_the_result(shell: Shell) -> None:
    assert shell("artifact put", stdin=b"short", text="") == b"short"
    shown = shell("artifact put", stdin=BIG, text="")
    assert shown == shell("artifact put", stdin=BIG)["reference"]


@pytest.mark.req("ADR0006-preview-off")
def test_a_preview_stands_beside_the_reference_when_asked_for(shell: Shell) -> None:
    made = shell("artifact put", stdin=BIG, preview="")
    assert made["preview"].startswith("line 1\n")
    assert made["preview"].endswith("line 5000\n")


def test_put_reads_a_file_relative_to_where_one_is(shell: Shell, project: Path) -> None:
    (project / "result.txt").write_bytes(BIG)
    assert shell("artifact put", "result.txt")["outcome"] == "offloaded"
    with pytest.raises(GsdError) as caught:
        shell("artifact put", "other.txt")
    assert (caught.value.reason, caught.value.file) == ("unreadable", "other.txt")
    with pytest.raises(UsageError):
        shell("artifact put", "a", "b")


@pytest.mark.req("ADR0006-threshold-default", "ADR0006-instructions-not-offloaded")
def test_the_threshold_can_be_set_and_instructions_have_their_own(shell: Shell, project: Path) -> None:
    config = project / ".planning" / "config.json"
    config.write_text(json.dumps({"version": 1, "artifacts": {"threshold_bytes": 100}}))
    assert shell("artifact put", stdin=b"x" * 101)["outcome"] == "offloaded"
    assert shell("artifact put", stdin=b"y" * 50_000, instructions="")["outcome"] == "inline"
    config.write_text(json.dumps({"version": 1, "artifacts": {"threshold_bytes": 81}}))
    with pytest.raises(GsdError) as caught:
        shell("artifact put", stdin=b"x" * 101)
    assert caught.value.reason in ("bad_threshold", "bad_value")


@pytest.mark.req("ADR0006-C04", "ADR0006-no-silent-cut-on-failure")
def test_without_a_project_nothing_is_stored_and_nothing_is_lost(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    with pytest.raises(GsdError) as caught:
        shell("artifact put", stdin=BIG)
    assert caught.value.reason == "no_authorized_workspace"
    printed = shell("artifact put", stdin=BIG, text="")
    assert printed.data == BIG
    assert printed.notes == ("the result was not stored: no_authorized_workspace",)
    assert os.listdir(tmp_path) == []
    for verb in ("artifact list", "artifact summary"):
        with pytest.raises(GsdError) as caught:
            shell(verb)
        assert caught.value.reason == "no_project"


@pytest.mark.req("ADR0006-surface-tools")
def test_a_disk_that_fails_is_named(shell: Shell, project: Path) -> None:
    (project / ".planning" / "artifacts").write_bytes(b"a file where the folder should be")
    for verb in ("artifact put", "artifact list", "artifact summary"):
        with pytest.raises(GsdError) as caught:
            shell(verb, stdin=BIG)
        assert caught.value.reason == "store_failed"


@pytest.mark.req("ADR0006-surface-tools", "ADR0006-owner-parts")
def test_list_shows_the_own_artifacts_and_no_bytes(shell: Shell, project: Path) -> None:
    first = shell("artifact put", stdin=BIG, tool="grep")["reference"]
    second = shell("artifact put", stdin=BIG + b"!", description="other")["reference"]
    os.unlink(shell("artifact path", second).rstrip("\n"))
    rows = shell("artifact list")
    assert [(row["reference"], row["present"]) for row in rows] == [(first, True), (second, False)]
    assert (rows[0]["tool"], rows[1]["description"], rows[0]["size"]) == ("grep", "other", len(BIG))
    json.dumps(rows)
    begin_session(str(project / ".planning" / "artifacts"), "another")
    assert shell("artifact list") == []


@pytest.mark.req("ADR0006-surface-tools", "ADR0006-precedence")
@pytest.mark.parametrize("outcome", ["unauthorized", "missing", "stale", "over_budget"])
def test_what_is_not_given_says_why_and_what_to_do(shell: Shell, project: Path, outcome: str) -> None:
    reference = shell("artifact put", stdin=BIG)["reference"]
    place = Path(shell("artifact path", reference).rstrip("\n"))
    if outcome == "unauthorized":
        begin_session(str(project / ".planning" / "artifacts"), "another")
    elif outcome == "missing":
        place.unlink()
    elif outcome == "stale":
        place.write_bytes(BIG.upper())
    with pytest.raises(GsdError) as caught:
        shell("artifact get", reference, budget="100")
    assert caught.value.reason == outcome
    assert caught.value.hint
    if outcome in ("unauthorized", "missing"):
        with pytest.raises(GsdError) as caught:
            shell("artifact path", reference)
        assert caught.value.reason == outcome


@pytest.mark.req("ADR0006-surface-tools", "ADR0006-gc-explicit")
def test_gc(shell: Shell) -> None:
    reference = shell("artifact put", stdin=BIG)["reference"]
    dry = shell("artifact gc", max_bytes="0", dry_run="")
    assert (dry["removed"], dry["removed_bytes"], dry["dry_run"]) == ([reference], len(BIG), True)
    assert shell("artifact gc", older_than="1d")["removed"] == []
    assert shell("artifact get", reference, lines="1") == b"line 1\n"
    assert shell("artifact gc", max_bytes="0")["removed"] == [reference]
    assert shell("artifact list")[0]["present"] is False


@pytest.mark.req("ADR0006-surface-tools", "ADR0006-summary")
def test_summary_counts_decisions_and_saved_bytes(shell: Shell) -> None:
    assert shell("artifact summary") == {"decisions": 0, "saved_bytes": 0, "by": {}}
    reference = shell("artifact put", stdin=BIG)["reference"]
    shell("artifact put", stdin=BIG)
    shell("artifact put", stdin=b"small")
    with pytest.raises(GsdError):
        shell("artifact get", reference, budget="5")
    assert shell("artifact summary") == {
        "decisions": 4,
        "saved_bytes": 2 * (len(BIG) - 82),
        "by": {
            "offload": {
                "offloaded": {"threshold_exceeded": 1},
                "existing_reference": {"existing_content_match": 1},
                "inline": {"below_threshold": 1},
            },
            "rehydration": {"over_budget": {"budget_exceeded": 1}},
        },
    }


@pytest.mark.req("ADR0006-privacy")
def test_the_log_of_decisions_tells_no_secrets(shell: Shell, project: Path) -> None:
    shell("artifact put", stdin=b"marker-Qz9 " * 3000, tool="tool-Qz9", call="call-Qz9", description="Qz9")
    log = (project / ".planning" / "artifacts" / "decisions").read_text()
    assert "artifact://sha256/" in log
    assert "Qz9" not in log
    assert str(project) not in log


@pytest.mark.parametrize(
    ("verb", "words", "options"),
    [
        ("artifact get", (), {}),
        ("artifact get", ("artifact://sha256/" + "0" * 64,), {"budget": "many"}),
        ("artifact get", ("artifact://sha256/" + "0" * 64,), {"budget": "0"}),
        ("artifact get", ("artifact://sha256/" + "0" * 64,), {"lines": "1", "bytes": "1"}),
        ("artifact gc", (), {}),
        ("artifact gc", (), {"older_than": "soon"}),
        ("artifact gc", (), {"older_than": "d"}),
        ("artifact gc", (), {"max_bytes": "-1"}),
    ],
)
def test_wrong_use_is_named(shell: Shell, verb: str, words: tuple[str, ...], options: dict[str, str]) -> None:
    with pytest.raises(UsageError) as caught:
        shell(verb, *words, stdin=b"", **options)
    assert caught.value.hint
