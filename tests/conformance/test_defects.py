"""Every check of the suite fails on a runtime with the defect it looks for, and on no sound one."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from conformance import gsd_defects
from support.kit import Session, checks, suite


class Caught(NamedTuple):
    """A defect, the check that must find it, and part of what that check must say."""

    defect: str
    check: str
    says: str


NAMES = "test_names_and_values_are_known"
SOURCES = "test_every_fact_has_a_source"
PLACES = "test_every_place_stays_inside_its_directory"
TEXTS = "test_every_place_receives_its_text"
SKILLS = "test_skills_are_what_every_host_reads"

TABLE = (
    Caught("no-places", "test_the_plugin_keeps_the_contract", "it has no places"),
    Caught("odd-unit", "test_the_plugin_keeps_the_contract", "cap.unit cannot be 'pages'"),
    Caught("unknown-tool", NAMES, "tools names the action 'teleport'"),
    Caught("odd-detect", NAMES, "detect '/usr/bin/sound' is neither"),
    Caught("odd-start", NAMES, "start 'type {comand}' has a placeholder"),
    Caught("odd-cross-reads", NAMES, "cross_reads 'skills/{name}/SKILL.md' is not"),
    Caught("two-formats", NAMES, "settings.json is declared as jsonc and as yaml"),
    Caught("dead-cap", NAMES, "for no reference is placed"),
    Caught("shrunk-name", NAMES, "only a description can be shrunk"),
    Caught("rule-alone", NAMES, "limit the sum, field='chain'"),
    Caught("no-source", SOURCES, "the place 'rules/{name}.md' has no source"),
    Caught("ask-without-source", SOURCES, "the ask 'list' has no source"),
    Caught("no-sources", SOURCES, "Runtime.sources is empty"),
    Caught("odd-date", SOURCES, "is dated 'last week'"),
    Caught("no-such-day", SOURCES, "is dated '2026-02-30'"),
    Caught("dated-unknown", SOURCES, "an unknown source is dated 2026-11-01"),
    Caught("later-day", "test_no_source_is_of_a_later_day", "is dated 2999-01-01, which is later than today"),
    Caught("places-nothing", "test_it_places_something", "no scope has a place"),
    Caught("home-outside", f"{PLACES}-global", "its directory is /etc/sound, which is not inside /home/kit"),
    Caught("windows-outside", f"{PLACES}-global", "on windows its directory is C:\\Users\\sound"),
    Caught("reserved-name", f"{PLACES}-global", "'aux/{name}.md': the name 'aux' is reserved by Windows"),
    Caught("backslash", f"{PLACES}-global", "has a backslash"),
    Caught("name-twice", f"{PLACES}-global", "does not hold {name} exactly once"),
    Caught("flat-skill", f"{PLACES}-global", "a skill is found only as {name}/SKILL.md"),
    Caught("same-path", f"{PLACES}-global", "command and rule are both placed at 'Prompts/{name}.md'"),
    Caught("impure", "test_converters_are_pure-global", "differs between two emissions"),
    Caught("truncating", "test_caps_are_honoured-project", "its form must be leaving text out"),
    Caught("another-each-time", "test_caps_hold_on_the_disk-global", "does not hold what was emitted"),
    Caught("no-body", f"{TEXTS}-global", "the text of its document is not in it"),
    Caught("not-toml", f"{TEXTS}-project", "kit-inspector.toml: it does not parse"),
    Caught("bom-prompt", f"{TEXTS}-global", "it starts with a byte order mark"),
    Caught("unquoted", f"{SKILLS}-global", "'about' is not in quotes"),
    Caught("bom", f"{SKILLS}-global", "it starts with a byte order mark"),
    Caught("unclosed", f"{SKILLS}-project", "it does not start with a block between two --- lines"),
    Caught("broken-yaml", f"{SKILLS}-global", "its frontmatter is not YAML"),
    Caught("no-description", f"{SKILLS}-global", "it has no description"),
    Caught("long-description", f"{SKILLS}-global", "its description has 1025 characters, more than 1024"),
    Caught("other-name", f"{SKILLS}-global", "the name 'other' is not the directory's, 'kit-reading'"),
    Caught("small-letters", f"{SKILLS}-global", "the file is not named SKILL.md"),
    Caught("deep-skill", f"{SKILLS}-global", "it is not exactly one directory deep"),
    Caught("no-skill-file", f"{SKILLS}-global", "no SKILL.md was installed"),
    Caught("another-each-time", "test_a_second_run_writes_nothing-global", "content  home/.sound/prompts/"),
    Caught("healing", "test_check_sees_a_changed_byte-global", "prompts/kit-inspect.md was not found"),
    Caught("litter", "test_uninstall_leaves_no_trace-global", "extra    home/litter"),
    Caught("litter", "test_a_dry_run_writes_nothing-global", "extra    home/litter"),
    Caught("occupied", "test_files_of_the_user_survive-global-files-present", "exit 1, expected 0"),
    Caught(
        "dead-surface",
        "test_files_of_the_user_survive-project-files-absent",
        "nothing came of the surface 'instructions'",
    ),
    Caught(
        "through-link", "test_a_link_that_leads_out_is_refused-global", "extra    outside/elsewhere/litter"
    ),
    Caught("dead-variable", "test_variables_move_the_home", "is not below"),
    Caught("too-small", "test_the_shipped_content_fits-global", "cannot be made to fit 300 bytes"),
)


@pytest.fixture(scope="module")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the defective plugins in it, declared as a distribution declares its own."""
    folder = tmp_path_factory.mktemp("plugins")
    shutil.copy(gsd_defects.__file__, folder)
    info = folder / "gsd_defects-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: gsd-defects\nVersion: 1.0\n")
    names = [f"{name} = gsd_defects.{name}" for name in gsd_defects.DEFECTS]
    (info / "entry_points.txt").write_text("\n".join(["[gsd_install.runtimes]", *names, ""]))
    return folder


@pytest.fixture(scope="module")
def report(plugins: Path, tmp_path_factory: pytest.TempPathFactory) -> Session:
    """One session that runs each check of the table on its defect."""
    runtimes = dict.fromkeys(row.defect for row in TABLE)
    tests = [_test_id(row) for row in TABLE]
    return suite(tmp_path_factory.mktemp("defects"), runtimes=runtimes, tests=tests, plugins=plugins)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row.defect}-{row.check}")
def test_a_defect_is_found(report: Session, row: Caught) -> None:
    found = report.verdicts[_test_id(row)]
    assert found.outcome == "failed", found.message
    assert row.says in found.message


def test_a_sound_runtime_passes_every_check(plugins: Path, tmp_path: Path) -> None:
    session = suite(tmp_path, runtimes=["sound"], plugins=plugins)
    assert session.code == 0, session.output
    assert {verdict.outcome for verdict in session.verdicts.values()} == {"passed"}, session.output
    assert {name.partition("[")[0] for name in session.verdicts} == checks()


def test_every_check_and_every_defect_is_in_the_table() -> None:
    assert {row.check.partition("-")[0] for row in TABLE} == checks()
    assert {row.defect for row in TABLE} == gsd_defects.DEFECTS.keys() - {"sound"}


def _test_id(row: Caught) -> str:
    check, dash, parameters = row.check.partition("-")
    return f"{check}[{row.defect}{dash}{parameters}]"
