"""The conformance suite: does a runtime plugin keep what gsd-install promises its users?

    pytest --gsd-runtime acme --pyargs gsd_install.testing.conformance

Or, among the tests of the plugin's own project: `from gsd_install.testing.conformance import *`, with
`--gsd-runtime acme` in pytest's `addopts`. Installs run as the real command line in a process of its
own, on a home of its own.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.plugins import Plugin, Plugins
from gsd_install.testing import caps, declarations, installed, places, sample, skills, users
from gsd_install.testing.emission import Case, Uncapped, prepared_for
from gsd_install.testing.machine import Done, Machine, link, machine
from gsd_install.testing.trees import differences, file_stamps, rewritten
from gsd_install.testing.verdict import none

if TYPE_CHECKING:
    from gsd_install.runtime.words import Scope

SCOPES = ("global", "project")
_NO_RUNTIME = "no runtime is named: add --gsd-runtime ID"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each named runtime, and for each scope where that matters."""
    names: list[str] = metafunc.config.getoption("gsd_runtime", [])
    skipped = pytest.param("", id="no-runtime", marks=pytest.mark.skip(reason=_NO_RUNTIME))
    if "runtime_id" in metafunc.fixturenames:
        metafunc.parametrize(
            "runtime_id", list(dict.fromkeys(names)) or [skipped], indirect=True, scope="module"
        )
    if "scope" in metafunc.fixturenames:
        metafunc.parametrize("scope", SCOPES if names else SCOPES[:1], indirect=True, scope="module")


@pytest.fixture(scope="module")
def runtime_id(request: pytest.FixtureRequest) -> str:
    """The runtime under test."""
    return str(request.param)


@pytest.fixture(scope="module")
def scope(request: pytest.FixtureRequest) -> Scope:
    """The scope under test."""
    return "global" if request.param == "global" else "project"


