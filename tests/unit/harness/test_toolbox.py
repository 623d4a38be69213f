"""Every core tool does something real, or says why it cannot; none reaches further than it may."""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from gsd_capabilities.companion.request import Request
from gsd_capabilities.harness.person import Nobody
from gsd_capabilities.harness.provider import Call
from gsd_capabilities.harness.toolbox import TABLE, Hands, Toolbox
from gsd_capabilities.packs.offer import UNAVAILABLE, offered, unavailable
from gsd_capabilities.packs.scenarios import SCENARIOS
from gsd_capabilities.packs.tools import CORE, DISCOVER
from support.agents import AT, Desk
from support.scripted_model import Say, call


class Somebody:
    """A person who answers with what they were told to."""

    def __init__(self, *answers: str | None) -> None:
        self.answers = list(answers)
        self.seen: list[str] = []

    def tell(self, text: str) -> bool:
        self.seen.append(text)
        return True

    def ask(self, question: str) -> str | None:
        self.seen.append(question)
        return self.answers.pop(0)

    def hear(self, piece: str) -> None:
        self.seen.append(piece)


def hands(desk: Desk, **fields: Any) -> Hands:
    """What tools of a session work with."""
    environ = {
        "HOME": str(desk.root),
        "PATH": os.environ["PATH"],
        **fields.pop("environ", {}),
    }
    request = Request((), {"at": AT}, str(desk.root), None, environ, bytes)
    return Hands(**{"request": request, "project": desk.project, "person": Nobody(), **fields})


def use(desk: Desk, name: str, given: Hands | None = None, /, **arguments: Any) -> Any:
    """What a tool answers."""
    text = Toolbox(given or hands(desk)).run(Call("c", name, arguments))
    try:
        return json.loads(text)
    except ValueError:
        return text


# --- all of them --------------------------------------------------------------------------------------


def test_every_core_tool_is_implemented_or_says_why_not() -> None:
    done = {*TABLE, *UNAVAILABLE, DISCOVER}
    assert done == set(CORE)
    assert not set(TABLE) & set(UNAVAILABLE)
    for name, place in TABLE.items():
        module, _, function = place.partition(":")
        assert callable(getattr(import_module(f"gsd_capabilities.harness.{module}"), function)), name
    assert all(reason.strip() for reason in unavailable(allow_shell=False).values())


@pytest.mark.parametrize("allow_shell", [False, True])
def test_what_is_unavailable_is_never_offered(allow_shell: bool) -> None:
    names = {tool.name for tool in offered(allow_shell=allow_shell)}
    assert names == set(CORE) - set(UNAVAILABLE) - (set() if allow_shell else {"shell"})
    assert set(unavailable(allow_shell=allow_shell)) == set(CORE) - names


@pytest.mark.parametrize("scenario", ["chat", "task_execution", "review", "heartbeat"])
def test_no_scenario_shows_what_is_unavailable(desk: Desk, scenario: str) -> None:
    assert scenario in SCENARIOS
    desk.model.answers = [call(DISCOVER, names=[*UNAVAILABLE])]
    words = ("heartbeat",) if scenario == "heartbeat" else ("chat", "hello", "--scenario", scenario)
    assert desk.agent(*words).code == 0
    assert not desk.model.tools(1) & {*UNAVAILABLE, "shell"}


@pytest.mark.parametrize(("name", "why"), unavailable(allow_shell=False).items())
def test_whoever_asks_for_what_is_unavailable_is_told_why(desk: Desk, name: str, why: str) -> None:
    desk.model.answers = [call(name)]
    assert desk.agent("chat", "hello").code == 0
    (told,) = map(json.loads, desk.model.results(1))
    assert (told["reason"], told["hint"]) == ("not_live", why)


