from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gsd_install.content.model import Catalog
from gsd_install.content.select import select
from gsd_install.contents import Content
from gsd_install.emit.emit import emit, emit_shared
from gsd_install.emit.output import Emission, Output
from gsd_install.emit.places import place_for
from gsd_install.emit.target import Target
from gsd_install.kernel.errors import GsdError
from gsd_install.runtime import Cap, Draft, Field, Form, Home, Place, Runtime, inline, markdown, skill, stub
from gsd_install.runtime.words import Scope
from support.content import EVERY_KIND, HEAD, LINUX, SYSTEMS, WINDOWS, loaded, target_of

COMMAND = "---\ndescription: What it does\n---\n"
ACME = Runtime(
    "acme",
    "Acme",
    Home("~/.acme"),
    ".acme",
    (
        Place("command", "commands/{name}.md", (markdown("description"),)),
        Place("agent", "agents/{name}.md", (markdown("name", "description"),)),
        Place("skill", "skills/{name}/SKILL.md", (skill,)),
    ),
    tools={"read": "Open"},
)
SKILLS_ONLY = ACME._replace(
    places=(
        Place("skill", "~/.agents/skills/{name}/SKILL.md", (skill,), scope="global"),
        Place("skill", "./.agents/skills/{name}/SKILL.md", (skill,), scope="project"),
    )
)
COMMANDS_ONLY = ACME._replace(places=ACME.places[:1])


def emitted(catalog: Catalog, target: Target, *caps: Cap, profile: str = "full", **more: Any) -> Emission:
    return emit(catalog, select(catalog, profile), target, caps, {}, **more)


def texts(outputs: tuple[Output, ...]) -> dict[str, str]:
    assert len({output.path for output in outputs}) == len(outputs)
    return {output.path: output.data.decode() for output in outputs}


def at_home(outputs: tuple[Output, ...]) -> dict[str, str]:
    return {path.removeprefix("/home/ann/"): text for path, text in texts(outputs).items()}


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return loaded(tmp_path, EVERY_KIND)


def test_a_host_gets_each_kind_in_its_own_place(catalog: Catalog) -> None:
    found = emitted(catalog, target_of(ACME))
    assert at_home(found.outputs) == {
        ".acme/agents/ac-planner.md": (
            '---\nname: "ac-planner"\ndescription: "Makes plans"\n---\n\nYou plan.\n'
        ),
        ".acme/commands/ac-plan.md": (
            '---\ndescription: "Plans"\n---\n\nRead ~/.gsd/content/acme/workflows/plan.md\n'
        ),
        ".acme/skills/ac-tidy/SKILL.md": (
            '---\nname: "ac-tidy"\ndescription: "Tidies up"\n---\n\nRun ~/.acme/skills/ac-tidy/tidy.py\n'
        ),
        ".acme/skills/ac-tidy/tidy.py": EVERY_KIND["skills/tidy/tidy.py"],
    }
    assert dict(found.placed) == {"agent": 1, "command": 1, "skill": 1}
    assert (found.absent, found.warnings, found.insertions) == ((), (), ())
    assert found.listed == (
        ("agent", "ac-planner", "Makes plans"),
        ("command", "ac-plan", "Plans"),
        ("skill", "ac-tidy", "Tidies up"),
    )


def test_each_output_says_where_it_came_from_and_what_it_may_not_leave(catalog: Catalog) -> None:
    rows = {(output.kind, output.source): output for output in emitted(catalog, target_of(ACME)).outputs}
    assert set(rows) == {
        ("agent", "agents/planner.md"),
        ("command", "commands/plan.md"),
        ("skill", "skills/tidy/SKILL.md"),
        ("skill", "skills/tidy/tidy.py"),
    }
    assert all(output.root == "/home/ann" and not output.shared for output in rows.values())
    assert [output.executable for output in rows.values()] == [False, False, False, True]


@pytest.mark.req("ADR1671-no-multiplication")
def test_shared_texts_stand_once_in_the_payload(catalog: Catalog) -> None:
    found = emit_shared(catalog, select(catalog, "full"), target_of(ACME))
    assert at_home(found) == {
        ".gsd/content/acme/references/deep/scope.md": "What belongs to the scope.\n",
        ".gsd/content/acme/templates/plan.md": "# Plan of ...\n",
        ".gsd/content/acme/workflows/plan.md": (
            "# Plan\n\nAsk ac-planner; see ~/.gsd/content/acme/references/deep/scope.md.\n"
        ),
    }
    assert all(output.shared for output in found)


