from __future__ import annotations

from typing import Any

import pytest

from gsd_install.runtime import (
    Ask,
    Entry,
    Field,
    Form,
    Home,
    Place,
    Runtime,
    Source,
    Surface,
    inline,
    markdown,
)
from gsd_install.runtime.dialects import DIALECTS
from gsd_install.runtime.validate import SHARED_DIALECTS, faults

PLACE = Place("command", "commands/{name}.md", (inline,))
HOME: Any = Home("~/.acme")
SURFACE = Surface("hooks", "jsonc", ("settings.json",))
RUNTIME = Runtime("acme", "Acme", Home("~/.acme"), ".acme", (PLACE,), surfaces=(SURFACE,))


def wrong(**changes: Any) -> list[str]:
    return faults("acme", RUNTIME._replace(**changes), {})


def placed(**changes: Any) -> list[str]:
    return wrong(places=(PLACE._replace(**changes),))


def test_a_whole_runtime_has_no_fault() -> None:
    assert wrong() == []
    assert wrong(places=[PLACE], detect=["acme"], notes=[]) == []
    full = {
        "home": Home(
            "~/.acme", ("ACME_HOME",), (("XDG_CONFIG_HOME", "acme"),), "%APPDATA%/acme", "~/Library/Acme"
        ),
        "tools": {"read": "Read"},
        "reads": "anywhere",
        "cross_reads": ("~/.other/{name}/SKILL.md",),
        "sources": (Source("https://acme.example"),),
    }
    assert wrong(**full) == []


def test_the_shared_dialects_are_those_there_are() -> None:
    assert set(DIALECTS) == SHARED_DIALECTS


@pytest.mark.case("PL-08")
@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("id", 5, "runtime.id is int, not str"),
        ("title", None, "runtime.title is None, not str"),
        ("home", "~/.acme", "runtime.home is str, not Home"),
        ("places", "commands", "runtime.places is str, not a tuple of Place"),
        ("places", ("commands",), "runtime.places holds something that is not Place"),
        ("places", PLACE, "runtime.places holds something that is not Place: is a comma missing?"),
        ("surfaces", SURFACE, "runtime.surfaces holds something that is not Surface"),
        ("tools", ("Read",), "runtime.tools is tuple, not Mapping"),
        ("detect", "acme", "runtime.detect is str, not a tuple of str"),
        ("detect", (5,), "runtime.detect holds something that is not str"),
        ("sources", ("https://acme.example",), "runtime.sources holds something that is not Source"),
        ("reads", "everything", "runtime.reads cannot be 'everything', only one of: anywhere"),
        ("reads", [], "runtime.reads is list, not str"),
        ("requires", None, "runtime.requires is None, not str"),
    ],
)
def test_a_field_of_the_wrong_type_is_named(field: str, value: object, says: str) -> None:
    found = wrong(**{field: value})
    assert any(says in fault for fault in found), found


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"id": "other"}, "declared as 'acme' but its runtime has the id 'other'"),
        ({"invoke": "/acme"}, "invoke '/acme' lacks {name}"),
        ({"places": ()}, "no places"),
        ({"home": Home("acme")}, "home 'acme' is neither absolute"),
        ({"home": Home("")}, "home '' is neither absolute"),
        ({"home": Home("~acme")}, "home '~acme' is neither absolute"),
        ({"home": Home("~/.acme", windows="acme")}, "home 'acme' is neither absolute"),
        ({"home": HOME._replace(env="ACME_HOME")}, "home.env is str, not a tuple of str"),
        (
            {"home": HOME._replace(parents=("XDG_CONFIG_HOME", "acme"))},
            "home.parents holds something",
        ),
    ],
)
def test_an_identity_that_cannot_be_is_named(changes: dict[str, Any], says: str) -> None:
    found = wrong(**changes)
    assert any(says in fault for fault in found), found


@pytest.mark.parametrize("runtime_id", ["Acme", "a/b", "..", "a:b", "a b", "-a", ""])
def test_an_id_is_a_name(runtime_id: str) -> None:
    assert any("small letters" in fault for fault in faults(runtime_id, RUNTIME._replace(id=runtime_id), {}))


@pytest.mark.case("SE-07")
@pytest.mark.parametrize(
    "path",
    [
        "../{name}",
        "/etc/{name}",
        "a/../../{name}",
        "sk\x00ills/{name}",
        "{name}/../..",
        "C:\\x\\{name}",
        "..\\{name}",
        "\\\\server\\{name}",
        "~/../{name}",
        "a:b/{name}",
        "./../{name}",
    ],
)
def test_a_place_or_surface_that_leads_out_is_refused_before_anything_is_written(path: str) -> None:
    assert any(repr(path) in fault and "leads out" in fault for fault in placed(path=path, scope="global"))
    surface = SURFACE._replace(paths=("settings.json", path))
    assert any(repr(path) in fault and "leads out" in fault for fault in wrong(surfaces=(surface,)))


@pytest.mark.parametrize("path", ["commands//{name}.md", "a/./{name}", "commands/{name}/"])
def test_a_place_that_could_be_spelled_in_two_ways_is_refused(path: str) -> None:
    assert any("not written plainly" in fault for fault in placed(path=path))


@pytest.mark.case("SE-07")
@pytest.mark.parametrize("path", [".", "", "skills", "x/name"])
def test_a_place_without_a_name_would_be_one_file_for_all(path: str) -> None:
    assert any("lacks {name}" in fault for fault in placed(path=path))


