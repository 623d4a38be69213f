"""Which capabilities are declared, which of them go together, and how the others are named."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from gsd_install.contents import Content, brought, open_contents
from gsd_install.declared import Declared
from gsd_install.gathering import PACKED, Gathered, gather_capabilities
from gsd_install.payload import pack, payload
from gsd_install.shipped import shipped_root
from support.capabilities import CORE, RESEARCH_FILES, bare, write
from support.content import LINUX, content_root


class Site:
    """A folder of `sys.path` with the package `acme_caps`, one capability in each of its packages."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "acme_caps"
        write(self.folder, {"__init__.py": ""})
        self.entries: list[Declared] = []

    def add(self, name: str, files: Mapping[str, str], distribution: str = "acme 1.0") -> Site:
        package = f"{name}_{len(self.entries)}"
        write(self.folder / package, {"__init__.py": "", **files})
        self.entries.append(Declared(name, f"acme_caps.{package}", distribution))
        return self

    def gathered(self) -> Gathered:
        return gather_capabilities(self.entries)

    def pack(self) -> None:
        (self.folder / PACKED).write_bytes(pack([(entry.name, entry.module) for entry in self.entries]))


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    monkeypatch.syspath_prepend(tmp_path / "site")
    return Site(tmp_path / "site")


def names(found: Gathered) -> list[str]:
    return [item.said.id for item in found.brought]


def test_features_come_with_their_content_and_nothing_else_of_the_package(site: Site) -> None:
    files = {**RESEARCH_FILES, "code.py": "x = 1\n", "data/x.json": "{}"}
    [feature] = site.add("research", files).gathered().features
    assert [file.path for file in feature.files] == ["agents/researcher.md", "references/research/how.md"]


def test_what_brings_code_only_is_no_feature(site: Site) -> None:
    text = 'id = "tool"\ntitle = "Tool"\n[payload]\npackages = ["acme_caps.tool_0"]\n'
    found = site.add("tool", {"capability.toml": text, "references/x.md": "not looked at"}).gathered()
    assert found.features == ()
    assert found.signature() == []
    assert "acme_caps/tool_0/__init__.py" in dict(payload(gathered=found).code.files)


@pytest.mark.parametrize(
    ("files", "word"),
    [
        ({"capability.toml": "id ="}, "not TOML"),
        ({"capability.toml": bare("other")}, "its id is 'other'"),
        ({"capability.toml": bare("bad", requires='["gone"]')}, "'gone', which is not installed"),
        ({"capability.toml": bare("bad"), "rules/x.md": "x"}, "no rules/"),
        ({"capability.toml": bare("bad"), "hooks/hooks.toml": ""}, "no hooks/"),
    ],
)
def test_a_malformed_one_is_named_with_its_distribution(
    site: Site, files: Mapping[str, str], word: str
) -> None:
    found = site.add("bad", files, "acme 1.0").add("good", {"capability.toml": bare("good")}).gathered()
    assert names(found) == ["good"]
    [problem] = found.problems
    assert problem.startswith("the capability 'bad' of acme 1.0 is left out: ")
    assert word in problem


def test_a_package_that_is_not_there_is_named(site: Site) -> None:
    site.entries.append(Declared("lost", "acme_caps.lost", "acme 1.0"))
    assert "there is no package acme_caps.lost" in site.gathered().problems[0]


def test_of_two_with_one_id_the_first_stays(site: Site) -> None:
    site.add("one", {"capability.toml": bare("one")}, "acme 1.0")
    found = site.add("one", {"capability.toml": bare("one")}, "twin 2.0").gathered()
    assert names(found) == ["one"]
    assert "of twin 2.0 is left out: acme 1.0 brings one of this id already" in found.problems[0]


def test_what_requires_one_that_is_left_out_is_left_out(site: Site) -> None:
    site.add("bad", {"capability.toml": "id ="}).add(
        "user", {"capability.toml": bare("user", requires='["bad"]')}
    )
    found = site.gathered()
    assert names(found) == []
    assert "'bad', which is left out itself" in found.problems[1]
    assert Gathered().without(["x"]) == Gathered()


def test_code_of_a_capability_goes_with_its_content(site: Site, tmp_path: Path) -> None:
    code = '\n[payload]\npackages = ["acme_caps.{}"]\n'
    broken = {
        "capability.toml": bare("a", code.format("a_0")),
        "references/x.md": "{gsd:path references/gone.md}",
    }
    user = {"capability.toml": bare("b", code.format("b_1"), requires='["a"]', role='"support"')}
    found = site.add("a", broken).add("b", user).add("c", {"capability.toml": bare("c")}).gathered()
    content = Content(str(content_root(tmp_path / "core", CORE)), gathered=found)
    assert names(brought([content])) == ["c"]
    [problem] = content.problems
    assert "the capability 'a' of acme 1.0 is left out" in problem
    assert payload(gathered=brought([content])).code.files == ()


# --- packed -------------------------------------------------------------------------------------------


def test_a_pack_is_read_for_the_very_same_manifest(site: Site) -> None:
    site.add("research", RESEARCH_FILES).pack()
    stored = json.loads((site.folder / PACKED).read_text(encoding="utf-8"))
    stored["research"][1]["title"] = "From the pack"
    (site.folder / PACKED).write_text(json.dumps(stored), encoding="utf-8")
    assert site.gathered().brought[0].said.title == "From the pack"
    manifest = site.folder / "research_0" / "capability.toml"
    manifest.write_text(RESEARCH_FILES["capability.toml"] + "\n", encoding="utf-8")
    assert site.gathered().brought[0].said.title == "Research before planning"


def test_whether_they_go_together_is_asked_again_when_another_one_comes(site: Site) -> None:
    site.add("research", RESEARCH_FILES).pack()
    twin = '[config."workflow.research"]\ntype = "boolean"\ndefault = true\nmeaning = "m"\n'
    found = site.add("zeta", {"capability.toml": bare("zeta", twin)}).gathered()
    assert names(found) == ["research"]
    assert "clashes" in found.problems[0]


def test_the_signature_changes_with_manifest_and_content(site: Site) -> None:
    before = site.add("research", RESEARCH_FILES).gathered().signature()
    assert site.gathered().signature() == before
    (site.folder / "research_0" / "references" / "research" / "how.md").write_text(
        "Longer than before: look, look.\n"
    )
    changed = site.gathered().signature()
    assert changed != before
    manifest = site.folder / "research_0" / "capability.toml"
    manifest.write_text(RESEARCH_FILES["capability.toml"].replace("true", "false"), encoding="utf-8")
    assert site.gathered().signature() != changed


# --- which content they join --------------------------------------------------------------------------


def test_only_the_shipped_content_gets_features(tmp_path: Path) -> None:
    foreign = str(content_root(tmp_path / "foreign", CORE))
    [content] = open_contents([foreign], LINUX)
    assert content.gathered is None
    assert content.catalog.features == ()
    [shipped] = open_contents([shipped_root()], LINUX)
    assert shipped.gathered is not None
    assert len(shipped.catalog.features) >= 7
