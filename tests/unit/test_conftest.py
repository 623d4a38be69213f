"""The guard on the real home and the marks in the report, seen in small pytest sessions of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

CONFTEST = Path(__file__).resolve().parents[1] / "conftest.py"

OFFENCES = """
import os
from pathlib import Path

import pytest

REAL = Path({home!r})


def write_text():
    (REAL / "new").write_text("x")


def append():
    with open(REAL / ".claude" / "settings.json", "a") as file:
        file.write("x")


def low_level_open():
    os.close(os.open(bytes(REAL / "new"), os.O_WRONLY | os.O_CREAT))


def mkdir():
    (REAL / ".codex").mkdir()


def mkdir_relative_to_a_descriptor():
    folder = os.open(REAL, os.O_RDONLY)
    try:
        os.mkdir(".codex", dir_fd=folder)
    finally:
        os.close(folder)


def remove():
    os.remove(REAL / ".claude" / "settings.json")


def rmdir():
    os.rmdir(REAL / "empty")


def rename_away(tmp_path):
    os.rename(REAL / ".claude", tmp_path / "stolen")


def replace_into(tmp_path):
    (tmp_path / "mine").write_text("x")
    os.replace(tmp_path / "mine", REAL / "new")


def symlink():
    os.symlink("/nowhere", REAL / "new")


def chmod():
    os.chmod(REAL / ".claude" / "settings.json", 0o600)


def through_a_link(tmp_path):
    (tmp_path / "link").symlink_to(REAL)
    (tmp_path / "link" / "new").write_text("x")


def through_a_link_to_a_file(tmp_path):
    (tmp_path / "link").symlink_to(REAL / ".claude" / "settings.json")
    (tmp_path / "link").write_text("x")


def past_a_handler_of_errors():
    try:
        mkdir()
    except Exception:
        raise AssertionError("swallowed")


def past_a_handler_of_everything():
    try:
        mkdir()
    except BaseException:
        pass


@pytest.mark.parametrize("name", {names!r})
def test_offence(name, tmp_path):
    act = globals()[name]
    act(tmp_path) if act.__code__.co_argcount else act()
"""
OFFENCE_NAMES = [line[4 : line.index("(")] for line in OFFENCES.splitlines() if line.startswith("def ")][:-1]

HARMLESS = """
import os
import subprocess
import sys
from pathlib import Path

REAL = Path({home!r})


def test_reading(tmp_path):
    assert (REAL / ".claude" / "settings.json").read_text() == "{{}}"
    assert sorted(os.listdir(REAL)) == [".cache", ".claude", ".config", "empty"]


def test_the_home_of_this_run():
    home = Path.home()
    assert home != REAL
    assert os.environ["USERPROFILE"] == str(home)
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text("x")
    (home / ".claude" / "settings.json").unlink()


def test_variables_that_lead_to_real_files_are_gone():
    assert "CODEX_HOME" not in os.environ
    assert "CLAUDE_CONFIG_DIR" not in os.environ
    assert "XDG_CONFIG_HOME" not in os.environ
    assert "GSD_HOME" not in os.environ
    assert os.environ["PATH"]


def test_a_child_sees_the_same_home():
    code = "import os; print(os.path.expanduser('~'))"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert child.stdout.strip() == str(Path.home())


def test_the_caches_and_the_index_of_package_tools_stay_in_use():
    cache = Path(os.environ["PIP_CACHE_DIR"])
    assert cache == REAL / ".cache" / "pip"
    (cache / "wheel").write_text("x")
    (cache / "wheel").unlink()
    assert Path(os.environ["PIP_CONFIG_FILE"]) == REAL / ".config" / "pip" / "pip.conf"
    assert "UV_CACHE_DIR" not in os.environ


def test_the_checkout_and_byte_code():
    (Path(__file__).parent / "written").write_text("x")
    (REAL / "__pycache__").mkdir()
    (REAL / "__pycache__").rmdir()
"""

MARKED = """
import pytest


@pytest.mark.req("R-1", "R-2")
@pytest.mark.case("CS-01")
class TestClass:
    @pytest.mark.req("R-1", "R-3")
    def test_passes(self):
        pass


@pytest.mark.case("CS-02")
@pytest.mark.parametrize("number", [1, 2])
def test_number(number):
    assert number == 1


@pytest.mark.case("CS-03")
@pytest.mark.skip
def test_skipped():
    pass


@pytest.mark.case("CS-04")
def test_deselected():
    pass