@pytest.fixture(scope="session")
def content(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A content root that has everything a content root can have."""
    return sample.write(tmp_path_factory.mktemp("content"))


@pytest.fixture(scope="module")
def plugin(runtime_id: str) -> Plugin:
    """The merged plugin of the runtime under test."""
    return _loaded(runtime_id)


@pytest.fixture(scope="module")
def case(plugin: Plugin, scope: Scope, tmp_path_factory: pytest.TempPathFactory) -> Case:
    """The runtime in a scope; one in which it places nothing is skipped."""
    if scope not in declarations.scopes(plugin.runtime):
        pytest.skip(f"{plugin.runtime.id} places nothing in {scope} scope")
    box = machine(tmp_path_factory.mktemp("memory") / "machine")
    return Case(Plugins(), Uncapped(), plugin, scope, box.platform())


@pytest.fixture(scope="module")
def installed_box(case: Case, content: Path, tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """A machine on which the content is installed, to look at."""
    box = machine(tmp_path_factory.mktemp("installed") / "machine")
    _install(box, case, content)
    return box


@pytest.fixture
def box(tmp_path: Path) -> Machine:
    """An empty home and an empty project."""
    return machine(tmp_path / "machine")


def test_the_plugin_keeps_the_contract(runtime_id: str) -> None:
    _loaded(runtime_id)


def test_names_and_values_are_known(plugin: Plugin) -> None:
    none(declarations.names(plugin))


def test_every_fact_has_a_source(plugin: Plugin) -> None:
    none(declarations.sources(plugin))


def test_no_source_is_of_a_later_day(plugin: Plugin) -> None:
    first_to_have_today = datetime.now(UTC) + timedelta(hours=14)
    none(declarations.dates(plugin, first_to_have_today.date()))


def test_it_places_something(plugin: Plugin) -> None:
    if not declarations.scopes(plugin.runtime):
        pytest.fail("no scope has a place for commands, agents or skills", pytrace=False)


def test_every_place_stays_inside_its_directory(plugin: Plugin, scope: Scope) -> None:
    none(places.faults(plugin.runtime, scope))


def test_converters_are_pure(case: Case, content: Path) -> None:
    """The same content gives the same outputs, twice."""
    from gsd_install.content.catalog import load

    catalog = load(str(content))
    first = prepared_for(case, catalog, case.plugins)
    second = prepared_for(case, catalog, case.plugins)
    pairs = zip(first.outputs, second.outputs, strict=True)
    none(f"{one.path} differs between two emissions" for one, other in pairs if one != other)


def test_caps_are_honoured(case: Case) -> None:
    """Under and at each cap a document is placed as it is; over it, it is fitted or refused."""
    if not caps.applicable(case):
        pytest.skip(f"{case.runtime.id} declares no cap that limits what it places in {case.scope} scope")
    none(caps.faults(case))


def test_caps_hold_on_the_disk(case: Case, box: Machine, tmp_path: Path) -> None:
    """The real command installs what fits, as emitted, and refuses the rest before it writes."""
    here = _on(box, case)
    fitting, refused = caps.for_disk(here)
    if not fitting:
        pytest.skip(f"{case.runtime.id} declares no cap that limits what it places in {case.scope} scope")
    _install(box, case, sample.write_documents(tmp_path / "fitting", fitting))
    none(caps.on_disk(here, fitting))
    before = box.tree()
    for document in refused:
        done = _install(box, case, sample.write_documents(tmp_path / document.id, (document,)), expect=1)
        none(differences(before, box.tree()))
        none([] if document.path in done.err else [f"the refusal does not name {document.path}\n{done.err}"])


def test_every_place_receives_its_text(case: Case, installed_box: Machine) -> None:
    """Each place gets its documents, readable for the host, and no text is lost on the way."""
    data = b"".join(node.content for node in installed_box.tree().values() if node.kind == "file")
    none(installed.faults(_on(installed_box, case), data.decode(errors="replace")))


def test_skills_are_what_every_host_reads(case: Case, installed_box: Machine) -> None:
    here = _on(installed_box, case)
    listed = {
        Path(here.target.resolve(places.folder(place.path) or ".")) for place in here.target.places("skill")
    }
    if not listed:
        pytest.skip(f"{case.runtime.id} has no place for skills in {case.scope} scope")
    for folder in listed:
        files = sorted(path for path in folder.rglob("*") if path.name.lower() == "skill.md")
        none(fault for file in files for fault in skills.faults(file, folder))
        none([] if files else [f"no SKILL.md was installed below {folder}"])


def test_a_second_run_writes_nothing(case: Case, content: Path, installed_box: Machine) -> None:
    box = installed_box
    tree, stamps = box.tree(), file_stamps(box.home)
    _install(box, case, content)
    none([*differences(tree, box.tree()), *rewritten(box.home, stamps)])


def test_check_sees_a_changed_byte(case: Case, content: Path, box: Machine) -> None:
    """`--check` is 0 after an install, 4 as soon as one byte of any place differs, and 0 again after."""
    _install(box, case, content)
    check = ("--scope", case.scope, "--check", "--json")
    box.run(*check)
    here = _on(box, case)
    changed = {file: file.read_bytes() for place in here.places for file in installed.files(here, place)}
    for file, data in changed.items():
        file.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    found = {item["path"] for item in box.run(*check, expect=4).data["drift"]}
    spelled = {file: here.target.spell(str(file)) for file in changed}
    none(f"a changed byte of {path} was not found" for path in spelled.values() if path not in found)
    for file, data in changed.items():
        file.write_bytes(data)
    box.run(*check)


def test_uninstall_leaves_no_trace(case: Case, content: Path, box: Machine) -> None:
    """Names, bytes, modes, links and empty directories are as they were."""
    (box.home / "empty").mkdir(mode=0o750)
    if os.name != "nt":
        (box.home / "link").symlink_to("empty")
    before = box.tree()
    _install(box, case, content)
    if not differences(before, box.tree()):
        pytest.fail("the install wrote nothing", pytrace=False)
    _uninstall(box, case)
    none(differences(before, box.tree()))


@pytest.mark.parametrize("present", [True, False], ids=["files-present", "files-absent"])
def test_files_of_the_user_survive(case: Case, content: Path, box: Machine, *, present: bool) -> None:
    """`--with all` adds entries to the user's files, and uninstall gives the very same bytes back."""
    here = _on(box, case)
    texts = users.write(here) if present else {}
    before = box.tree()
    _install(box, case, content, "--with", "all")
    none(users.faults(here, texts, [sample.HOOK]))
    tree, stamps = box.tree(), file_stamps(box.home)
    _install(box, case, content, "--with", "all")
    none([*differences(tree, box.tree()), *rewritten(box.home, stamps)])
    _uninstall(box, case)
    none(differences(before, box.tree()))


def test_a_link_that_leads_out_is_refused(case: Case, content: Path, tmp_path: Path) -> None:
    """Neither a directory nor a file of any place is written through a link that leaves the scope."""
    for number in range(len(installed.links(case))):
        box = machine(tmp_path / str(number))
        path, is_directory = installed.links(_on(box, case))[number]
        elsewhere = box.outside / "elsewhere"
        elsewhere.mkdir() if is_directory else elsewhere.write_text("mine")
        path.parent.mkdir(parents=True, exist_ok=True)
        link(path, elsewhere)
        before = box.tree()
        done = _install(box, case, content, expect=1)
        none(differences(before, box.tree()))
        if path.name not in done.err or "hint:" not in done.err:
            pytest.fail(f"the refusal does not name {path} or gives no hint\n{done.err}", pytrace=False)


def test_a_dry_run_writes_nothing(case: Case, content: Path, box: Machine) -> None:
    before = box.tree()
    done = _install(box, case, content, "--with", "all", "--dry-run")
    none(differences(before, box.tree()))
    if "create" not in done.out:
        pytest.fail(f"the dry run shows nothing that would be created\n{done.out}", pytrace=False)


def test_variables_move_the_home(plugin: Plugin, content: Path, box: Machine) -> None:
    """Every declared variable moves the runtime's directory; uninstall works without it."""
    usual = Case(Plugins(), Uncapped(), plugin, "global", box.platform())
    moves = installed.moves(usual, box.home / "moved here")
    if not moves or not installed.own_files(usual):
        pytest.skip(f"{plugin.runtime.id} declares no variable that moves what it places")
    for env, own in moves:
        before = box.tree()
        _install(box, usual, content, env=env)
        moved = usual._replace(platform=box.platform()._replace(env=env))
        none(installed.unmoved(installed.own_files(moved), own))
        none(
            f"{file} is written although {env} is set" for file in installed.own_files(usual) if file.exists()
        )
        _uninstall(box, usual)
        none(differences(before, box.tree()))


def test_the_shipped_content_fits(case: Case, box: Machine) -> None:
    """What comes with gsd-install can be installed whole, checked, and taken out."""
    before = box.tree()
    box.run("--runtime", case.runtime.id, "--scope", case.scope, "--profile", "full")
    box.run("--scope", case.scope, "--check")
    _uninstall(box, case)
    none(differences(before, box.tree()))


def _loaded(name: str) -> Plugin:
    try:
        return Plugins().get(name)
    except GsdError as error:
        pytest.fail(str(error), pytrace=False)


def _on(box: Machine, case: Case) -> Case:
    """The case on a machine that has a disk."""
    return case._replace(platform=box.platform())


def _install(
    box: Machine,
    case: Case,
    content: Path,
    *words: str,
    expect: int = 0,
    env: Mapping[str, str] | None = None,
) -> Done:
    selection = ("--runtime", case.runtime.id, "--scope", case.scope, "--content", str(content))
    return box.run(*selection, *words, expect=expect, env=env)


def _uninstall(box: Machine, case: Case) -> None:
    box.run("uninstall", "--scope", case.scope, "--yes")