def test_the_prefix_is_shown_with_the_tools_that_the_agent_has(desk: Desk) -> None:
    shown = desk.tools("prefix", "show", "chat", "--text", "--at", AT)
    assert desk.agent("chat", "hello", "--allow-shell").code == 0
    told = desk.model.requests[0]["messages"]
    tail = told[1]["content"].removeprefix("[Live context]\n\n")
    assert shown.out == f"{told[0]['content']}\n\n{tail}\n"
    assert not [name for name in UNAVAILABLE if name in tail]


def test_a_shell_is_offered_where_a_person_allows_it(desk: Desk) -> None:
    desk.model.answers = [call("shell", command="echo hello")]
    assert desk.agent("chat", "hello", "--allow-shell").code == 0
    assert "shell" in desk.model.tools(0)
    assert json.loads(desk.model.results(1)[0])["output"].strip() == "hello"


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("file_read", {}, "path is missing"),
        ("file_read", {"path": "a", "x": 1}, "there is no x"),
        ("file_read", {"path": 3}, "path is no string"),
        ("file_read", {"path": "a", "start": 0}, "start is no integer"),
        ("file_read", {"path": "a", "start": True}, "start is no integer"),
        ("task_update", {"id": "T-1", "action": "explode"}, "action is no string"),
        ("task_create", {"title": "x", "tags": [1]}, "tags is no array"),
        ("file_edit", {"path": "a", "old": "b", "new": "c", "all": "yes"}, "all is no boolean"),
    ],
)
def test_arguments_are_those_of_the_schema(
    desk: Desk, name: str, arguments: dict[str, Any], said: str
) -> None:
    found = use(desk, name, **arguments)
    assert found["reason"] == "bad_arguments"
    assert said in found["error"]


# --- files --------------------------------------------------------------------------------------------


def test_files_are_written_read_changed_and_found(desk: Desk) -> None:
    assert use(desk, "file_write", path="src/a.py", text="one\ntwo\nthree\n")["characters"] == 14
    assert use(desk, "file_read", path="src/a.py") == "one\ntwo\nthree\n"
    assert use(desk, "file_read", path="src/a.py", start=2, lines=1) == "two\n"
    assert use(desk, "file_read", path="src/a.py", start=3) == "three\n"
    assert use(desk, "file_edit", path="src/a.py", old="two", new="2")["places"] == 1
    assert (desk.root / "src" / "a.py").read_text(encoding="utf-8") == "one\n2\nthree\n"
    assert use(desk, "file_edit", path="src/a.py", old="e", new="E")["reason"] == "no_passage"
    assert use(desk, "file_edit", path="src/a.py", old="", new="E")["reason"] == "no_passage"
    assert use(desk, "file_edit", path="src/a.py", old="e", new="E", all=True)["places"] == 3
    assert use(desk, "file_search", pattern="**/*.py") == {"files": ["src/a.py"]}
    assert use(desk, "code_search", pattern="^th.E") == {"lines": ["src/a.py:3: thrEE"], "more": False}
    assert use(desk, "code_search", pattern=".", files="src/*", most=1)["more"] is True
    assert use(desk, "code_search", pattern="(")["reason"] == "bad_pattern"
    assert use(desk, "file_read", path="nothing")["reason"] == "missing"
    (desk.root / "bytes").write_bytes(b"\xff\x00")
    assert use(desk, "file_read", path="bytes")["reason"] == "bad_encoding"
    assert use(desk, "code_search", pattern="x", files="bytes")["lines"] == []


@pytest.mark.parametrize("path", ["../out.txt", "/etc/hostname", "link/out.txt", "src/../../out.txt"])
def test_nothing_outside_the_project_is_read_or_written(desk: Desk, path: str, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "out.txt").write_text("private", encoding="utf-8")
    (tmp_path / "out.txt").write_text("private", encoding="utf-8")
    if sys.platform != "win32":
        (desk.root / "link").symlink_to(outside)
    for name, more in (
        ("file_read", {}),
        ("file_write", {"text": "x"}),
        ("file_edit", {"old": "p", "new": "q"}),
    ):
        assert use(desk, name, path=path, **more)["reason"] == "outside", name
    assert use(desk, "file_search", pattern=path)[
        "reason" if ".." in path or path[0] == "/" else "files"
    ] in (
        "outside",
        [],
    )
    assert use(desk, "code_search", pattern="private")["lines"] == []
    assert (outside / "out.txt").read_text(encoding="utf-8") == "private"


