"""The project in docs/plugin-template, built and installed beside our wheel as a stranger would do it."""

from __future__ import annotations

import json
import os
import shutil
import venv
from pathlib import Path

import pytest

from support.kit import checks, session
from support.venvs import ROOT, run

TEMPLATE = ROOT / "docs" / "plugin-template"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the template."""
    return Path(shutil.copytree(TEMPLATE, tmp_path_factory.mktemp("template") / "gsd-acme"))


@pytest.fixture(scope="module")
def python(project: Path, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a virtual environment that holds our wheel, pytest and the template."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, with_pip=True, symlinks=os.name != "nt")
    found = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    _pip(found, f"{wheel}[testing]", project)
    return found


def test_the_template_passes_the_whole_suite(project: Path, python: Path) -> None:
    done = session(project, python=python)
    assert done.code == 0, done.output
    assert {verdict.outcome for verdict in done.verdicts.values()} == {"passed"}, done.output
    assert {name.partition("[")[0] for name in done.verdicts} == checks()
    assert all("[acme" in name for name in done.verdicts)


def test_its_tests_fail_when_a_fact_is_wrong(project: Path, python: Path) -> None:
    program = "import gsd_acme; print(gsd_acme.__file__)"
    module = Path(run(python, "-P", "-c", program).strip())
    text = module.read_text(encoding="utf-8")
    module.write_text(text.replace('date="2026-11-01"', 'date="2999-01-01"'), encoding="utf-8")
    try:
        done = session(project, "-k", "source", python=python)
    finally:
        module.write_text(text, encoding="utf-8")
    assert done.code == 1
    assert "dated 2999-01-01" in done.verdicts["test_no_source_is_of_a_later_day[acme]"].message


def test_a_copy_with_another_name_is_another_runtime(python: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(TEMPLATE, tmp_path / "gsd-zephyr"))
    (copy / "src" / "gsd_acme.py").rename(copy / "src" / "gsd_zephyr.py")
    for file in (path for path in copy.rglob("*") if path.is_file()):
        text = file.read_text(encoding="utf-8")
        for old in ("acme", "Acme", "ACME"):
            text = text.replace(old, _cased("zephyr", old))
        file.write_text(text, encoding="utf-8")
    _pip(python, copy)
    rows = json.loads(run(python, "-m", "gsd_install", "runtimes", "--json", "--home", tmp_path))["data"][
        "runtimes"
    ]
    assert {row["id"] for row in rows if row["usable"]} >= {"acme", "zephyr"}
    done = session(copy, "-k", "contract or source or place", python=python)
    assert done.code == 0, done.output


def _cased(name: str, like: str) -> str:
    return name.upper() if like.isupper() else name.title() if like.istitle() else name


def _pip(python: Path, *what: object) -> None:
    run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *what)
