"""Settings: layers, what is refused, and changes that move nothing else."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.companion import config_schema, config_text
from gsd_capabilities.companion.config import config_reset, config_set, resolve
from gsd_capabilities.companion.config_schema import SCHEMA
from gsd_capabilities.companion.config_verbs import VERBS
from gsd_capabilities.companion.project import Project
from gsd_install.kernel.errors import GsdError
from support.planning import request, write

POOLS = '{"context":{"pools":{"system":20,"references":15,"state":20,"request":8,"response":20,"buffer":17}}}'
CONTENT = Path(__file__).resolve().parents[3] / "content" / "gsd_content"


def project_with(root: Path, text: str) -> Project:
    return write(root, {"config.json": text})


def refused(root: Path, text: str) -> GsdError:
    with pytest.raises(GsdError) as caught:
        resolve(project_with(root, text), {})
    return caught.value


def test_the_defaults_are_valid_and_those_of_the_template() -> None:
    for name, key in SCHEMA.items():
        config_schema.check(name, key.default)
    assert config_schema.check_together({name: key.default for name, key in SCHEMA.items()}) is None
    text = (CONTENT / "templates" / "config.md").read_text(encoding="utf-8")
    template = text.split("```json\n")[1].split("```")[0]
    found = dict(config_text.leaves(config_text.parse(template), config_schema.is_group))
    assert len(found) > 15
    assert {name: member.value for name, member in found.items()} == {
        name: key.default for name, key in SCHEMA.items() if name in found
    }
    assert SCHEMA.keys() - found.keys() == {
        name for name in SCHEMA if name.startswith(("context.", "artifacts."))
    }


@pytest.mark.req("CTX-resolve-layers")
def test_layers_go_from_defaults_to_the_call(tmp_path: Path) -> None:
    user = tmp_path / "home" / ".config" / "gsd" / "config.json"
    user.parent.mkdir(parents=True)
    user.write_text('{"mode": "auto", "workflow": {"plan_chunked": true, "max_parallel": 7}}')
    project = project_with(tmp_path, '{"workflow": {"max_parallel": 5, "verifier": false}}')
    found = resolve(project, {"HOME": str(tmp_path / "home")}, {"workflow.verifier": True})
    names = ("granularity", "mode", "workflow.max_parallel", "workflow.verifier")
    assert [(found.get(name), found.source(name)) for name in names] == [
        ("standard", "default"),
        ("auto", "user"),
        (5, "project"),
        (True, "flags"),
    ]
    assert found.get("workflow.plan_chunked") is True


def test_the_users_file_follows_the_environment(tmp_path: Path) -> None:
    (tmp_path / "gsd").mkdir()
    (tmp_path / "gsd" / "config.json").write_text('{"mode": "auto"}')
    project = write(tmp_path, {"STATE.md": ""})
    assert resolve(project, {"XDG_CONFIG_HOME": str(tmp_path)}).source("mode") == "user"
    assert resolve(project, {"XDG_CONFIG_HOME": "relative", "HOME": "/nowhere"}).source("mode") == "default"
    assert resolve(project, {}).source("mode") == "default"


def test_unknown_keys_are_named_with_their_place(tmp_path: Path) -> None:
    found = resolve(project_with(tmp_path, '{\n  "mood": "auto",\n  "git": {"bass": 1}\n}'), {})
    assert found.unknown == (("mood", ".planning/config.json:2"), ("git.bass", ".planning/config.json:3"))
    assert found.get("mode") == "interactive"
    with pytest.raises(GsdError, match=r"no setting 'workflow\.plan_chek'") as caught:
        found.get("workflow.plan_chek")
    assert caught.value.hint == "did you mean 'workflow.plan_check'?"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{\n"mode": "fast"}', 2),
        ('{"workflow": {\n\n"plan_chunked": "yes"}}', 3),
        ('{"workflow": 3}', 1),
        ('{"workflow": {"max_parallel": 0}}', 1),
        ('{"workflow": {"max_parallel": true}}', 1),
        ('{"workflow": {"max_parallel": 2.5}}', 1),
        ('{"checks": {"test": ""}}', 1),
        ('{"mode": null}', 1),
        ('{"effort": {"planner": "huge"}}', 1),
        ('{"review": {"instances": [{"name": "a"}]}}', 1),
        ('{"review": {"instances": [{"name": "a", "run": "x"}, {"name": "a", "run": "y"}]}}', 1),
        ('{"context": {"pools": {"system": 100}}}', 1),
        (POOLS.replace("20", "30", 1), 1),
    ],
)
def test_a_value_of_the_wrong_kind_is_an_error_with_its_place(tmp_path: Path, text: str, line: int) -> None:
    error = refused(tmp_path, text)
    assert (error.reason, error.where) == ("bad_value", f".planning/config.json:{line}")
    assert error.hint


@pytest.mark.req("CTX-resolve-budget")
@pytest.mark.parametrize(("reserve", "fits"), [(99, True), (100, False), (101, False)])
def test_the_reserve_is_below_the_window(tmp_path: Path, reserve: int, fits: bool) -> None:
    text = f'{{"context": {{"max_tokens": 100, "soft_limit_tokens": 1, "reserve_tokens": {reserve}}}}}'
    if fits:
        assert resolve(project_with(tmp_path, text), {}).get("context.reserve_tokens") == reserve
    else:
        assert refused(tmp_path, text).reason == "bad_value"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("[]", 1),
        ('{\n"mode": "auto"', 2),
        ('{"mode": "auto",}', 1),
        ('{\n"mode": "auto",\n"mode": "auto"}', 3),
        ('{"mode": auto}', 1),
        ('{"context": {"max_tokens": NaN}}', 1),
        ("{} x", 1),
        ('{"review": {"instances": [{"name": "a", "name": "b"}]}}', 1),
        ('{\n<<<<<<< HEAD\n"mode": "auto"}', 2),
        ("{" * 3 + '"a":' + "[" * 100_000, 1),
    ],
)
def test_a_damaged_file_is_reported_and_left_alone(tmp_path: Path, text: str, line: int) -> None:
    error = refused(tmp_path, text)
    assert (error.reason, error.line) == ("bad_config", line)
    assert error.hint
    assert "git log" in error.hint
    with pytest.raises(GsdError):
        config_set(project_with(tmp_path, text), "mode", "auto")
    assert (tmp_path / ".planning" / "config.json").read_text() == text


def test_a_layer_is_blamed_for_what_it_changed(tmp_path: Path) -> None:
    user = tmp_path / "gsd" / "config.json"
    user.parent.mkdir()
    user.write_text('{"context": {"max_tokens": 1000}}')
    project = project_with(tmp_path, "{}")
    with pytest.raises(GsdError) as caught:
        resolve(project, {"XDG_CONFIG_HOME": str(tmp_path)})
    assert caught.value.file == str(user)
    with pytest.raises(GsdError) as caught:
        resolve(project, {}, {"context.reserve_tokens": 200_000})
    assert caught.value.file is None


def test_a_file_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    project = write(tmp_path, {"config.json/x": ""})
    with pytest.raises(GsdError) as caught:
        resolve(project, {})
    assert (caught.value.reason, caught.value.file) == ("bad_config", ".planning/config.json")


def test_a_file_that_is_not_utf_8_is_reported(tmp_path: Path) -> None:
    project = project_with(tmp_path, "{}")
    (tmp_path / ".planning" / "config.json").write_bytes(b'{\n"mode": "\xff"}')
    with pytest.raises(GsdError) as caught:
        resolve(project, {})
    assert caught.value.where == ".planning/config.json:2"


@pytest.mark.parametrize(
    ("before", "key", "value", "after"),
    [
        ('{"mode":  "auto"}', "mode", "interactive", '{"mode":  "interactive"}'),
        ("{}", "mode", "auto", '{"mode": "auto"}'),
        ("{\n}\n", "mode", "auto", '{\n  "mode": "auto"\n}\n'),
        ('{"git": { }}', "git.base", "dev", '{"git": {"base": "dev"}}'),
        ('{\r\n\t"x": 1\r\n}\r\n', "planning.commit", False,
         '{\r\n\t"x": 1,\r\n\t"planning": {"commit": false}\r\n}\r\n'),
        ('\ufeff{"a":1}', "mode", "auto", '\ufeff{"a":1, "mode": "auto"}'),
        ('{\n  "git": {}\n}', "git.base", "é", '{\n  "git": {\n    "base": "é"\n  }\n}'),
        ('{\n  "workflow": {\n    "plan_chunked": true\n  },\n  "z": 1\n}', "workflow.verifier", False,
         '{\n  "workflow": {\n    "plan_chunked": true,\n    "verifier": false\n  },\n  "z": 1\n}'),
        ('{"mode": 1, "y": [1, {"mode": 2}]}', "mode", "auto", '{"mode": "auto", "y": [1, {"mode": 2}]}'),
    ],
)  # fmt: skip
def test_one_key_changes_and_no_other_byte(
    tmp_path: Path, before: str, key: str, value: object, after: str
) -> None:
    project = project_with(tmp_path, before)
    assert config_set(project, key, value)
    assert (tmp_path / ".planning" / "config.json").read_bytes().decode() == after
    assert not config_set(project, key, value)
    assert resolve(project, {}).get(key) == value


def test_a_missing_file_is_written_with_the_one_key(tmp_path: Path) -> None:
    project = write(tmp_path, {"STATE.md": ""})
    assert config_set(project, "workflow.plan_chunked", value=True)
    written = (tmp_path / ".planning" / "config.json").read_text()
    assert json.loads(written) == {"version": 1, "workflow": {"plan_chunked": True}}


def test_a_change_that_does_not_fit_the_rest_is_refused(tmp_path: Path) -> None:
    before = '{"mode": "auto"}'
    project = project_with(tmp_path, before)
    for key, value in (("context.reserve_tokens", 128_000), ("mode", "fast"), ("mod", "auto")):
        with pytest.raises(GsdError):
            config_set(project, key, value)
    assert (tmp_path / ".planning" / "config.json").read_text() == before


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"a": 1, "mode": "auto", "b": 2}', '{"a": 1, "b": 2}'),
        ('{\n  "a": 1,\n  "mode": "auto"\n}\n', '{\n  "a": 1\n}\n'),
        ('{ "mode": "auto" }', "{}"),
        ('{"a": 1}', '{"a": 1}'),
    ],
)
def test_a_key_goes_so_that_its_default_applies(tmp_path: Path, before: str, after: str) -> None:
    project = project_with(tmp_path, before)
    assert config_reset(project, "mode") == (before != after)
    assert (tmp_path / ".planning" / "config.json").read_text() == after


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8"), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text('ab.é"\\', max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from(["mode", "git", "x", "é"]), JSON, max_size=4)
INDENTS = st.sampled_from([None, 0, 2, "\t"])


@settings(max_examples=150)
@given(OBJECTS, INDENTS, st.sampled_from(["\n", "\r\n"]))
def test_parsing_agrees_with_the_library(data: dict[str, object], indent: int | str | None, end: str) -> None:
    text = json.dumps(data, indent=indent).replace("\n", end)
    whole = config_text.parse(text)
    assert whole.value == data
    for member in whole.members or ():
        assert json.loads(text[member.value_start : member.end]) == member.value


def members(text: str) -> dict[str, str]:
    """The raw text of each member."""
    return {each.path[-1]: text[each.start : each.end] for each in config_text.parse(text).members or ()}


@settings(max_examples=150)
@given(
    OBJECTS,
    INDENTS,
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([("mode",), ("new", "deep"), ("x",)]),
    JSON,
)
def test_a_change_and_its_reversal(
    data: dict[str, object], indent: int | str | None, end: str, path: tuple[str, ...], value: object
) -> None:
    text = json.dumps(data, indent=indent, ensure_ascii=False).replace("\n", end)
    changed = config_text.change(text, path, value)
    expected: object = value
    for name in reversed(path[1:]):
        expected = {name: expected}
    assert json.loads(changed) == {**data, path[0]: expected}
    assert changed.count("\n") == changed.count("\r\n") or end == "\n"
    before, after = members(text), members(changed)
    assert {name: raw for name, raw in after.items() if name != path[0]} == {
        name: raw for name, raw in before.items() if name != path[0]
    }
    if path[0] not in data:
        assert json.loads(config_text.remove(changed, path[:1])) == data


@given(st.text(max_size=30) | st.text('{}[]":,ab \n', max_size=20))
def test_anything_is_parsed_or_refused(text: str) -> None:
    try:
        expected = json.loads(text)
    except (ValueError, RecursionError):
        expected = None
    found = None
    with contextlib.suppress(GsdError):
        found = config_text.parse(text.removeprefix("\ufeff")).value
    if isinstance(expected, dict):
        assert found == expected or text.startswith("\ufeff")
    else:
        assert found is None or text.startswith("\ufeff")


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("workflow.plan_chunked", "true", True),
        ("workflow.max_parallel", "4", 4),
        ("checks.test", "pytest -q", "pytest -q"),
        ("checks.test", "null", None),
        ("mode", "auto", "auto"),
        ("effort", '{"planner": "heavy"}', {"planner": "heavy"}),
    ],
)
def test_what_a_person_types_becomes_a_value(key: str, text: str, value: object) -> None:
    assert config_schema.parse(key, text) == value


@pytest.mark.parametrize(
    ("key", "text"), [("workflow.plan_chunked", "yes"), ("mode", "null"), ("effort", "{")]
)
def test_what_a_person_types_is_checked(key: str, text: str) -> None:
    with pytest.raises(GsdError) as caught:
        config_schema.parse(key, text)
    assert caught.value.reason == "bad_value"


def test_the_verbs_show_and_change_settings(tmp_path: Path) -> None:
    project = project_with(tmp_path, '{"mood": 1}')
    VERBS["config set"].run(request(project, "git.branching", "phase"))
    shown = VERBS["config get"].run(request(project, "git.branching"))
    assert isinstance(shown, dict)
    assert (shown["value"], shown["source"], shown["default"]) == ("phase", "project", "none")
    listed = VERBS["config list"].run(request(project))
    assert isinstance(listed, dict)
    assert listed["unknown"] == [{"key": "mood", "where": ".planning/config.json:1", "nearest": "mode"}]
    assert listed["settings"].keys() == SCHEMA.keys()
    VERBS["config reset"].run(request(project, "git.branching"))
    assert resolve(project, {}).source("git.branching") == "default"
    with pytest.raises(GsdError, match="arguments"):
        VERBS["config get"].run(request(project))
