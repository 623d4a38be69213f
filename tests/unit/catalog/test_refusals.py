"""Addresses, planning files and words that lead elsewhere are refused, and nothing leaks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from mcp_types import CallToolResult

from gsd_capabilities.catalog.addresses import CODES, RefusedError, refusal
from support.served import SECRET, Served, ask, refused, served

ATTACKS = (
    "gsd://references/..%2F..%2Fsecret.txt",
    "gsd://references/%2e%2e/%2e%2e/secret.txt",
    "gsd://references/..%252f..%252fsecret.txt",
    "gsd://references/%25252e%25252e/secret.txt",
    "gsd://references/a%00b",
    "gsd://references/%5c..%5csecret.txt",
    "gsd://references/..\\secret.txt",
    "gsd://references/%2Fetc%2Fpasswd",
    "gsd://references/C%3A%5CWindows%5Cwin.ini",
    "gsd://references//etc/passwd",
    "gsd://references/../../secret.txt",
    "gsd://../secret.txt",
    "/etc/passwd",
    "C:\\secret.txt",
    "\\\\server\\share",
)


@pytest.mark.case("MC-03")
@pytest.mark.parametrize("uri", ATTACKS)
def test_an_address_that_leads_elsewhere_is_refused(tmp_path: Path, uri: str) -> None:
    code, data, message = refused(served(tmp_path).service, lambda client: client.read_resource(uri))
    assert code == -32602
    assert data["reason"] in ("traversal_refused", "unknown_root")
    assert data["uri"] == uri
    assert SECRET not in f"{data}{message}"
    assert str(tmp_path) not in f"{data}{message}"


@pytest.mark.parametrize(
    ("uri", "reason"),
    [
        ("", "invalid_uri"),
        ("gsd://references/\0", "traversal_refused"),
        ("file:///etc/passwd", "invalid_uri"),
        ("/etc/passwd", "traversal_refused"),
        ("d:/x", "traversal_refused"),
        ("https://example.org/x", "invalid_uri"),
        ("gsd:references/x.md", "invalid_uri"),
        ("gsd://", "unknown_root"),
        ("gsd://rules/loop.md", "unknown_root"),
        ("gsd://workflows/../x.md", "traversal_refused"),
        ("gsd://workflows/nope.md", "unknown_resource"),
        ("gsd://workflows/a..b.md", "unknown_resource"),
        ("gsd://workflows/", "unknown_resource"),
    ],
)
def test_each_address_is_refused_for_its_own_reason(uri: str, reason: str) -> None:
    assert refusal(uri).reason == reason


@pytest.mark.case("MC-03")
def test_a_link_that_leads_out_of_the_payload_is_refused_whenever_it_was_planted(tmp_path: Path) -> None:
    box = served(tmp_path, installed=True)
    uri = "gsd://references/deep/scope.md"
    assert "installed" in str(box.library.read(uri)[1])
    place = box.payload / "content/acme/references/deep/scope.md"
    place.unlink()
    place.symlink_to(tmp_path / "secret.txt")
    code, data, message = refused(box.service, lambda client: client.read_resource(uri))
    assert (code, data["reason"]) == (-32602, "traversal_refused")
    assert SECRET not in f"{data}{message}"
    place.unlink()
    place.write_text("Back.\n", encoding="utf-8")
    assert ask(box.service, lambda client: client.read_resource(uri)).contents[0].mime_type == "text/markdown"


@pytest.mark.case("MC-03")
def test_a_step_or_a_folder_that_is_a_link_is_refused(tmp_path: Path) -> None:
    box = served(tmp_path, installed=True)
    steps = box.payload / "content/acme/workflows/plan/steps"
    (steps / "research.md").unlink()
    (steps / "research.md").symlink_to(tmp_path / "secret.txt")
    _, data, message = refused(box.service, lambda client: client.read_resource("gsd://workflows/plan.md"))
    assert (data["reason"], SECRET in message) == ("traversal_refused", False)
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "mine.md").write_text(SECRET, encoding="utf-8")
    (box.payload / "content/acme/references/linked").symlink_to(folder)
    _, data, _ = refused(box.service, lambda client: client.read_resource("gsd://references/linked/mine.md"))
    assert data["reason"] == "unknown_resource"


@pytest.mark.case("MC-03")
def test_a_link_in_the_content_root_is_never_followed(tmp_path: Path) -> None:
    box = served(tmp_path)
    (box.content / "references" / "evil.md").symlink_to(tmp_path / "secret.txt")
    _, data, _ = refused(box.service, lambda client: client.read_resource("gsd://references/evil.md"))
    assert data["reason"] == "unknown_resource"
    assert "a link is not installed" in box.library.problem


@pytest.mark.case("MC-05")
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_what_is_not_there_has_an_error_of_its_own_and_the_server_goes_on(tmp_path: Path, mode: str) -> None:
    service = served(tmp_path).service
    code, data, _ = refused(service, lambda client: client.read_resource("gsd://workflows/nope.md"), mode)
    assert (code, data["uri"], data["reason"]) == (-32602, "gsd://workflows/nope.md", "unknown_resource")
    code, data, _ = refused(service, lambda client: client.get_prompt("nope"), mode)
    assert (code, data["reason"]) == (-32602, "unknown_prompt")
    code, data, _ = refused(service, lambda client: client.call_tool("nope"), mode)
    assert (code, data["reason"]) == (-32602, "unknown_tool")


@pytest.mark.case("MC-05")
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_handler_that_raises_is_an_internal_error_that_tells_nothing(
    tmp_path: Path, mode: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    box = served(tmp_path)

    def broken(_: str) -> object:
        raise ValueError(f"no such thing in {tmp_path}")

    monkeypatch.setattr(box.library, "read", broken)
    code, data, message = refused(box.service, lambda c: c.read_resource("gsd://workflows/plan.md"), mode)
    assert (code, data, message) == (-32603, {"reason": "internal"}, "internal error")
    assert "ValueError" in caplog.text


def test_every_reason_has_a_code() -> None:
    assert {RefusedError(reason, "x").code for reason in CODES} == {-32602, -32603}


# --- planning files -----------------------------------------------------------------------------------


def read_state(box: Served, path: str) -> CallToolResult:
    return ask(box.service, lambda client: client.call_tool("gsd_read_state", {"path": path}))


def write_state(box: Served, path: str, content: str = "new\n") -> CallToolResult:
    given = {"path": path, "content": content}
    return ask(box.service, lambda client: client.call_tool("gsd_write_state", given))


@pytest.mark.req("ADR1671-mcp-tools")
def test_planning_files_are_written_and_read(tmp_path: Path) -> None:
    box = served(tmp_path)
    (box.planning / "phases").mkdir()
    for path in ("STATE.md", ".planning/STATE.md", "phases\\one.md"):
        done = write_state(box, path, f"{path} \u2713\n")
        assert done.structured_content["ok"], done
        assert read_state(box, path).structured_content["output"] == f"{path} \u2713\n"
    assert (box.planning / "STATE.md").read_text(encoding="utf-8") == ".planning/STATE.md \u2713\n"
    assert (box.planning / "phases" / "one.md").exists()


@pytest.mark.parametrize(
    "path",
    [
        "",
        ".",
        "/etc/passwd",
        "C:\\x",
        "../secret.txt",
        "a/../../secret.txt",
        "..%2fsecret.txt",
        "%252e%252e/secret.txt",
        "a\0b",
        "artifacts/log.jsonl",
        "Artifacts/objects/x",
        ".planning/",
    ],
)
def test_no_other_file_is_read_or_written(tmp_path: Path, path: str) -> None:
    box = served(tmp_path)
    before = sorted(str(item) for item in tmp_path.rglob("*") if "artifacts" not in str(item))
    for done in (read_state(box, path), write_state(box, path)):
        assert done.is_error
        assert done.structured_content["reason"] == "traversal_refused"
        assert SECRET not in str(done)
    assert (tmp_path / "secret.txt").read_text(encoding="utf-8") == SECRET
    assert sorted(str(item) for item in tmp_path.rglob("*") if "artifacts" not in str(item)) == before


@pytest.mark.parametrize(
    "path",
    [
        "work/events.jsonl",
        "memory/knowledge.md",
        "Learned/skills/x/SKILL.md",
        "learning/pending/x/SKILL.md",
        ".planning/agent/ROLE.md",
        "link/events.jsonl",
    ],
)
def test_what_verbs_keep_is_read_but_not_written_as_a_file(tmp_path: Path, path: str) -> None:
    box = served(tmp_path)
    (box.planning / "work").mkdir()
    (box.planning / "work" / "events.jsonl").write_text("all that happened\n", encoding="utf-8")
    (box.planning / "link").symlink_to(box.planning / "work")
    done = write_state(box, path)
    assert done.is_error
    assert done.structured_content["reason"] == "kept"
    assert read_state(box, "work/events.jsonl").structured_content["output"] == "all that happened\n"


def test_links_out_of_the_planning_files_are_refused(tmp_path: Path) -> None:
    box = served(tmp_path)
    (box.planning / "STATE.md").symlink_to(tmp_path / "secret.txt")
    (box.planning / "out").symlink_to(tmp_path)
    for path in ("STATE.md", "out/secret.txt", "out/new.txt"):
        for done in (read_state(box, path), write_state(box, path)):
            assert done.structured_content["reason"] == "traversal_refused"
    assert (tmp_path / "secret.txt").read_text(encoding="utf-8") == SECRET
    assert not (tmp_path / "new.txt").exists()


def test_planning_files_that_are_a_link_themselves_are_refused(tmp_path: Path) -> None:
    box = served(tmp_path)
    os.rename(box.planning, tmp_path / "moved")
    box.planning.symlink_to(tmp_path / "moved")
    assert write_state(box, "STATE.md").structured_content["reason"] == "traversal_refused"
    assert not (tmp_path / "moved" / "STATE.md").exists()


def test_a_file_that_cannot_be_there_is_named(tmp_path: Path) -> None:
    box = served(tmp_path)
    (box.planning / "phases").mkdir()
    assert read_state(box, "NONE.md").structured_content["reason"] == "unknown_resource"
    assert write_state(box, "phases").structured_content["message"] == "this is a folder"
    assert write_state(box, "none/x.md").structured_content["message"] == "its folder is not there"
    (box.planning / "phases").rmdir()
    box.planning.rmdir()
    assert read_state(box, "STATE.md").structured_content["reason"] == "no_project"


# --- verbs --------------------------------------------------------------------------------------------


def invoked(box: Served, *words: str, stdin: str = "") -> CallToolResult:
    given = {"words": list(words), "stdin": stdin}
    return ask(box.service, lambda client: client.call_tool("gsd_invoke_command", given))


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--cwd", "/", "state", "get"),
        ("--payload=/tmp", "render", "x"),
        ("state", "get\0"),
    ],
)
def test_only_verbs_are_run(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = invoked(served(tmp_path), *words)
    assert (done.is_error, done.structured_content["reason"]) == (True, "invalid_params")


def test_a_verb_is_handed_no_file_from_outside(tmp_path: Path) -> None:
    box = served(tmp_path)
    secret = str(tmp_path / "secret.txt")
    (box.project / "link").symlink_to(secret)
    for words in (
        ("artifact", "put", secret),
        ("artifact", "put", "../secret.txt"),
        ("artifact", "put", "link"),
        ("query", "context-predicates", "--class", "A", f"--source={secret}"),
        ("predicates", "index", "--write", "--source", secret),
        ("context", "build", "--request", f"@{secret}"),
        ("context", "build", f"--request=@{secret}"),
        ("context", "build", "--request", "@link"),
        ("context", "build", "--request", "x", "--ref", f"STATE.md, {secret}"),
        ("context", "build", "--request", "x", f"--core=STATE.md,@{secret}"),
        ("context", "build", "--request", "x", "--output-instructions", "@../secret.txt"),
    ):
        done = invoked(box, *words)
        assert done.structured_content["reason"] == "traversal_refused", words
        assert SECRET not in str(done)


def test_a_verb_writes_no_file_outside(tmp_path: Path) -> None:
    box = served(tmp_path)
    (box.project / "CONTEXT.md").write_text("`PLAN.SIZE=small`\n", encoding="utf-8")
    before = sorted(tmp_path.rglob("*"))
    for words in (("--index", str(tmp_path / "new.json")), ("--index=../new.json",)):
        done = invoked(box, "predicates", "index", "--write", *words)
        assert done.structured_content["reason"] == "traversal_refused", words
    assert sorted(tmp_path.rglob("*")) == before
    assert invoked(box, "predicates", "index", "--write", "--index", "new.json").structured_content["ok"]
    assert (box.project / "new.json").is_file()


def test_text_that_only_looks_like_a_file_is_handed_on(tmp_path: Path) -> None:
    box = served(tmp_path)
    done = invoked(box, "context", "build", "--request", "@nobody can see /login and /nope/x")
    assert done.structured_content["ok"], done