@pytest.mark.parametrize(
    "path",
    [
        ".git/config",
        ".planning/work/events.jsonl",
        ".planning/learned/skills/x/SKILL.md",
        ".planning/learning/pending/x/SKILL.md",
        ".planning/memory/knowledge.md",
        ".planning/agent/ROLE.md",
        "src/../.planning/learned/content.toml",
        ".Planning/LEARNED/content.toml",
        ".claude/skills/x/SKILL.md",
        ".agents/skills/x/SKILL.md",
        ".gsd/bin/gsd-tools",
        ".github/workflows/x.yml",
        "src/.cursor/rules/x.mdc",
        ".mcp.json",
    ],
)
def test_what_has_its_own_tools_is_not_changed_as_a_file(desk: Desk, path: str) -> None:
    assert use(desk, "file_write", path=path, text="x")["reason"] == "kept"
    assert not (desk.root / path).exists()
    for path in (".planning/PROJECT.md", ".planning/phases/01/PLAN.md", ".gitignore", "src/a.py"):
        assert use(desk, "file_write", path=path, text="x")["written"] == path


@pytest.mark.parametrize("path", [".env", "deep/.env.local", "server.key", "link"])
def test_what_holds_secrets_goes_to_no_provider(desk: Desk, path: str) -> None:
    file = desk.root / path
    file.parent.mkdir(exist_ok=True)
    if path == "link":
        (desk.root / "id_rsa").write_text("NAME=s3cret\n", encoding="utf-8")
        file.symlink_to(desk.root / "id_rsa")
    else:
        file.write_text("NAME=s3cret\n", encoding="utf-8")
    (desk.root / ".env.example").write_text("NAME=\n", encoding="utf-8")
    for name, more in (("file_read", {}), ("file_edit", {"old": "s3cret", "new": "x"})):
        answer = use(desk, name, path=path, **more)
        assert answer["reason"] == "secret"
        assert "s3cret" not in str(answer)
    for files in (path, "**/*", "**/.*"):
        assert "s3cret" not in str(use(desk, "code_search", pattern="NAME", files=files))
    assert use(desk, "file_read", path=".env.example") == "NAME=\n"


@pytest.mark.req("ECO-execute-no-skills")
def test_a_task_writes_no_new_skill_but_may_mend_one(desk: Desk) -> None:
    about = hands(desk, task="T-1")
    for words in (("task", "add", "do it", "--to", "agent"), ("task", "start", "T-1")):
        assert desk.tools(*words).code == 0
    path = "skills/x/SKILL.md"
    assert use(desk, "file_write", about, path=path, text="x")["reason"] == "task_running"
    assert not (desk.root / "skills").exists()
    assert use(desk, "file_write", path=path, text="x")["written"] == path
    assert use(desk, "file_write", about, path=path, text="y")["written"] == path


# --- the shell ----------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="the commands are of a POSIX shell")
def test_a_shell_runs_only_when_allowed_and_in_the_project(desk: Desk) -> None:
    assert use(desk, "shell", command="echo hi")["reason"] == "no_shell"
    allowed = hands(desk, allow_shell=True)
    told = use(desk, "shell", allowed, command="pwd; echo err >&2; exit 3")
    assert told == {"exit": 3, "output": f"{desk.root}\nerr\n"}
    assert use(desk, "shell", allowed, command="sleep 9", seconds=1)["reason"] == "timed_out"