"""


class Session:
    """A checkout with our conftest and one test module, a home that counts as real, and its report."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.tests = root / "checkout" / "tests"
        self.report_path = root / "report.xml"
        self.tests.mkdir(parents=True)
        (root / "tmp").mkdir()
        (self.home / ".claude").mkdir(parents=True)
        (self.home / "empty").mkdir()
        (self.home / ".cache" / "pip").mkdir(parents=True)
        (self.home / ".config" / "pip").mkdir(parents=True)
        (self.home / ".config" / "pip" / "pip.conf").write_text("[global]\n")
        (self.home / ".claude" / "settings.json").write_text("{}")
        (self.tests.parent / "pytest.ini").write_text("[pytest]\nmarkers =\n  req\n  case\n")
        shutil.copy(CONFTEST, self.tests)
        self.environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "TMPDIR": str(root / "tmp"),
            "CODEX_HOME": str(self.home / ".codex"),
            "CLAUDE_CONFIG_DIR": str(self.home / ".claude"),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "GSD_HOME": str(self.home / ".gsd"),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        }

    def run(self, module: str, *options: str) -> subprocess.CompletedProcess[str]:
        (self.tests / "test_it.py").write_text(module)
        command = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--junitxml={self.report_path}")
        return subprocess.run(
            [*command, *options],
            cwd=self.tests.parent,
            env=self.environ,
            capture_output=True,
            text=True,
            check=False,
        )

    def outcomes(self) -> dict[str, str]:
        """Name of each test to what its report says against it."""
        return {case.get("name", ""): _against(case) for case in _cases(self.report_path)}

    def properties(self) -> dict[str, list[tuple[str, str]]]:
        return {
            case.get("name", ""): [(p.get("name", ""), p.get("value", "")) for p in case.iter("property")]
            for case in _cases(self.report_path)
        }


def _cases(report: Path) -> list[ET.Element]:
    return list(ET.parse(report).getroot().iter("testcase"))


def _against(case: ET.Element) -> str:
    return " ".join(child.get("message", "") for child in case if child.tag in {"failure", "error"})


def tree(root: Path) -> Mapping[str, tuple[int, bytes]]:
    return {
        path.relative_to(root).as_posix(): (
            path.lstat().st_mode,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted(root.rglob("*"))
    }


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="links and descriptors of folders are for POSIX")
def test_whatever_changes_the_real_home_fails_and_changes_nothing(session: Session) -> None:
    before = tree(session.home)
    result = session.run(OFFENCES.format(home=str(session.home), names=OFFENCE_NAMES))
    assert result.returncode == 1, result.stdout
    outcomes = session.outcomes()
    assert len(_cases(session.report_path)) == len(OFFENCE_NAMES)
    assert set(outcomes) == {f"test_offence[{name}]" for name in OFFENCE_NAMES}
    unnoticed = [name for name, said in outcomes.items() if "a test touched the real home" not in said]
    assert unnoticed == []
    assert "AssertionError: swallowed" not in result.stdout
    assert tree(session.home) == before


def test_touching_the_real_home_while_collecting_fails(session: Session) -> None:
    before = tree(session.home)
    result = session.run(f"open({str(session.home / 'new')!r}, 'w')\n\n\ndef test_it(): pass\n")
    assert result.returncode != 0
    assert "a test touched the real home" in result.stdout + result.stderr
    assert tree(session.home) == before


def test_what_is_allowed_passes(session: Session) -> None:
    before = tree(session.home)
    result = session.run(HARMLESS.format(home=str(session.home)))
    assert result.returncode == 0, result.stdout
    assert len(session.outcomes()) == 6
    assert tree(session.home) == before
    assert list(Path(session.environ["TMPDIR"]).glob("gsd-tests-home-*")) == []


def test_a_worker_still_guards_the_home_that_the_run_started_with(session: Session) -> None:
    module = OFFENCES.format(home=str(session.home), names=["mkdir"])
    result = session.run(module, "-p", "xdist", "-n", "1")
    assert result.returncode == 1, result.stdout
    assert "a test touched the real home" in session.outcomes()["test_offence[mkdir]"]
    assert not (session.home / ".codex").exists()


@pytest.mark.parametrize("options", [(), ("-p", "xdist", "-n", "1")], ids=["alone", "xdist"])
def test_the_report_holds_the_ids_of_the_marks(session: Session, options: tuple[str, ...]) -> None:
    session.run(MARKED, "-k", "not deselected", *options)
    assert session.properties() == {
        "test_passes": [("req", "R-1"), ("req", "R-3"), ("req", "R-2"), ("case", "CS-01")],
        "test_number[1]": [("case", "CS-02")],
        "test_number[2]": [("case", "CS-02")],
        "test_skipped": [("case", "CS-03")],
    }
    assert session.outcomes()["test_number[1]"] == ""
    assert session.outcomes()["test_number[2]"] != ""


@pytest.mark.parametrize("arguments", ["", "1", "'R-1', text='x'"])
def test_a_mark_without_a_proper_id_stops_the_run(session: Session, arguments: str) -> None:
    result = session.run(f"import pytest\n\n\n@pytest.mark.req({arguments})\ndef test_it(): pass\n")
    assert result.returncode == pytest.ExitCode.USAGE_ERROR
    assert "@pytest.mark.req takes one id or more, as strings" in result.stdout + result.stderr