@pytest.mark.parametrize("platform", SYSTEMS, ids=lambda platform: platform.os)
@pytest.mark.parametrize("scope", ["global", "project"])
def test_shared_texts_are_the_same_bytes_for_every_host(
    catalog: Catalog, platform: Any, scope: Scope
) -> None:
    hosts = (
        ACME,
        SKILLS_ONLY,
        COMMANDS_ONLY._replace(title="Other", invoke="${name}", arguments="x", tools={}),
    )
    documents = select(catalog, "full")
    one, *others = [emit_shared(catalog, documents, target_of(host, scope, platform)) for host in hosts]
    assert one
    for other in others:
        assert other == one


def test_a_text_that_names_the_host_stands_below_the_hosts_own_directory(tmp_path: Path) -> None:
    files = {
        **EVERY_KIND,
        "references/deep/scope.md": "Type {gsd:command plan} in {gsd:runtime}, {gsd:tool read}.\n",
    }
    catalog = loaded(tmp_path, files)
    own = at_home(emitted(catalog, target_of(ACME)).outputs)
    assert own[".acme/acme/references/deep/scope.md"] == "Type /ac-plan in Acme, Open.\n"
    assert "see ~/.acme/acme/references/deep/scope.md" in own[".acme/acme/workflows/plan.md"]
    assert "Read ~/.acme/acme/workflows/plan.md" in own[".acme/commands/ac-plan.md"]
    shared = at_home(emit_shared(catalog, select(catalog, "full"), target_of(ACME)))
    assert set(shared) == {".gsd/content/acme/templates/plan.md"}


def test_a_command_becomes_a_skill_where_there_are_no_commands(catalog: Catalog) -> None:
    found = emitted(catalog, target_of(SKILLS_ONLY))
    assert (
        '---\nname: "ac-plan"\ndescription: "Plans"\n---\n'
        in at_home(found.outputs)[".agents/skills/ac-plan/SKILL.md"]
    )
    assert dict(found.placed) == {"skill": 2}
    assert found.absent == ("agent",)


def test_a_skill_or_agent_is_no_command_and_is_told_to_be_absent(catalog: Catalog) -> None:
    found = emitted(catalog, target_of(COMMANDS_ONLY))
    assert found.absent == ("agent", "skill")
    assert set(at_home(found.outputs)) == {".acme/commands/ac-plan.md"}


@pytest.mark.parametrize(
    ("kind", "runtime", "place"), [("command", ACME, 0), ("command", SKILLS_ONLY, 0), ("agent", ACME, 1)]
)
def test_the_nearest_place_of_a_kind(kind: str, runtime: Runtime, place: int) -> None:
    assert place_for(kind, target_of(runtime)) == runtime.places[place]
    assert place_for("agent", target_of(SKILLS_ONLY)) is None
    assert place_for("skill", target_of(COMMANDS_ONLY)) is None


@pytest.mark.req("ADR1671-stub-resolves")
def test_a_text_that_is_pointed_at_is_there_even_where_the_host_has_no_place_for_it(tmp_path: Path) -> None:
    pointing = COMMAND + "{gsd:path agents/planner.md} {gsd:path skills/tidy/tidy.py}\n"
    catalog = loaded(tmp_path, {**EVERY_KIND, "commands/plan.md": pointing})
    found = emitted(catalog, target_of(COMMANDS_ONLY))
    own = at_home(found.outputs)
    assert own[".acme/acme/agents/planner.md"] == "You plan.\n"
    assert own[".acme/acme/skills/tidy/tidy.py"] == EVERY_KIND["skills/tidy/tidy.py"]
    assert own[".acme/acme/skills/tidy/SKILL.md"] == "Run ~/.acme/acme/skills/tidy/tidy.py\n"
    assert found.absent == ("agent", "skill")
    assert dict(found.placed) == {"command": 1}


@pytest.mark.case("DD-11", "PR-03")
@pytest.mark.parametrize("runtime", [ACME, SKILLS_ONLY, COMMANDS_ONLY])
def test_a_project_gets_nothing_outside_it_and_no_path_that_leads_out(
    catalog: Catalog, runtime: Runtime
) -> None:
    target = target_of(runtime, "project")
    outputs = emitted(catalog, target).outputs + emit_shared(catalog, select(catalog, "full"), target)
    for path, text in texts(outputs).items():
        assert path.startswith("/home/ann/work/app/")
        assert "~" not in text
        assert "/home" not in text


@pytest.mark.case("PR-07")
@pytest.mark.parametrize("home", ["/home/dev one", "/home/\u00e9\u8a08"])
def test_no_text_holds_the_home_directory(catalog: Catalog, home: str) -> None:
    target = target_of(ACME, platform=LINUX._replace(home=home))
    outputs = emitted(catalog, target).outputs + emit_shared(catalog, select(catalog, "full"), target)
    assert outputs
    for text in texts(outputs).values():
        assert home not in text