def test_the_key_of_a_provider_is_kept_from_the_shell(desk: Desk) -> None:
    desk.model.answers = [call("shell", command=f'"{sys.executable}" -c "import os; print(os.environ)"')]
    done = desk.agent(
        *("chat", "hello", "--allow-shell", "--key-env", "MODEL_KEY"),
        environ={
            "MODEL_KEY": "very-s3cret",
            "THE_SAME": "very-s3cret",
            "WITHIN": "k=very-s3cret;",
            "KEPT": "x",
        },
    )
    assert done.code == 0
    assert desk.model.headers[0]["Authorization"] == "Bearer very-s3cret"
    assert "very-s3cret" not in json.dumps(desk.model.requests)
    assert "KEPT" in desk.model.results(1)[0]


def test_a_key_of_a_letter_takes_no_other_variable_along(desk: Desk) -> None:
    desk.model.answers = [call("shell", command=f'"{sys.executable}" -c "import os; print(os.environ)"')]
    environ = {"MODEL_KEY": "x", "OTHER": "a box"}
    assert desk.agent("chat", "hello", "--allow-shell", "--key-env", "MODEL_KEY", environ=environ).code == 0
    (told,) = desk.model.results(1)
    assert "OTHER" in told
    assert "MODEL_KEY" not in told


# --- people -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "approved"), [("yes", True), ("Y", True), ("no", False), ("", False), ("yes!", False)]
)
def test_an_approval_is_a_yes_of_a_person(desk: Desk, said: str, approved: bool) -> None:
    person = Somebody(said)
    told = use(desk, "request_user_approval", hands(desk, person=person), action="delete it", reason="old")
    assert told["approved"] is approved
    assert "delete it" in person.seen[0]


def test_where_nobody_is_an_approval_is_refused_and_a_question_stays_open(desk: Desk) -> None:
    assert use(desk, "request_user_approval", action="delete it", reason="old")["approved"] is False
    assert use(desk, "request_user_input", question="which?")["reason"] == "nobody_there"
    gone = hands(desk, person=Somebody(None, None))
    assert use(desk, "request_user_approval", gone, action="x", reason="y")["approved"] is False


def test_through_the_command_line_nobody_is_there_without_a_terminal(desk: Desk) -> None:
    desk.model.answers = [call("request_user_approval", action="delete it", reason="old")]
    assert desk.agent("chat", "hello").code == 0
    assert json.loads(desk.model.results(1)[0])["approved"] is False


def test_a_person_is_asked_and_told(desk: Desk) -> None:
    person = Somebody("the second")
    there = hands(desk, person=person)
    assert use(desk, "request_user_input", there, question="which?", options=["a", "b"]) == {
        "answer": "the second"
    }
    assert person.seen[0] == "which?\n  1. a\n  2. b"
    assert use(desk, "notify_user", there, text="done") == {"shown": True}
    assert use(desk, "notify_user", text="done")["to"] == "user"


def test_messages_go_and_come(desk: Desk) -> None:
    bob = hands(desk, who="bob")
    assert use(desk, "agent_send_message", bob, to="agent", text="hello")["to"] == "agent"
    (message,) = use(desk, "check_mailbox")["messages"]
    assert (message["sender"], message["text"]) == ("bob", "hello")
    assert use(desk, "check_mailbox")["messages"] == []
    assert use(desk, "requirement_propose", text="it is fast", reason="users wait")["to"] == "user"


def test_the_team_is_shown_with_its_board(desk: Desk) -> None:
    assert use(desk, "team_status")["members"] == []
    folder = desk.root / ".planning" / "agent"
    folder.mkdir()
    team = {"manager": {"name": "eve"}, "members": [{"name": "bob", "status": "offline"}]}
    (folder / "team.json").write_text(json.dumps(team), encoding="utf-8")
    told = use(desk, "team_status")
    assert told["manager"]["name"] == "eve"
    assert told["members"][0]["status"] == "stopped"
    assert told["board"]


# --- memory, skills, time -----------------------------------------------------------------------------


