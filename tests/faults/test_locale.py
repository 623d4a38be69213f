"""Reading and writing do not depend on the locale."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from faults import driver
from faults.injector import DRIVER
from gsd_install.apply.drift import check
from gsd_install.testing.trees import assert_same, snapshot

PLAIN = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.case("EN-03")
@pytest.mark.parametrize("plain_first", [True, False])
def test_a_home_with_an_umlaut_under_the_c_locale(tmp_path: Path, plain_first: bool) -> None:
    home = tmp_path / "Jörg 計画"
    home.mkdir()
    driver.user_files(str(home))
    before = snapshot(home)

    def run(action: str, *, plain: bool) -> None:
        env = os.environ | (PLAIN if plain else {"PYTHONUTF8": "1"})
        command = [sys.executable, "-B", str(DRIVER), str(home), action]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    run("install", plain=plain_first)
    assert check(driver.location(str(home))) == ()
    run("upgrade", plain=not plain_first)
    assert check(driver.location(str(home))) == ()
    run("uninstall", plain=plain_first)
    assert_same(before, snapshot(home))
