"""A bundle with everything in it that some host rejects installs in every runtime, in both scopes."""

from __future__ import annotations

from pathlib import Path

import pytest

from gsd_install.content.catalog import load
from gsd_install.content.model import Catalog
from gsd_install.plugins import Plugins
from gsd_install.testing.skills import faults
from support import foreign, traps

EVERY = [(scope, name) for scope in foreign.SCOPES for name in foreign.runtimes(scope)]
LEFT_ALONE = (
    "Leave ~/.claude.json, ~/.claude-backup/old.md, ~/.claudette/notes and /srv/.claude/x alone.\n"
    "See https://example.test/plan and https://example.test/.claude/skills/tidy/SKILL.md, not /planning or "
    "a/plan.\n"
)


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return load(str(traps.write(tmp_path_factory.mktemp("bundle"))))


@pytest.fixture(scope="module")
def alone(catalog: Catalog) -> dict[tuple[str, str], foreign.Emitted]:
    """What each runtime gets that is asked for alone."""
    return {(scope, name): foreign.emitted(catalog, name, scope=scope) for scope, name in EVERY}


def of_skills(made: foreign.Emitted) -> dict[str, bytes]:
    """The skills of a runtime's own, as folder and file."""
    skills = {
        item.path for item in made.prepared.outputs if item.kind == "skill" and "/SKILL.md" in item.path
    }
    base = foreign.BASES
    return {
        path: data
        for path, data in made.files.items()
        if any(found in skills for found in (f"{base['global']}/{path}", f"{base['project']}/{path}"))
    }


def found_in(folder: Path, skills: dict[str, bytes]) -> list[str]:
    """What the checker of the safe subset says of every skill."""
    said: list[str] = []
    for path, data in skills.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        said += faults(file, file.parent.parent)
    return said


def test_there_is_something_to_try() -> None:
    assert len(EVERY) > 90
    assert {scope for scope, _ in EVERY} == set(foreign.SCOPES)


@pytest.mark.parametrize(("scope", "name"), EVERY)
def test_every_runtime_takes_it_and_reads_every_skill(
    alone: dict[tuple[str, str], foreign.Emitted], tmp_path: Path, scope: str, name: str
) -> None:
    made = alone[scope, name]
    [unit] = made.prepared.units
    assert unit.placed
    runtime = Plugins().get(name).runtime
    skills = of_skills(made)
    if any(place.kind == "skill" and place.scope in (None, scope) for place in runtime.places):
        assert len(skills) >= 18
    assert found_in(tmp_path, skills) == []


@pytest.mark.parametrize(("scope", "name"), EVERY)
def test_what_only_looks_like_a_path_or_a_command_stays(
    alone: dict[tuple[str, str], foreign.Emitted], scope: str, name: str
) -> None:
    made = alone[scope, name]
    texts = [data.decode(errors="replace") for data in made.files.values()]
    held = [text for text in texts if "~/.claudette" in text]
    assert held or not {"command", "skill"} & {kind for kind, _ in made.prepared.units[0].placed}
    for text in held:
        assert LEFT_ALONE in text.replace("\\n", "\n")
        assert "{gsd:path nowhere.md} is text, and so is {{gsd:." in text


@pytest.mark.parametrize("scope", foreign.SCOPES)
def test_all_of_them_together_share_what_they_share(
    catalog: Catalog, alone: dict[tuple[str, str], foreign.Emitted], scope: str
) -> None:
    """Hosts that read one directory of skills find one text there, whoever wrote it."""
    names = [name for where, name in EVERY if where == scope]
    made = foreign.emitted(catalog, *names, scope=scope)
    assert len(made.prepared.units) == len(names)
    shared: dict[str, bytes] = {}
    for name in names:
        for path, data in alone[scope, name].files.items():
            if "/.agents/" in f"/{path}":
                assert shared.setdefault(path, data) == data, path
    assert shared


@pytest.mark.parametrize(
    ("path", "before", "behind", "fault"),
    [
        ("tidy", b'name: "tidy"', b'name: "tidi"', "is not the directory's"),
        ("tidy", b'name: "tidy"', b'name: "Ti_dy"', "is not small letters"),
        ("tidy", b'description: "Tidies"', b'description: ""', "has no description"),
        ("colon", b'description: "foo: bar: ["', b"description: foo: bar: [", "is not YAML"),
        ("bom", b"---\nname", b"\xef\xbb\xbf---\nname", "byte order mark"),
        ("tidy", b"---\nname", b"name", "does not start with a block"),
        ("tidy", b"Tidies", b"Tidi\xe9s", "is not UTF-8"),
    ],
)
def test_a_trap_that_springs_is_seen(
    catalog: Catalog, tmp_path: Path, path: str, before: bytes, behind: bytes, fault: str
) -> None:
    made = foreign.emitted(catalog, "claude")
    skills = of_skills(made)
    file = f".claude/skills/{path}/SKILL.md"
    assert before in skills[file]
    said = found_in(tmp_path, {file: skills[file].replace(before, behind, 1)})
    assert any(fault in line for line in said)


def test_bytes_that_are_no_text_travel_as_they_are(catalog: Catalog) -> None:
    made = foreign.emitted(catalog, "claude", "codex", "gemini")
    for folder in (".claude", ".agents", ".gemini"):
        for path, data in traps.BYTES.items():
            if f"{folder}/{path}" in made.files:
                assert made.files[f"{folder}/{path}"] == data
    assert {f".claude/{path}" for path in traps.BYTES} <= set(made.files)