def test_memory_is_saved_changed_and_found(desk: Desk) -> None:
    saved = use(desk, "memory_save", title="Build", text="- use make\n--really")
    assert saved["store"].endswith("knowledge.md")
    assert use(desk, "memory_search", words="make build")
    assert "reason" not in use(desk, "memory_update", title="Build", text="use ninja")
    assert use(desk, "memory_search", words="ninja")
    assert "reason" not in use(desk, "memory_update_longterm", title="Build", text="use bazel")
    assert use(desk, "memory_save", title="Now", text="red", store="state")["store"].endswith("state.md")
    assert "reason" not in use(desk, "memory_update", title="Now", text="green", store="state")
    assert "reason" not in use(desk, "update_notebook", text="at the parser")
    assert "at the parser" in (desk.root / ".planning" / "memory" / "NOTEBOOK.md").read_text(encoding="utf-8")


SKILL = (
    "---\nname: tidy-up\ndescription: Tidies up after tests.\n---\n\n# Tidy up\n\nRemove what tests left.\n"
)


def test_a_skill_is_proposed_and_goes_nowhere(desk: Desk) -> None:
    assert "reason" not in use(desk, "package_install", name="tidy-up", body=SKILL)
    assert (desk.root / ".planning" / "learning" / "pending" / "tidy-up" / "SKILL.md").is_file()
    assert not (desk.root / ".planning" / "learned").exists()
    listed = use(desk, "package_list")
    assert "tidy-up" in json.dumps(listed["proposed"])
    assert "tidy-up" not in listed["installed"]


def test_wake_ups_are_planned_and_taken_back(desk: Desk) -> None:
    assert use(desk, "schedule_wakeup", at="2026-12-03T00:00:00Z", reason="x")["id"] == "w1"
    assert use(desk, "schedule_wakeup", at="tomorrow", reason="x")["reason"] == "bad_time"
    assert use(desk, "cancel_wakeup", id="w1")["planned"] == []
    assert use(desk, "cancel_wakeup", id="w1")["reason"] == "no_wakeup"
    assert use(desk, "set_heartbeat_interval", seconds=600)["seconds"] == 600


# --- work ---------------------------------------------------------------------------------------------


def test_a_task_goes_its_way(desk: Desk) -> None:
    bob, eve = hands(desk, who="bob"), hands(desk, who="eve")
    made = use(
        desk, "task_create", eve, title="Parser", description="it parses", assignee="bob", tags=["a", "b"]
    )
    assert (made["id"], made["assignee"], made["tags"]) == ("T-1", "bob", ["a", "b"])
    assert "it parses" in made["requirement"]
    assert [one["id"] for one in use(desk, "task_list", state="assigned", assignee="bob")] == ["T-1"]
    assert use(desk, "task_update", bob, id="T-1", action="start", note="on it")["task"]["state"] == "running"
    assert use(desk, "task_note", bob, id="T-1", text="half way")["notes"][-1]["text"] == "half way"
    assert use(desk, "task_update", bob, id="T-1", action="block")["reason"] == "no_reason"
    assert use(desk, "subtask_create", bob, task_id="T-1", title="lexer")["subtask"]["number"] == 1
    assert use(desk, "subtask_update", bob, task_id="T-1", id="1", state="completed")["state"] == "completed"
    assert len(use(desk, "subtask_list", bob, task_id="T-1")) == 1
    assert use(desk, "subtask_delete", bob, task_id="T-1", id="1") == []
    stored = use(desk, "deliverable_create", bob, task_id="T-1", title="Grammar", body="a := b")
    again = use(
        desk, "deliverable_update", bob, id=stored["id"], base=1, body="a := c", changes="c is better"
    )
    assert again["version"] == 2
    assert use(desk, "deliverable_get", id=stored["id"], version=1)["body"] == "a := b"
    assert "reason" not in use(
        desk, "task_submit_review", bob, task_id="T-1", summary="done", deliverables=[stored["id"]]
    )
    assert use(desk, "review_verdict", bob, task_id="T-1", verdict="approved")["reason"]
    assert "reason" not in use(
        desk, "review_verdict", eve, task_id="T-1", verdict="approved_with_notes", notes="well done"
    )
    assert use(desk, "task_get", id="T-1")["state"] == "completed"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("task_submit_review", {"summary": "done"}),
        ("task_assign", {"assignee": "bob"}),
        ("task_note", {"text": "x"}),
        ("subtask_list", {}),
    ],
)
def test_without_a_task_none_is_guessed(desk: Desk, name: str, arguments: dict[str, Any]) -> None:
    assert desk.tools("task", "add", "the only one", "--to", "agent").code == 0
    assert use(desk, name, **arguments)["reason"] == "task_required"


