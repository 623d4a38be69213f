from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import importlib_metadata
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.utils import canonicalize_name

from gsd_install.declared import GROUP, Declared, declared


def distribution(
    site: Path, folder: str, entry_points: str | None, *, name: str = "", version: str = "1.0"
) -> Path:
    """The metadata of an installed distribution, in `folder` of `site`."""
    metadata = site / folder
    metadata.mkdir(parents=True)
    named = name or folder.partition("-")[0]
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {named}\nVersion: {version}\n")
    if entry_points is not None:
        (metadata / "entry_points.txt").write_text(entry_points, encoding="utf-8")
    return site


def section(*lines: str) -> str:
    return "\n".join((f"[{GROUP}]", *lines, ""))


def oracle(*sites: Path) -> list[tuple[str, str]]:
    """What importlib_metadata finds: names and modules, each distribution once as in a real process."""
    seen: set[str] = set()
    found = []
    for entry in importlib_metadata.distributions(path=[str(site) for site in sites]):
        if canonicalize_name(entry.name) in seen:
            continue
        seen.add(canonicalize_name(entry.name))
        found += [(point.name, point.value) for point in entry.entry_points if point.group == GROUP]
    return sorted(found)


def _bare(found: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Without the extras an entry point may ask for, which only installers look at."""
    return [(name, value.partition("[")[0].strip()) for name, value in found]


def ours(*sites: Path) -> list[tuple[str, str]]:
    return sorted((entry.name, entry.module) for entry in declared([str(site) for site in sites]))


def test_this_environment_agrees_with_importlib_metadata() -> None:
    points = importlib_metadata.entry_points(group=GROUP)
    assert [(entry.name, entry.module) for entry in declared()] == sorted((p.name, p.value) for p in points)
    assert len(declared()) >= 4
    versions = {f"{p.dist.name} {p.dist.version}".replace("-", "_") for p in points if p.dist}
    assert {entry.distribution.replace("-", "_") for entry in declared()} == versions


@pytest.mark.parametrize(
    "folder", ["acme_rt-1.0.dist-info", "acme_rt-1.0-py3.11.egg-info", "acme_rt.egg-info"]
)
def test_each_kind_of_metadata_is_read(tmp_path: Path, folder: str) -> None:
    distribution(tmp_path, folder, section("acme = gsd_acme", "beta = pkg.beta"), name="acme-rt")
    assert ours(tmp_path) == [("acme", "gsd_acme"), ("beta", "pkg.beta")] == oracle(tmp_path)
    assert {entry.distribution.split()[0] for entry in declared([str(tmp_path)])} == {"acme_rt"}


def test_a_distribution_is_named_with_its_version(tmp_path: Path) -> None:
    distribution(tmp_path, "acme_rt-2.5.dist-info", section("acme = gsd_acme"))
    distribution(tmp_path, "old_rt-1.0-py3.11.egg-info", section("old = gsd_old"))
    assert declared([str(tmp_path)]) == (
        Declared("acme", "gsd_acme", "acme_rt 2.5"),
        Declared("old", "gsd_old", "old_rt 1.0"),
    )


def test_the_first_of_two_distributions_of_one_name_shadows_the_other(tmp_path: Path) -> None:
    first = distribution(tmp_path / "a", "Acme.RT-1.0.dist-info", section("acme = first"))
    second = distribution(tmp_path / "b", "acme__rt-2.0.dist-info", section("acme = second", "more = second"))
    assert ours(first, second) == [("acme", "first")] == oracle(first, second)
    assert ours(second, first) == [("acme", "second"), ("more", "second")] == oracle(second, first)


def test_a_distribution_that_shadows_with_no_plugin_at_all_hides_the_plugin(tmp_path: Path) -> None:
    first = distribution(tmp_path / "a", "acme-1.0.dist-info", None)
    second = distribution(tmp_path / "b", "acme-2.0.dist-info", section("acme = second"))
    assert ours(first, second) == [] == oracle(first, second)


def test_two_distributions_that_declare_one_name_are_both_seen(tmp_path: Path) -> None:
    distribution(tmp_path, "one-1.0.dist-info", section("acme = one"))
    distribution(tmp_path, "two-1.0.dist-info", section("acme = two"))
    assert ours(tmp_path) == [("acme", "one"), ("acme", "two")] == oracle(tmp_path)


@pytest.mark.parametrize("name", ["site.zip", "acme.whl", "acme-1.0-py3.11.egg"])
def test_a_zipped_distribution_is_read(tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(tmp_path / name, "w") as archive:
        info = "EGG-INFO" if name.endswith(".egg") else "acme-1.0.dist-info"
        meta = "PKG-INFO" if name.endswith(".egg") else "METADATA"
        archive.writestr(f"{info}/{meta}", "Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
        archive.writestr(f"{info}/entry_points.txt", section("acme = gsd_acme"))
    assert declared([str(tmp_path / name)]) == (Declared("acme", "gsd_acme", "acme 1.0"),)


def test_an_unpacked_egg_is_read(tmp_path: Path) -> None:
    egg = tmp_path / "acme-1.0-py3.11.egg"
    (egg / "EGG-INFO").mkdir(parents=True)
    (egg / "EGG-INFO" / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (egg / "EGG-INFO" / "entry_points.txt").write_text(section("acme = gsd_acme"))
    assert ours(egg) == [("acme", "gsd_acme")] == oracle(egg)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[console_scripts]\nacme = gsd_acme:main\n",
        section("acme=gsd_acme", "  beta   =   pkg.beta  "),
        section("# acme = no", "", "beta = pkg"),
        section("acme = gsd_acme [extra]"),
        f"[other]\nx = y\n\n{section('acme = gsd_acme')}\n[third]\nz = w\n",
        f"[{GROUP}.more]\nx = y\n",
        f"# [{GROUP}]\nx = y\n",
        section("acme = gsd_acme").replace("\n", "\r\n"),
        section("windsurf.acme = rules"),
        f"[{GROUP}]\n[{GROUP}]\na = b\n",
    ],
)
def test_entry_points_are_read_as_importlib_metadata_reads_them(tmp_path: Path, text: str) -> None:
    distribution(tmp_path, "acme-1.0.dist-info", text)
    assert ours(tmp_path) == _bare(oracle(tmp_path))


@pytest.mark.case("PL-03")
def test_a_declared_module_need_not_exist_to_be_listed(tmp_path: Path) -> None:
    distribution(tmp_path, "gone_rt-1.0.dist-info", section("gone = gone_rt:plugin"), name="gone-rt")
    assert declared([str(tmp_path)]) == (Declared("gone", "gone_rt:plugin", "gone_rt 1.0"),)


def test_what_pip_left_behind_when_it_was_interrupted_declares_nothing(tmp_path: Path) -> None:
    distribution(tmp_path, "~cme-1.0.dist-info", section("acme = gsd_acme"), name="acme")
    distribution(tmp_path, "acme-2.0.dist-info", section("acme = gsd_acme"))
    assert declared([str(tmp_path)]) == (Declared("acme", "gsd_acme", "acme 2.0"),)


def test_damage_in_other_distributions_hides_no_plugin(tmp_path: Path) -> None:
    distribution(tmp_path, "acme-1.0.dist-info", section("a line of no meaning", "acme = gsd_acme"))
    (tmp_path / "broken-1.0.dist-info").mkdir()
    (tmp_path / "broken-1.0.dist-info" / "entry_points.txt").write_bytes(b"[x]\n\xff = \xfe\n")
    (tmp_path / "file-1.0.egg-info").write_text("Name: file\n")
    (tmp_path / "odd-1.0.dist-info").mkdir()
    (tmp_path / "odd-1.0.dist-info" / "entry_points.txt").mkdir()
    (tmp_path / "text").write_text("no archive")
    found = declared([str(tmp_path / "nowhere"), str(tmp_path / "text"), str(tmp_path), str(tmp_path)])
    assert found == (Declared("acme", "gsd_acme", "acme 1.0"),)


def test_an_archive_without_metadata_declares_nothing(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("acme-1.0.dist-info/entry_points.txt", section("acme = gsd_acme"))
    assert declared([str(tmp_path / "x.zip")]) == ()


def test_the_current_directory_counts_where_python_looks_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distribution(tmp_path, "acme-1.0.dist-info", section("acme = gsd_acme"))
    monkeypatch.chdir(tmp_path)
    assert declared([""]) == (Declared("acme", "gsd_acme", "acme 1.0"),)


def test_the_order_is_that_of_the_names(tmp_path: Path) -> None:
    for site, name in (("b", "zeta"), ("a", "alpha"), ("c", "mid")):
        distribution(tmp_path / site, f"{name}-1.0.dist-info", section(f"{name} = m", f"{name}.x = n"))
    found = [entry.name for entry in declared([str(tmp_path / site) for site in "bac"])]
    assert found == ["alpha", "alpha.x", "mid", "mid.x", "zeta", "zeta.x"]


def test_looking_imports_neither_a_plugin_nor_importlib_metadata() -> None:
    code = "import sys; from gsd_install.declared import declared; assert declared(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = set(done.stdout.split())
    assert "gsd_install.declared" in modules
    assert not [
        name
        for name in modules
        if name.startswith(("gsd_runtimes", "importlib_metadata", "pluggy", "zipfile"))
    ]


SITES = st.lists(
    st.tuples(
        st.sampled_from(["a", "b"]),
        st.sampled_from(["acme", "Acme", "ac-me", "ac.me", "ac_me"]),
        st.sampled_from(["1.0", "2.0"]),
        st.lists(
            st.sampled_from(["x = m", "y=n", "# z = o", "[other]", f"[{GROUP}]", "", "x.y = p [e]"]),
            max_size=5,
        ),
    ),
    max_size=4,
    unique_by=lambda row: (row[0], canonicalize_name(row[1])),
)


@given(SITES)
@settings(max_examples=80)
def test_any_pair_of_sites_is_read_as_importlib_metadata_reads_it(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str, list[str]]]
) -> None:
    folder = tmp_path_factory.mktemp("sites")
    for site, name, version, lines in rows:
        distribution(
            folder / site, f"{name.replace('-', '_')}-{version}.dist-info", section(*lines), name=name
        )
    sites = [folder / "a", folder / "b"]
    assert ours(*sites) == _bare(oracle(*sites))