def _named_paths(text: str) -> set[str]:
    return set(re.findall(r"(?:~/|\.(?:gsd|acme|agents)/)[\w./-]+\w", text))


GATED = (
    '# Plan\n\n<!-- gsd:section id="research" when="flag:--research" -->\n'
    "search {gsd:path templates/plan.md}\n<!-- /gsd:section -->\nend\n"
)


@pytest.mark.req("ADR1671-stub-resolves")
@pytest.mark.parametrize("scope", ["global", "project"])
@pytest.mark.parametrize("runtime", [ACME, SKILLS_ONLY, COMMANDS_ONLY])
@pytest.mark.parametrize("specific", ["", "{gsd:args}\n"])
@pytest.mark.parametrize("profile", ["core", "standard", "full"])
def test_every_path_a_text_names_is_an_output(
    tmp_path: Path, scope: Scope, runtime: Runtime, specific: str, profile: str
) -> None:
    catalog = loaded(tmp_path, {**EVERY_KIND, "workflows/plan.md": GATED + specific})
    target = target_of(runtime, scope)
    documents = select(catalog, profile)
    outputs = emit(catalog, documents, target, (), {}).outputs + emit_shared(catalog, documents, target)
    written = {target.spell(output.path) for output in outputs}
    named = set().union(*(_named_paths(output.data.decode()) for output in outputs))
    assert named
    assert named <= written


@pytest.mark.case("MS-09")
def test_a_gated_section_stands_beside_its_workflow_and_no_marker_comes_out(tmp_path: Path) -> None:
    files = {**EVERY_KIND, "workflows/plan.md": f"<!-- gsd:keep -->\nx\n<!-- /gsd:keep -->\n{GATED}"}
    catalog = loaded(tmp_path, files)
    shared = at_home(emit_shared(catalog, select(catalog, "full"), target_of(ACME)))
    assert (
        shared[".gsd/content/acme/workflows/plan/steps/research.md"]
        == "search ~/.gsd/content/acme/templates/plan.md\n"
    )
    assert shared[".gsd/content/acme/workflows/plan.md"] == (
        "x\n# Plan\n\n**When `--research` was passed:** "
        "read ~/.gsd/content/acme/workflows/plan/steps/research.md, do what it says, then go on here.\nend\n"
    )
    renditions = [
        output.rendition for output in emit_shared(catalog, select(catalog, "full"), target_of(ACME))
    ]
    assert "step research" in renditions
    assert not any("gsd:" in text for text in shared.values())


@pytest.mark.req("ADR1671-stub-form")
def test_a_form_that_only_points_puts_the_text_beside_it(tmp_path: Path) -> None:
    runtime = ACME._replace(places=(Place("command", "c/{name}.md", (inline, stub)),))
    catalog = loaded(tmp_path, {"commands/big.md": COMMAND + "word {gsd:args}\n" * 50})
    own = at_home(emitted(catalog, target_of(runtime), Cap("command", 200)).outputs)
    assert own[".acme/c/ac-big.md"] == (
        "# Big\n\nWhat it does\n\nRead ~/.acme/acme/commands/big.md and follow it to the end. "
        "Its arguments: $ARGUMENTS\n"
    )
    assert own[".acme/acme/commands/big.md"] == "word $ARGUMENTS\n" * 50
    whole = at_home(emitted(catalog, target_of(runtime), Cap("command", 2_000)).outputs)
    assert set(whole) == {".acme/c/ac-big.md"}


def test_a_cap_of_the_other_scope_or_kind_changes_nothing(tmp_path: Path) -> None:
    catalog = loaded(tmp_path, {"commands/big.md": COMMAND + "word\n" * 50})
    free = emitted(catalog, target_of(ACME))
    assert emitted(catalog, target_of(ACME), Cap("command", 10, scope="project"), Cap("agent", 1)) == free
    with pytest.raises(GsdError) as caught:
        emitted(catalog, target_of(ACME), Cap("command", 10, scope="global"))
    assert (caught.value.reason, caught.value.file) == ("over_cap", f"{catalog.root}/commands/big.md")