def test_a_task_is_carried_out_with_its_package_once_and_its_calls_are_counted(desk: Desk) -> None:
    assert desk.tools("task", "add", "Parser", "--requirement", "it parses", "--to", "agent").code == 0
    desk.model.answers = [
        call("task_note", text="started"),
        Say("", (("memory_search", {"words": "x"}), ("task_submit_review", {"summary": "all done"}))),
        Say("Submitted."),
    ]
    answer = desk.agent("task", "T-1").answer
    assert (answer["session"], answer["scenario"], answer["tools"]) == ("T-1", "task_execution", 3)
    first = desk.model.requests[0]["messages"][-1]["content"]
    assert "Carry out task T-1: Parser" in first
    assert "it parses" in first
    found = desk.tools("task", "get", "T-1").answer
    assert (found["state"], found["calls"]) == ("review", 3)
    assert desk.tools("review", "verdict", "T-1", "rejected", "--notes", "no tests", "--as", "eve").code == 0
    assert desk.agent("task", "T-1").code == 0
    again = desk.model.requests[-1]["messages"]
    assert "The last review said: no tests" in again[-1]["content"]
    assert "it parses" not in again[-1]["content"], "the package comes once"
    assert any(one["content"] == "Submitted." for one in again), "it goes on in its own conversation"
    assert "Go on with task T-1" in (
        desk.agent("task", "T-1") and desk.model.requests[-1]["messages"][-1]["content"]
    )


def test_a_task_that_cannot_run_is_not_carried_out(desk: Desk) -> None:
    assert desk.tools("task", "add", "nobody's").code == 0
    assert desk.agent("task", "T-1").reason == "illegal_transition"
    assert desk.agent("task", "T-7").reason == "no_task"
    assert desk.tools("task", "assign", "T-1", "bob").code == 0
    assert desk.agent("task", "T-1", "--as", "eve").reason == "not_yours"
    assert desk.agent("task").reason == "usage"
    assert desk.model.requests == []


# --- learning -----------------------------------------------------------------------------------------


@pytest.mark.req("B-distill-uses-distillation-scenario")
def test_a_job_of_learning_is_done_in_its_own_scenario(desk: Desk) -> None:
    assert desk.agent("distil").answer == {"job": None, "outcome": "nothing_waits"}
    assert desk.model.requests == []
    assert desk.tools("learn", "remember", stdin=b'{"role": "user", "text": "tests need make"}\n').code == 0
    desk.model.answers = [call("memory_save", title="Tests", text="need make"), Say("Recorded.")]
    done = desk.agent("distil").answer
    assert (done["outcome"], done["answer"]["scenario"]) == ("done", "distillation")
    assert "tests need make" in desk.model.requests[0]["messages"][-1]["content"]
    assert "package_install" in desk.model.tools(0)
    assert "need make" in (desk.root / ".planning" / "memory" / "knowledge.md").read_text(encoding="utf-8")
    assert desk.tools("learn", "jobs").answer["jobs"][0]["state"] == "done"


def test_a_job_whose_prompt_is_rejected_has_failed(desk: Desk) -> None:
    assert desk.tools("learn", "remember", stdin=b'{"role": "user", "text": "x"}\n').code == 0
    assert desk.agent("distil", "--afford", "1").reason == "prompt_pack_rejected"
    (job,) = desk.tools("learn", "jobs").answer["jobs"]
    assert (job["state"], job["note"]) == ("failed", "prompt_pack_rejected")