@pytest.mark.case("SE-07")
@pytest.mark.parametrize("project", ["..", "/etc", "", "~/.acme", "a/../..", "C:\\x", "a\x00"])
def test_a_project_folder_that_leads_out_is_refused(project: str) -> None:
    assert any("leads out of the project" in fault for fault in wrong(project=project))


@pytest.mark.parametrize("project", [".acme", ".config/acme", "."])
def test_a_project_folder_may_be_nested_or_the_project_itself(project: str) -> None:
    assert wrong(project=project) == []


@pytest.mark.case("DD-11")
@pytest.mark.parametrize(("start", "scope"), [("~/", "global"), ("./", "project")])
def test_a_place_in_the_home_or_the_project_exists_in_that_scope_only(start: str, scope: str) -> None:
    path = f"{start}.agents/skills/{{name}}/SKILL.md"
    assert placed(path=path, scope=scope) == []
    for other in (None, "project" if scope == "global" else "global"):
        assert any(f"needs scope={scope!r}" in fault for fault in placed(path=path, scope=other))
        surface = SURFACE._replace(paths=(f"{start}x.json",), scope=other)
        assert any(f"needs scope={scope!r}" in fault for fault in wrong(surfaces=(surface,)))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"kind": "prompt"}, "place.kind cannot be 'prompt'"),
        ({"scope": "user"}, "place.scope cannot be 'user'"),
        ({"forms": ()}, "has no form"),
        ({"forms": inline}, "place.forms holds something that is not Form"),
        ({"forms": ("plain",)}, "place.forms holds something that is not Form"),
        ({"forms": (Form("html"),)}, "the form dialect 'html' of 'commands/{name}.md' has no converter"),
        ({"forms": (Form(5),)}, "form.dialect is int"),  # type: ignore[arg-type]
        ({"forms": (Form("markdown", ("name",)),)}, "form.fields holds something that is not Field"),  # type: ignore[arg-type]
        ({"forms": (Form("markdown", Field("name")),)}, "form.fields holds something"),  # type: ignore[arg-type]
        ({"path": None}, "place.path is None"),
        ({"kind": []}, "place.kind is list"),
    ],
)
def test_a_place_of_the_wrong_shape_is_named(changes: dict[str, Any], says: str) -> None:
    found = placed(**changes)
    assert any(says in fault for fault in found), found


def test_a_dialect_of_the_plugin_itself_is_known() -> None:
    place = PLACE._replace(forms=(Form("html"), markdown("name")))
    assert faults("acme", RUNTIME._replace(places=(place,)), {"html": str}) == []


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"name": "status"}, "surface.name cannot be 'status'"),
        ({"format": "ini"}, "surface.format cannot be 'ini'"),
        ({"scope": "user"}, "surface.scope cannot be 'user'"),
        ({"envelope": "json"}, "surface.envelope cannot be 'json'"),
        ({"tools": ("run",)}, "surface.tools is tuple, not Mapping"),
        ({"paths": "settings.json"}, "surface.paths is str"),
        ({"paths": ()}, "has no path"),
        ({"entries": Entry(("a",), 1)}, "surface.entries holds something that is not Entry"),
        ({"events": ("session-start",)}, "surface.events is tuple"),
    ],
)
def test_a_surface_of_the_wrong_shape_is_named(changes: dict[str, Any], says: str) -> None:
    found = wrong(surfaces=(SURFACE._replace(**changes),))
    assert any(says in fault for fault in found), found


ASK = Ask(("skill",), ("list", "--json"), ("*", "name"))


def test_a_runtime_may_be_asked_by_path_or_by_pattern() -> None:
    by_pattern = ASK._replace(path=(), pattern=r"^(\S+)$", environ={"QUIET": "1"}, said=("hello",))
    assert wrong(asks=(ASK, by_pattern), detect=("acme", "~/.acme")) == []


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"kinds": ("skills",)}, "the ask 'list --json' needs words, and kinds out of: agent, command,"),
        ({"kinds": ()}, "needs words, and kinds out of"),
        ({"words": ()}, "needs words, and kinds out of"),
        ({"words": "list"}, "ask.words is str, not a tuple of str"),
        ({"path": ()}, "the ask 'list --json' needs either a path or a pattern"),
        ({"pattern": "(x)"}, "the ask 'list --json' needs either a path or a pattern"),
        ({"path": (), "pattern": "("}, "the pattern of the ask 'list --json' does not parse"),
        ({"path": (), "pattern": "(a)(b)"}, "the pattern of the ask 'list --json' has 2 groups, not one"),
        ({"environ": ("A",)}, "ask.environ is tuple, not Mapping"),
    ],
)
def test_an_ask_that_cannot_be_asked_is_named(changes: dict[str, Any], says: str) -> None:
    found = wrong(asks=(ASK._replace(**changes),), detect=("acme",))
    assert len(found) == 1
    assert says in found[0]


def test_an_ask_follows_a_program() -> None:
    assert wrong(asks=(ASK,), detect=("~/.acme",)) == [
        "the ask 'list --json' needs a program to follow: the first name in detect"
    ]


def test_every_fault_is_named_at_once() -> None:
    assert len(wrong(id="other", invoke="x", places=())) == 3