def test_a_converter_of_the_plugin_is_used_and_is_given_the_whole_draft(tmp_path: Path) -> None:
    seen: list[Draft] = []

    def shout(draft: Draft) -> str:
        seen.append(draft)
        return draft.body.upper()

    runtime = ACME._replace(places=(Place("command", "c/{name}.txt", (Form("shout", (Field("name"),)),)),))
    catalog = loaded(tmp_path, {"commands/a.md": COMMAND + "text {gsd:tool read}\n"})
    found = emit(catalog, catalog.documents, target_of(runtime), (), {"shout": shout})
    assert at_home(found.outputs) == {".acme/c/ac-a.txt": "TEXT OPEN\n"}
    assert seen[0] == Draft("command", "ac-a", "A", "What it does", {"name": "ac-a"}, "text Open\n")


def test_a_skill_another_host_has_placed_already_is_not_written_again(catalog: Catalog) -> None:
    runtime = ACME._replace(cross_reads=("~/.agents/skills/{name}/SKILL.md",))
    there = frozenset({"/home/ann/.agents/skills/ac-tidy/SKILL.md"})
    found = emitted(catalog, target_of(runtime), elsewhere=there)
    assert set(at_home(found.outputs)) == {".acme/agents/ac-planner.md", ".acme/commands/ac-plan.md"}
    assert dict(found.placed)["skill"] == 1
    assert emitted(catalog, target_of(ACME), elsewhere=there) == emitted(catalog, target_of(ACME))


def test_a_path_into_a_skill_leads_to_the_copy_that_is_there(tmp_path: Path) -> None:
    pointing = {**EVERY_KIND, "commands/plan.md": COMMAND + "{gsd:path skills/tidy/tidy.py}\n"}
    runtime = ACME._replace(cross_reads=("~/.agents/skills/{name}/SKILL.md",))
    there = frozenset({"/home/ann/.agents/skills/ac-tidy/SKILL.md"})
    found = emitted(loaded(tmp_path, pointing), target_of(runtime), elsewhere=there)
    assert "~/.agents/skills/ac-tidy/tidy.py" in at_home(found.outputs)[".acme/commands/ac-plan.md"]


def test_a_config_dir_and_a_payload_outside_the_home_are_named_in_full(catalog: Catalog) -> None:
    target = target_of(ACME, config_dir="/opt/acme", payload="/srv/gsd")
    outputs = emitted(catalog, target).outputs + emit_shared(catalog, select(catalog, "full"), target)
    found = texts(outputs)
    assert "Read /srv/gsd/content/acme/workflows/plan.md" in found["/opt/acme/commands/ac-plan.md"]
    assert {output.root for output in outputs} == {"/opt/acme", "/srv/gsd"}


def test_windows_has_its_own_paths_and_the_same_texts(catalog: Catalog) -> None:
    here, there = target_of(ACME), target_of(ACME, platform=WINDOWS)
    linux = {output.path.removeprefix("/home/ann/"): output.data for output in emitted(catalog, here).outputs}
    windows = {
        output.path.removeprefix("C:\\Users\\ann\\").replace("\\", "/"): output.data
        for output in emitted(catalog, there).outputs
    }
    assert windows == linux
    assert all("/" not in output.path for output in emitted(catalog, there).outputs)


@pytest.mark.req("ADR1671-deterministic")
def test_the_same_content_gives_the_same_outputs(catalog: Catalog, tmp_path: Path) -> None:
    again = loaded(tmp_path / "again", dict(sorted(EVERY_KIND.items(), reverse=True)))
    for runtime in (ACME, SKILLS_ONLY, COMMANDS_ONLY):
        assert emitted(catalog, target_of(runtime)) == emitted(again, target_of(runtime))


@pytest.mark.parametrize(("profile", "names"), [("core", ["ac-plan"]), ("standard", ["ac-plan", "ac-tidy"])])
def test_a_profile_limits_what_a_host_gets(catalog: Catalog, profile: str, names: list[str]) -> None:
    listed = [
        name for kind, name, _ in emitted(catalog, target_of(ACME), profile=profile).listed if kind != "agent"
    ]
    assert listed == names


def test_the_command_to_begin_with_is_what_a_person_is_told_to_type(catalog: Catalog, tmp_path: Path) -> None:
    files = {"commands/a.md": f"---\ntier: core\n{COMMAND[4:]}", "commands/b.md": COMMAND}
    two = Content("", catalog=loaded(tmp_path / "two", files, head=HEAD + 'start = "b"\n'))
    assert two.first_command(target_of(ACME), "standard") == "/ac-b"
    assert two.first_command(target_of(ACME), "core") == "/ac-a"
    other = target_of(ACME._replace(invoke="${name}"))
    assert Content("", catalog=catalog).first_command(other, "full") == "$ac-plan"
    none: Mapping[str, str] = {"rules/a.md": "x\n"}
    assert Content("", catalog=loaded(tmp_path / "none", none)).first_command(target_of(ACME), "full") == ""
