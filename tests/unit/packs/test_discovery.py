"""Activation, recency, the loop breaker, and the state of a session on disk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.companion import project as projects
from gsd_capabilities.learning import limits
from gsd_capabilities.packs import discovery, store
from gsd_capabilities.packs.discovery import State
from gsd_install.kernel.errors import GsdError
from support.packs import answered, ask, project, tool

KNOWN = {"a", "b", "c", "d"}
NAMES = st.sampled_from([*sorted(KNOWN), "discover_tools", "nobody"])


def session(folder: Path) -> Path:
    return folder / ".planning/work/packs/s.json"


@pytest.mark.req("S-discover-tools-spin")
def test_the_third_call_in_a_row_warns_and_the_fifth_is_refused(tmp_path: Path) -> None:
    folder = project(tmp_path)
    words = ["discover", "s", "chat", "--core"]
    names = ["goal_status", "package_list", "nobody", "goal_create"]
    verdicts = [ask(folder, *words[:3], name, *words[3:])["verdict"] for name in names]
    assert verdicts == ["ok", "ok", "warn", "warn"]
    for _ in range(2):
        code, error = answered(folder, *words[:3], "spawn_subagent", *words[3:])
        assert (code, error["reason"]) == (1, "loop_detected")
    assert "spawn_subagent" not in ask(folder, "fit", "chat", "--core", "--session", "s")["live"]
    assert ask(folder, "called", "s", "file_read")["verdict"] == "ok"
    assert ask(folder, *words)["verdict"] == "ok"


@settings(max_examples=100, deadline=None)
@given(st.lists(NAMES, max_size=30))
def test_the_verdict_counts_what_is_in_a_row(calls: list[str]) -> None:
    state, row = State(), 0
    for name in calls:
        state, verdict = discovery.called(state, name)
        row = row + 1 if name == "discover_tools" else 0
        assert verdict == ("break" if row >= 5 else "warn" if row >= 3 else "ok")
        assert state.streak == row
    others = [name for name in calls if name != "discover_tools"]
    newest = list(dict.fromkeys(reversed(others)))[: limits.RECENT_TOOLS]
    assert list(state.recent) == newest[::-1]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["activate", "use", "evict"]), NAMES), max_size=30))
def test_recency_is_the_order_of_activation_and_use(steps: list[tuple[str, str]]) -> None:
    state, order = State(), list[str]()
    for what, name in steps:
        if what == "activate":
            state, activated, unknown = discovery.activate(state, [name, name], KNOWN)
            assert (activated, unknown) == (((name,), ()) if name in KNOWN else ((), (name,)))
        elif what == "use":
            state = discovery.used(state, name)
        else:
            state = discovery.evicted(state, [name])
        if name in order or (what == "activate" and name in KNOWN):
            order = [other for other in order if other != name] + ([name] if what != "evict" else [])
    assert sorted(state.activated, key=lambda name: state.used[name]) == order
    assert set(state.used) == set(state.activated)


def test_a_state_is_never_changed() -> None:
    before, _, _ = discovery.activate(State(), ["a"], KNOWN)
    kept = repr(before)
    discovery.activate(before, ["b"], KNOWN)
    discovery.called(before, "a")
    discovery.used(before, "a")
    discovery.evicted(before, ["a"])
    assert repr(before) == kept
    assert State() == State((), {}, 0, ())


@pytest.mark.req("ECO-discover-refresh", "ECO-discover-no-stale")
def test_the_next_list_of_a_session_has_what_was_activated(tmp_path: Path) -> None:
    folder = project(tmp_path)
    others = [tool("web__a"), tool("web__b")]
    before = ask(folder, "fit", "chat", "--core", "--session", "s", tools=others)
    asked = ask(folder, "discover", "s", "chat", "web__b", "goal_status", "nobody", "--core", tools=others)
    after = ask(folder, "fit", "chat", "--core", "--session", "s", tools=others)
    assert asked["unknown"] == ["nobody"]
    assert set(after["live"]) - set(before["live"]) == {"web__b", "goal_status"} == set(asked["activated"])
    assert after["live"] == asked["available_tools"]
    assert {one["name"] for one in after["tools"]} == set(after["live"])
    assert set(before["deferred"]) - set(after["deferred"]) == {"web__b", "goal_status"}


@settings(max_examples=60, deadline=None)
@given(
    st.builds(
        State,
        st.lists(st.text(max_size=5), unique=True).map(tuple),
        st.dictionaries(st.text(max_size=5), st.integers()),
        st.integers(min_value=0),
        st.lists(st.text(max_size=5)).map(tuple),
    )
)
def test_a_state_comes_back_from_disk(tmp_path_factory: pytest.TempPathFactory, state: State) -> None:
    found = projects.find(str(project(tmp_path_factory.mktemp("project"))))
    store.change(found, "s", lambda _: (state, None))
    assert store.load(found, "s") == state


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"version": 2}',
        '{"version": 1, "activated": [1], "used": {}, "streak": 0, "recent": []}',
    ],
)
def test_a_broken_state_is_a_new_one(tmp_path: Path, text: str) -> None:
    folder = project(tmp_path)
    ask(folder, "called", "s", "shell")
    assert json.loads(session(folder).read_text())["recent"] == ["shell"]
    session(folder).write_text(text)
    assert store.load(projects.find(str(folder)), "s") == State()
    ask(folder, "called", "s", "shell")
    assert json.loads(session(folder).read_text())["recent"] == ["shell"]


@pytest.mark.parametrize("name", ["", "..", "../x", "a/b", ".hidden", "x" * 101, "a\\b", "\u00e9"])
def test_a_session_is_no_path(tmp_path: Path, name: str) -> None:
    code, error = answered(project(tmp_path), "called", name, "shell")
    assert (code, error["reason"]) == (2, "bad_session")
    assert list((tmp_path / ".planning").iterdir()) == []


def test_a_session_needs_a_project_and_reading_makes_nothing(tmp_path: Path) -> None:
    code, error = answered(tmp_path, "called", "s", "shell")
    assert (code, error["reason"]) == (1, "no_project")
    ask(project(tmp_path), "fit", "chat", "--core", "--session", "s")
    assert list((tmp_path / ".planning").iterdir()) == []


def test_what_fails_changes_nothing(tmp_path: Path) -> None:
    found = projects.find(str(project(tmp_path)))

    def broken(_: State) -> tuple[State, None]:
        raise GsdError("no")

    with pytest.raises(GsdError):
        store.change(found, "s", broken)
    assert not session(tmp_path).exists()
