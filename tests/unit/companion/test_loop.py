"""`gsd-tools loop`: what capabilities add at a point, as one command line shows it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gsd_capabilities.companion import main
from gsd_capabilities.companion.config_schema import SCHEMA
from gsd_capabilities.companion.loop import Found, shown_root
from gsd_capabilities.companion.request import Faulty, Printed, Request, Verb
from gsd_install.kernel.errors import GsdError, UsageError
from support.payloads import Box

HOW = "content/gsd/references/how.md"


def step(id_: str = "look", **more: Any) -> dict[str, Any]:
    row = {"id": id_, "point": "plan:pre", "rank": 0, "kind": "agent", "target": "seer", "name": "gsd-seer"}
    rest = {"read": HOW, "produces": ["RESEARCH"], "consumes": ["CONTEXT"], "on_error": "skip", "when": ""}
    return row | rest | more


def gate(**more: Any) -> dict[str, Any]:
    row = {
        "id": "shut",
        "point": "plan:pre",
        "blocking": False,
        "on_error": "skip",
        "message": "mend it",
        "when": "",
    }
    return row | more


class Loop:
    """A box with one capability, and a verb `probe` that answers as a test wants."""

    def __init__(self, box: Box) -> None:
        self.box = box
        self.row: dict[str, Any] = {
            "id": "acme", "title": "Acme", "tier": "standard", "config": {}, "steps": [], "contributions": [],
            "gates": [],
        }  # fmt: skip
        box.write(box.payload / HOW, "How.\n")

    def installed(self, *others: Mapping[str, Any], **changes: Any) -> Loop:
        self.row |= changes
        self.box.table["capabilities"] = [self.row, *others]
        self.box.save()
        return self

    def text(self, *argv: str) -> str:
        done = self.box.run("loop", *argv)
        assert done.code == 0, done.err
        return done.out.decode()

    def json(self, *argv: str) -> dict[str, Any]:
        return dict(json.loads(self.text(*argv, "--json")))


def test_a_phase_that_nobody_planned_is_a_slip(tmp_path: Path) -> None:
    loop = Loop(Box(tmp_path)).installed(steps=[step()])
    assert "gsd-seer" in loop.text("plan:pre", "7")  # before there is a roadmap nobody can know
    loop.box.roadmap({"1": "standard"})
    done = loop.box.run("--json-errors", "loop", "plan:pre", "7")
    assert (done.code, json.loads(done.err)["reason"]) == (1, "unknown_phase")
    assert "gsd-seer" in loop.text("plan:pre", "1")


@pytest.fixture
def loop(tmp_path: Path) -> Loop:
    return Loop(Box(tmp_path))


@pytest.fixture
def probed(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> Loop:
    """`probe ok|nothing|faulty|no|odd|bug|phase` among the verbs."""

    def probe(request: Request) -> object:
        word = request.words[0]
        if word == "no":
            raise GsdError("two are open", reason="open")
        if word == "odd":
            raise UsageError("no such thing", reason="usage")
        if word == "bug":
            raise ZeroDivisionError
        answers = {"ok": {"holds": True}, "nothing": [], "faulty": Faulty({"open": 1}), "empty": Printed(b"")}
        return answers.get(word, request.words[-1] == "3")

    verbs = {"probe": Verb(probe, "probe WORD")}
    monkeypatch.setitem(main.TABLE, "probe", "gsd_capabilities.companion.main:VERBS")
    loaded = main._load
    monkeypatch.setattr(main, "_load", lambda first: verbs if first == "probe" else loaded(first))
    return loop


def test_a_point_at_which_nothing_is_active_is_one_line(loop: Loop) -> None:
    loop.installed(steps=[step()])
    assert loop.text("ship:pre") == "Nothing to do at ship:pre.\n"
    assert loop.json("ship:pre") == {
        "point": "ship:pre", "phase": None, "steps": [], "contributions": [], "gates": [], "warnings": []
    }  # fmt: skip


def test_a_payload_without_capabilities_has_nothing_to_do(loop: Loop) -> None:
    assert loop.text("plan:pre", "2") == "Nothing to do at plan:pre, phase 2.\n"


def test_a_step_says_who_does_it_and_what_to_read(loop: Loop) -> None:
    loop.installed(steps=[step()])
    text = loop.text("plan:pre", "1")
    assert "1. look (Acme): dispatch the agent gsd-seer." in text
    assert f"How: read ~/.gsd/{HOW} and follow it." in text
    assert "It reads CONTEXT." in text
    assert "It writes RESEARCH." in text
    assert "If it fails, say so and go on." in text
    [found] = loop.json("plan:pre", "1")["steps"]
    assert (found["name"], found["read"], found["produces"]) == (
        "gsd-seer", str(loop.box.payload / HOW), ["RESEARCH"]
    )  # fmt: skip


def test_a_step_that_must_not_fail_says_to_stop(loop: Loop) -> None:
    loop.installed(steps=[step(on_error="halt")])
    assert "If it fails, stop here and tell the person." in loop.text("plan:pre")


def test_a_command_is_spelled_as_the_host_does(loop: Loop) -> None:
    loop.installed(steps=[step(kind="command", target="review", name="gsd-review")])
    assert "run the command review." in loop.text("plan:pre")
    done = loop.box.run("--runtime", "claude", "loop", "plan:pre")
    assert b"run the command /gsd-review." in done.out


def test_steps_come_in_their_order_whatever_capability_they_are_of(loop: Loop) -> None:
    other = {**loop.row, "id": "second", "steps": [step("first", rank=0, read=HOW)]}
    loop.installed(other, steps=[step("last", rank=2), step("middle", rank=1)])
    assert [row["id"] for row in loop.json("plan:pre")["steps"]] == ["first", "middle", "last"]


def test_a_switch_turns_a_hook_on_and_off(loop: Loop) -> None:
    key = {"type": "boolean", "default": False, "meaning": "acme looks"}
    loop.installed(config={"acme.look": key}, steps=[step(when="acme.look")])
    assert loop.json("plan:pre")["steps"] == []
    loop.box.planning("config.json", '{"acme": {"look": true}}')
    assert len(loop.json("plan:pre")["steps"]) == 1


def test_a_contribution_names_the_brief_it_goes_into(loop: Loop) -> None:
    rows = [
        {"point": "plan:pre", "into": "planner", "text": "Small steps.", "when": ""},
        {"point": "plan:pre", "into": "checker", "read": HOW, "when": ""},
    ]
    loop.installed(contributions=rows)
    text = loop.text("plan:pre")
    assert "Into the brief of planner (acme):\n\nSmall steps.\n" in text
    assert f"Into the brief of checker (acme):\n\nread ~/.gsd/{HOW}" in text


def test_a_hook_whose_text_is_gone_is_skipped_with_a_warning(loop: Loop) -> None:
    loop.installed(steps=[step(), step("lost", read="content/gsd/references/lost.md")])
    done = loop.box.run("loop", "plan:pre")
    assert done.code == 0
    assert b"lost" not in done.out
    assert "lost.md is gone; it is skipped" in done.err
    loop.installed(steps=[step(), step("lost", read="content/gsd/references/lost.md", on_error="halt")])
    done = loop.box.run("loop", "plan:pre")
    assert (done.code, done.out) == (1, b"")
    assert "lost.md is gone" in done.err


def test_a_capability_of_a_larger_profile_says_nothing(loop: Loop) -> None:
    (loop.box.payload / HOW).unlink()
    loop.installed(steps=[step(), step("also", on_error="halt")], gates=[gate(query="no such verb")])
    assert loop.text("plan:pre") == "Nothing to do at plan:pre.\n"


def test_a_damaged_table_is_an_error_and_not_nothing(loop: Loop) -> None:
    loop.installed(steps=[step()])
    (loop.box.payload / "gsd" / "companion.json").write_text("{", encoding="utf-8")
    done = loop.box.run("--json-errors", "loop", "plan:pre")
    assert done.code == 1
    assert "bad_manifest" in done.err


@pytest.mark.parametrize(
    "words", [(), ("plan:mid",), ("plan",), ("plan:pre", "1", "2"), ("plan:pre", "--loud")]
)
def test_words_that_name_no_point_are_refused(loop: Loop, words: tuple[str, ...]) -> None:
    assert loop.box.run("loop", *words).code == 2


# --- gates --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "result", "why"),
    [
        ("probe ok", "passed", ""),
        ("probe phase {phase}", "passed", ""),
        ("--pick holds probe ok", "passed", ""),
        ("probe nothing", "failed", "says no"),
        ("probe faulty", "failed", "says no"),
        ("probe empty", "failed", "says no"),
        ("probe phase 4", "failed", "says no"),
        ("probe no", "failed", "two are open"),
        ("probe odd", "error", "no such thing"),
        ("probe bug", "error", "ZeroDivisionError"),
        ("probe ok --loud", "error", "--loud"),
        ("nothing of the kind", "error", "no verb"),
        ("loop plan:pre", "error", "cannot ask for the loop"),
    ],
)
def test_what_comes_of_a_query(probed: Loop, query: str, result: str, why: str) -> None:
    probed.installed(gates=[gate(query=query)])
    [found] = probed.json("plan:pre", "3")["gates"]
    assert found["result"] == result
    assert why in found["why"]


def test_a_gate_that_does_not_block_only_warns(probed: Loop) -> None:
    probed.installed(gates=[gate(query="probe no")])
    done = probed.box.run("loop", "plan:pre")
    assert done.code == 0
    assert "acme/shut does not hold: two are open (mend it)" in done.err
    assert b"shut (acme): failed: two are open. Go on, and tell the person: mend it." in done.out


@pytest.mark.parametrize(
    ("query", "reason"), [("probe no", "gate_blocked"), ("probe bug", "gate_error"), ("gone", "gate_error")]
)
def test_a_blocking_gate_stops_the_loop(probed: Loop, query: str, reason: str) -> None:
    probed.installed(gates=[gate(query=query, blocking=True, on_error="halt")])
    done = probed.box.run("--json-errors", "loop", "plan:pre", "3")
    assert (done.code, done.out) == (1, b"")
    told = json.loads(done.err)
    assert (told["reason"], told["hint"]) == (reason, "mend it")
    assert "acme/shut" in told["message"]


def test_a_blocking_gate_that_holds_lets_the_loop_go_on(probed: Loop) -> None:
    probed.installed(gates=[gate(query="probe ok", blocking=True, on_error="halt")])
    assert "- shut (acme): passed." in probed.text("plan:pre")


def test_an_error_halts_where_the_gate_says_so_though_it_does_not_block(probed: Loop) -> None:
    probed.installed(gates=[gate(query="probe bug", on_error="halt")])
    assert probed.box.run("loop", "plan:pre").code == 1
    probed.installed(gates=[gate(query="probe no", on_error="halt")])
    assert probed.box.run("loop", "plan:pre").code == 0


def test_steps_come_before_the_gates_of_their_point(probed: Loop) -> None:
    probed.installed(steps=[step()], gates=[gate(query="probe no", blocking=True, on_error="halt")])
    text = probed.text("plan:pre", "3")
    assert "1. look" in text
    assert "failed: two are open. This must hold before you go on: mend it." in text
    assert "run `gsd-tools loop plan:pre 3 --gates`" in text
    probed.box.write(probed.box.payload / "bin" / "gsd-tools", "")
    assert "run `~/.gsd/bin/gsd-tools loop plan:pre 3 --gates`" in probed.text("plan:pre", "3")
    done = probed.box.run("loop", "plan:pre", "3", "--gates")
    assert (done.code, done.out) == (1, b"")
    probed.installed(gates=[gate(query="probe ok", blocking=True, on_error="halt")])
    assert (
        probed.text("plan:pre", "3", "--gates")
        == "# At plan:pre, phase 3\n\n## Gates\n\n- shut (acme): passed.\n"
    )


def test_a_query_about_a_phase_needs_one(probed: Loop) -> None:
    probed.installed(gates=[gate(query="probe phase {phase}")])
    [found] = probed.json("plan:pre")["gates"]
    assert found["result"] == "error"
    probed.box.state("3")
    assert probed.json("plan:pre")["gates"][0]["result"] == "passed"


def test_a_predicate_is_quoted_word_for_word_and_judged_by_an_agent(loop: Loop) -> None:
    loop.box.table["context"] = "content/gsd/CONTEXT.md"
    loop.box.write(loop.box.payload / "content/gsd/CONTEXT.md", "`PLAN.SIZE=small: 3 tasks`\n")
    loop.installed(gates=[gate(predicate="PLAN.SIZE")])
    [found] = loop.json("plan:pre")["gates"]
    assert (found["result"], found["why"]) == ("to judge", "PLAN.SIZE=small: 3 tasks")
    assert "judge by `PLAN.SIZE=small: 3 tasks`. If it does not hold, say so and go on" in loop.text(
        "plan:pre"
    )
    loop.installed(gates=[gate(predicate="PLAN.GONE", on_error="halt")])
    assert "gate_error" in loop.box.run("--json-errors", "loop", "plan:pre").err


def test_the_verdict_of_an_agent_is_advice(loop: Loop) -> None:
    loop.installed(gates=[gate(agent="gsd-seer")])
    assert loop.json("plan:pre")["gates"][0]["result"] == "advisory"
    assert "ask the agent gsd-seer" in loop.text("plan:pre")


# --- settings -----------------------------------------------------------------------------------------

KEYS = {
    "acme.look": {"type": "boolean", "default": True, "meaning": "acme looks"},
    "acme.depth": {"type": "number", "default": 1.5, "meaning": "how deep"},
    "acme.name": {"type": "string", "default": "x", "meaning": "whose"},
    "acme.pace": {"type": "enum", "default": "slow", "values": ["slow", "fast"], "meaning": "how fast"},
}


def test_settings_of_a_capability_are_settings(loop: Loop) -> None:
    loop.installed(config=KEYS)
    run = loop.box.run
    loop.box.planning("config.json", "{}")
    assert run("config", "get", "acme.pace").json["value"] == "slow"
    for name, value in (
        ("acme.look", "false"),
        ("acme.depth", "2.5"),
        ("acme.name", "y"),
        ("acme.pace", "fast"),
    ):
        done = run("config", "set", name, value)
        assert done.code == 0, done.err
    assert run("config", "get", "acme.depth").json["value"] == 2.5
    assert run("config", "reset", "acme.depth").json["value"] == 1.5
    listed = run("config", "list").json
    assert listed["unknown"] == []
    settings = listed["settings"]
    assert isinstance(settings, dict)
    assert settings.keys() == SCHEMA.keys() | KEYS.keys()
    assert settings["acme.name"] == {"value": "y", "source": "project"}


@pytest.mark.parametrize(
    ("name", "value"),
    [("acme.look", "1"), ("acme.depth", "true"), ("acme.pace", "other"), ("acme.gone", "1")],
)
def test_values_of_another_type_are_refused(loop: Loop, name: str, value: str) -> None:
    loop.installed(config=KEYS)
    loop.box.planning("config.json", "{}")
    assert loop.box.run("config", "set", name, value).code == 1


def test_without_the_capability_its_setting_is_unknown(loop: Loop) -> None:
    loop.installed(config=KEYS)
    loop.box.planning("config.json", '{"acme": {"look": false}}')
    assert loop.box.run("config", "list").json["unknown"] == []
    loop.box.table["capabilities"] = []
    loop.box.save()
    assert loop.box.run("config", "get", "acme.look").code == 1
    unknown = loop.box.run("config", "list").json["unknown"]
    assert isinstance(unknown, list)
    assert [row["key"] for row in unknown] == ["acme"]


@pytest.mark.parametrize("name", ["mode", "mode.deep", "git"])
def test_a_setting_of_the_core_stays_what_it_is(loop: Loop, name: str) -> None:
    loop.installed(config={name: KEYS["acme.look"]})
    listed = loop.box.run("config", "list").json
    settings = listed["settings"]
    assert isinstance(settings, dict)
    assert settings.keys() == SCHEMA.keys()
    problems = listed["problems"]
    assert isinstance(problems, list)
    assert [repr(name) in problem for problem in problems] == [True]


def test_validation_knows_the_settings_of_capabilities(loop: Loop) -> None:
    loop.installed(config=KEYS)
    loop.box.planning("config.json", '{"acme": {"look": false, "lock": true}}')
    said = loop.box.run("validate").out.decode()
    assert "acme.lock" in said
    assert "'acme.look'" in said, "the nearest name is proposed"
    assert said.count("there is no setting") == 1


# --- init ---------------------------------------------------------------------------------------------


def test_the_bundle_says_at_which_points_something_is_active(loop: Loop) -> None:
    loop.box.workflow("plan-phase", ["Plan.\n"])
    loop.box.workflow("quick", ["Do.\n"])
    key = {"type": "boolean", "default": False, "meaning": "m"}
    row = {"point": "plan:post", "into": "planner", "text": "x", "when": ""}
    steps = [step(), step("off", when="acme.off"), step("other", point="ship:pre")]
    loop.installed(config={"acme.off": key}, steps=steps, contributions=[row])
    bundle = loop.box.run("init", "plan-phase", "1").json
    assert bundle["loop"] == {"plan:pre": ["look"], "plan:post": []}
    config = bundle["config"]
    assert isinstance(config, dict)
    assert config["acme.off"] is False
    assert loop.box.run("init", "quick", "x").json["loop"] == {}


@pytest.mark.req("ADR1671-atom-state-ui-phase-active", "ADR1671-manifest-inputs")
def test_the_step_of_the_capability_ui_makes_an_interface_phase(loop: Loop) -> None:
    loop.box.workflow("plan-phase", ["Plan.\n", ("ui", "state:ui-phase-active", "Draw.\n")])
    key = {"type": "boolean", "default": False, "meaning": "m"}

    def included() -> object:
        manifest = loop.box.run("init", "plan-phase", "1").json["section_manifest"]
        assert isinstance(manifest, dict)
        return manifest["included"]

    loop.installed(id="ui", config={"acme.draw": key}, steps=[step(when="acme.draw")])
    assert included() == []
    loop.box.planning("config.json", '{"acme": {"draw": true}}')
    assert included() == ["ui"]
    loop.installed(id="acme")
    assert included() == []


def test_paths_are_written_as_installed_texts_write_them(tmp_path: Path) -> None:
    root = tmp_path / "ann lee" / ".gsd"
    (root / "bin").mkdir(parents=True)
    (root / "bin" / "gsd-tools").touch()

    def found(shown: str) -> Found:
        return Found("plan:pre", "", (), (), (), (), str(root), shown)

    assert found("~/.gsd").launcher == "~/.gsd/bin/gsd-tools"
    assert found("~/.gsd").spelled(f"{root}/content/a.md") == "~/.gsd/content/a.md"
    assert found("~/.gsd").spelled("/elsewhere/a.md") == "/elsewhere/a.md"
    assert found(str(root)).launcher == f'"{root}/bin/gsd-tools"'
    assert found("~/my things/.gsd").launcher == f'"{root}/bin/gsd-tools"'


def test_a_payload_in_a_project_is_relative_at_its_root_only(tmp_path: Path) -> None:
    project = tmp_path / "work"
    (project / "src").mkdir(parents=True)
    root = str(project / ".gsd")
    environ = {"HOME": str(tmp_path / "home")}
    assert shown_root(root, str(project), environ) == ".gsd"
    assert shown_root(root, str(project / "src"), environ) == root
    assert shown_root(str(tmp_path / "home/.gsd"), str(project), environ) == "~/.gsd"
    assert shown_root("/srv/gsd", str(project), environ | {"GSD_HOME": "/srv/gsd"}) == "/srv/gsd"
