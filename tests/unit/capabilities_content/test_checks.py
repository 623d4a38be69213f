"""The checks behind the gates of features: each holds, and each fails for what it is about."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gsd_capabilities.companion.checks import VERBS, findings, open_threats
from gsd_capabilities.companion.project import Project
from gsd_install.kernel.errors import GsdError, UsageError
from support.planning import git, plan, repository, request, sample, summary, text_of, write

FEATURES = Path(__file__).resolve().parents[3] / "capabilities" / "gsd_capabilities"
TDD = "### Task 1: Refuse\n\n- **Kind:** tdd\n- **Files:** `src/a.py`\n"
THREATS = "\n## Threats\n\n- TH-1: a stranger reads -> check, test_stranger\n\n## Plan check\n"
PLAN = "phases/02-sign-in/02-01-PLAN.md"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """The sample project in a repository, without a commit that a milestone begins at."""
    made = sample(tmp_path)
    state = text_of(made, "STATE.md").replace("milestone_base: 1a2b3c4", "milestone_base:")
    write(tmp_path, {"STATE.md": state})
    repository(tmp_path)
    return made


def commit(project: Project, subject: str, body: str = "", *, lines: int = 1) -> str:
    root = Path(project.root)
    code = root / "src" / "a.py"
    code.parent.mkdir(exist_ok=True)
    before = code.read_text() if code.exists() else ""
    code.write_text(before + f"# {subject}\n" * lines)
    git(root, "add", "src/a.py")
    git(root, "commit", "-q", "-m", subject, "-m", body)
    return git(root, "rev-parse", "HEAD").strip()


def holds(project: Project, what: str, *words: str) -> bool:
    answer = VERBS[f"check {what}"].run(request(project, *words))
    assert isinstance(answer, dict)
    return answer["holds"] is True


def refused(project: Project, what: str) -> str:
    with pytest.raises(GsdError) as caught:
        VERBS[f"check {what}"].run(request(project, "2"))
    assert caught.value.reason == "not_held"
    assert caught.value.hint
    return caught.value.message


def security(head: str, *, status: str = "passed", state: str = "fixed", found: str = "") -> str:
    return (
        f'---\nphase: "02"\nstatus: {status}\nhead: {head}\ndate: 2026-05-04\n---\n\n'
        "| id | plan | threat | counter, where | proof | state |\n|---|---|---|---|---|---|\n"
        f"| TH-1 | 02-01 | reads | `src/a.py:1` | test_stranger | {state} |\n\n{found}"
    )


def finding(id_: str, state: str, severity: str) -> str:
    return f"### {id_}: too much ({state})\n\n- severity: {severity}\n- where: `src/a.py:1`\n"


def test_a_plan_with_a_red_and_a_green_commit_for_each_tdd_task_holds(project: Project) -> None:
    write(Path(project.root), {PLAN: plan("02", "01") + TDD})
    assert "plan 02-01 has 1 tasks of kind tdd and 0" in refused(project, "tdd")
    commit(project, "feat(02-01): refuse")
    commit(project, "test(02-01): refuses")
    assert "and 0 red-then-green" in refused(project, "tdd")
    commit(project, "feat(02-01): refuse more")
    assert holds(project, "tdd", "2")


def test_a_red_run_quoted_in_the_body_counts_and_other_plans_do_not(project: Project) -> None:
    write(Path(project.root), {PLAN: plan("02", "01") + TDD})
    commit(project, "test(02-02): other")
    commit(project, "feat(02-02): other")
    assert refused(project, "tdd")
    commit(project, "feat(02-01): refuse", "Red: assert 200 == 404")
    assert holds(project, "tdd")


def test_commits_of_a_project_with_its_own_scopes_are_found_by_their_last_line(project: Project) -> None:
    write(Path(project.root), {PLAN: plan("02", "01") + TDD})
    commit(project, "test(auth): refuses", "Work: 02-01")
    commit(project, "feat(auth): refuse", "Work: 02-01")
    assert holds(project, "tdd", "2")


def test_a_plan_that_was_not_executed_is_not_judged(project: Project) -> None:
    write(Path(project.root), {"phases/02-sign-in/02-02-PLAN.md": plan("02", "02") + TDD})
    assert holds(project, "tdd", "2")
    write(Path(project.root), {"phases/02-sign-in/02-02-SUMMARY.md": summary("02", "02")})
    assert "plan 02-02" in refused(project, "tdd")


def test_what_state_says_of_the_milestone_is_never_an_option_of_git(project: Project) -> None:
    away = Path(project.root) / "away"
    state = text_of(project, "STATE.md").replace("milestone_base:", f"milestone_base: --output={away}")
    write(Path(project.root), {"STATE.md": state, PLAN: plan("02", "01") + TDD})
    with pytest.raises(GsdError) as caught:
        VERBS["check tdd"].run(request(project, "2"))
    assert caught.value.reason == "git_failed"
    assert not list(Path(project.root).glob("away*"))


def test_threats_that_nobody_audited_are_not_closed(project: Project) -> None:
    assert holds(project, "security", "2")
    write(Path(project.root), {PLAN: plan("02", "01") + THREATS})
    assert "TH-1: declared, and nobody" in refused(project, "security")


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ({}, ""),
        ({"state": "open"}, "TH-1 is open"),
        ({"status": "open"}, "status is not"),
        ({"found": finding("TH-2", "open", "blocker")}, "TH-2 is open"),
        ({"found": finding("TH-2", "open", "major")}, "TH-2 is open"),
        ({"found": finding("TH-2", "open", "minor")}, ""),
        ({"found": finding("TH-2", "Open", "Blocker")}, "TH-2 is open"),
        ({"found": "### TH-2: nobody says how bad (open)\n\nIt is bad.\n"}, "TH-2 is open"),
        ({"state": "Open"}, "TH-1 is open"),
        ({"found": finding("TH-2", "accepted", "major")}, ""),
    ],
)
def test_an_audit_closes_threats_unless_one_that_matters_is_open(
    project: Project, made: dict[str, str], said: str
) -> None:
    head = commit(project, "feat(02-01): check")
    text = security(head, **made)
    write(Path(project.root), {PLAN: plan("02", "01") + THREATS, "phases/02-sign-in/02-SECURITY.md": text})
    assert said in refused(project, "security") if said else holds(project, "security", "2")


def test_a_threat_missing_from_the_audit_is_named(project: Project) -> None:
    head = commit(project, "feat(02-01): check")
    threats = THREATS.replace("\n\n## Plan", "\n- TH-7: another -> none\n\n## Plan")
    files = {PLAN: plan("02", "01") + threats, "phases/02-sign-in/02-SECURITY.md": security(head)}
    write(Path(project.root), files)
    assert refused(project, "security") == "phase 2: TH-7 is declared and not audited"


def test_a_threat_is_not_audited_by_one_whose_number_begins_like_its_own(project: Project) -> None:
    head = commit(project, "feat(02-01): check")
    audit = security(head).replace("| TH-1 |", "| TH-10 |")
    write(Path(project.root), {PLAN: plan("02", "01") + THREATS, "phases/02-sign-in/02-SECURITY.md": audit})
    assert refused(project, "security") == "phase 2: TH-1 is declared and not audited"


def test_an_audit_of_older_code_does_not_count_and_planning_files_do_not_age_it(project: Project) -> None:
    head = commit(project, "feat(02-01): check")
    write(Path(project.root), {"phases/02-sign-in/02-SECURITY.md": security(head)})
    git(Path(project.root), "add", "-A")
    git(Path(project.root), "commit", "-q", "-m", "docs(02): security")
    assert holds(project, "security", "2")
    commit(project, "fix(02): later")
    assert "older than src/a.py" in refused(project, "security")


@pytest.mark.parametrize("head", ["--output=away", "<commit>", "HEAD"])
def test_a_head_that_is_no_hash_is_named_and_not_handed_to_git(project: Project, head: str) -> None:
    write(Path(project.root), {"phases/02-sign-in/02-SECURITY.md": security(head)})
    assert "head is not the hash" in refused(project, "security")


def test_open_blockers_of_a_review_are_named_and_other_findings_are_not(project: Project) -> None:
    text = (
        finding("R1", "open", "blocker") + finding("R2", "fixed", "blocker") + finding("R3", "open", "major")
    )
    write(Path(project.root), {"phases/02-sign-in/02-REVIEW.md": text})
    assert refused(project, "review") == "phase 2: R1 is open"
    write(Path(project.root), {"phases/02-sign-in/02-REVIEW.md": text.replace("(open)", "(fixed)")})
    assert holds(project, "review", "2")


def test_a_large_change_without_a_review_is_named(project: Project) -> None:
    commit(project, "feat(02-01): small", lines=200)
    assert holds(project, "review", "2")
    commit(project, "feat(03-01): of another phase", lines=50)
    assert holds(project, "review", "2")
    commit(project, "fix(02): one more")
    assert "201 lines have changed" in refused(project, "review")


def test_the_forms_that_are_read_are_those_of_the_templates() -> None:
    template = (FEATURES / "code_review" / "templates" / "review.md").read_text(encoding="utf-8")
    assert [each[:2] for each in findings(template)] == [("R1", "open")]
    template = (FEATURES / "security" / "templates" / "security.md").read_text(encoding="utf-8")
    assert open_threats(template) == ("TH-9",)
    assert open_threats(re.sub(r"\| fixed \|", "| open |", template)) == ("TH-1", "TH-9")


def test_without_a_number_the_phase_of_state_is_looked_at_and_two_words_are_refused(project: Project) -> None:
    assert holds(project, "review")
    with pytest.raises(UsageError):
        VERBS["check review"].run(request(project, "2", "3"))
