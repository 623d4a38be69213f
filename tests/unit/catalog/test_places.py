"""Where the server looks for what it serves, and what a capability says of its server."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from gsd_capabilities.catalog import main
from gsd_install.content.capability import capability
from gsd_install.content.feature import Server, packed, unpacked
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.payload import payload


def options(**given: str) -> argparse.Namespace:
    return argparse.Namespace(**({"content": "", "payload": "", "scope": "", "cwd": ""} | given))


def manifest(folder: Path) -> str:
    """A payload root that looks installed."""
    (folder / "gsd").mkdir(parents=True)
    (folder / "gsd" / "companion.json").write_text("{}", encoding="utf-8")
    return str(folder)


def test_the_payload_of_the_project_goes_first_then_that_of_the_home(tmp_path: Path) -> None:
    project = tmp_path / "home" / "code"
    (project / "inner").mkdir(parents=True)
    environ = {"HOME": str(tmp_path / "home")}
    everywhere = str(tmp_path / "home" / ".gsd")

    def found(**given: str) -> tuple[str, str]:
        places = main.places(options(**given), str(project / "inner"), environ)
        return places.payload, places.shown

    assert found() == found(scope="global") == (everywhere, "~/.gsd")
    (project / ".planning").mkdir()
    assert found(scope="project") == (str(project / ".gsd"), ".gsd")
    manifest(tmp_path / "home" / ".gsd")
    assert found() == (everywhere, "~/.gsd")
    local = manifest(project / ".gsd")
    assert found() == found(scope="project") == (local, ".gsd")
    assert found(scope="global") == (everywhere, "~/.gsd")
    assert found(payload="x") == (str(project / "inner" / "x"), "~/code/inner/x")
    assert found(payload="/srv/gsd") == ("/srv/gsd", "/srv/gsd")


def test_a_payload_elsewhere_is_written_absolute_or_below_the_home(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "GSD_HOME": "/srv/gsd"}
    places = main.places(options(scope="global"), str(tmp_path), environ)
    assert (places.payload, places.shown) == ("/srv/gsd", "/srv/gsd")
    inside = main.places(options(scope="global"), str(tmp_path), environ | {"GSD_HOME": f"{tmp_path}/g"})
    assert inside.shown == "~/g"
    nowhere = main.places(options(scope="global"), str(tmp_path), {})
    assert (nowhere.payload, nowhere.shown) == ("", "")


def test_another_content_and_another_folder_are_named(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    places = main.places(options(content="acme", cwd="work"), str(tmp_path), {})
    assert (places.content, places.cwd) == (str(tmp_path / "acme"), str(tmp_path / "work"))
    with pytest.raises(UsageError, match="there is no such folder"):
        main.places(options(cwd="nowhere"), str(tmp_path), {})


def test_the_shipped_content_comes_with_what_capabilities_bring() -> None:
    catalog = main._loaded(main.shipped())
    assert catalog.id == "gsd"
    assert {feature.said.id for feature in catalog.features}
    assert all(Path(catalog.at(document.path)).is_file() for document in catalog.documents)


TOML = (
    b'id = "acme"\ntitle = "Acme"\n'
    b'[payload.server]\nscript = "acme-server"\nneeds = "acme_sdk"\nextra = "sdk"\n'
)


def test_a_capability_says_what_serves() -> None:
    said = capability(TOML, file="capability.toml")
    assert said.server == Server("acme-server", "acme_sdk", "sdk")
    assert unpacked(json.loads(json.dumps(packed(said)))) == said
    assert unpacked(json.loads(json.dumps(packed(said._replace(server=None))))).server is None


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b'"acme-server"', b'"../x"', "script cannot be"),
        (b"needs", b"want", "no key 'want'"),
        (b'"acme_sdk"', b'"not a package"', "needs cannot be"),
        (b'extra = "sdk"\n', b"", "extra cannot be None"),
        (b"[payload.server]", b"[payload]\nserver = 3\n[other]", "other"),
    ],
)
def test_a_server_that_is_not_described_as_it_must_be_is_refused(old: bytes, new: bytes, said: str) -> None:
    with pytest.raises(GsdError, match=said):
        capability(TOML.replace(old, new), file="capability.toml")


def test_ours_is_what_the_installer_finds() -> None:
    found = payload()
    assert found.server == Server("gsd-mcp-server", "mcp", "mcp")
    assert found.distribution == "gsd-install"
