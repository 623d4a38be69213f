"""Fetch the hosts from their registries into a folder of their own; nothing is installed system-wide.

python -m support.hosts.fetching HOST...
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from support.hosts.table import BY_ID, NODE, Host


class UnreachableError(Exception):
    """The registry cannot be reached, so there is nothing to witness."""


def folder() -> Path:
    """Where fetched hosts are kept between runs: `GSD_HOSTS`, else below the temporary directory."""
    import tempfile

    named = os.environ.get("GSD_HOSTS")
    return Path(named) if named else Path(tempfile.gettempdir()) / f"gsd-hosts-{os.getuid()}"


def node() -> Path:
    """The folder of the fetched node's program. Raises UnreachableError."""
    return _package("node", f"{NODE[0]}@{NODE[1]}", "") / "node_modules" / "node" / "bin"


def fetch(host: Host) -> Path:
    """The program of a host. Raises UnreachableError, or CalledProcessError where npm fails otherwise."""
    if host.registry == "pypi":
        return _from_pypi(host)
    search = str(node()) if host.newer_node else ""
    root = _package(host.id, f"{host.package}@{host.version}", search)
    return root / "node_modules" / (host.binary if "/" in host.binary else f".bin/{host.binary}")


def _package(name: str, spec: str, search: str) -> Path:
    root = folder() / name
    done = root / "fetched"
    if done.is_file() and done.read_text(encoding="utf-8") == spec:
        return root
    if shutil.which("npm") is None:
        raise UnreachableError("npm is not on this machine")
    root.mkdir(parents=True, exist_ok=True)
    (root / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    path = os.environ["PATH"]
    command = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", spec]
    environ = {**os.environ, "PATH": f"{search}{os.pathsep}{path}" if search else path}
    ran = subprocess.run(command, cwd=root, env=environ, capture_output=True, text=True, timeout=600)
    if ran.returncode:
        if any(sign in ran.stderr for sign in ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ETIMEDOUT")):
            raise UnreachableError(ran.stderr.strip().splitlines()[-1])
        raise RuntimeError(f"npm install {spec} failed:\n{ran.stderr}")
    done.write_text(spec, encoding="utf-8")
    return root


def _from_pypi(host: Host) -> Path:
    root, spec = folder() / host.id, f"{host.package}=={host.version}"
    done = root / "fetched"
    if not (done.is_file() and done.read_text(encoding="utf-8") == spec):
        subprocess.run([_python(host.python), "-m", "venv", "--clear", str(root)], check=True)
        command = [str(root / "bin" / "pip"), "install", "--quiet", spec]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=900)
        if ran.returncode:
            raise UnreachableError(ran.stderr.strip().splitlines()[-1])
        done.write_text(spec, encoding="utf-8")
    return root / "bin" / host.binary


def _python(oldest: tuple[int, int]) -> str:
    """A Python of at least this version: this one, one on the path, or one that pyenv holds."""
    names = [f"python3.{minor}" for minor in range(14, 10, -1)]
    versions = sorted(Path.home().glob(".pyenv/versions/3.1*/bin/python3"))
    found = [sys.executable, *filter(None, map(shutil.which, names)), *map(str, versions)]
    for python in found:
        asked = subprocess.run(
            [python, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True
        )
        if asked.returncode == 0 and tuple(map(int, asked.stdout.split())) >= oldest:
            return python
    raise UnreachableError(f"no Python {oldest[0]}.{oldest[1]} or newer is on this machine")


def main() -> int:
    """Fetch some hosts ahead of the tests; 1 when one of them cannot be had, which the tests then say too."""
    missed = 0
    for name in sys.argv[1:]:
        try:
            print(fetch(BY_ID[name]), flush=True)
        except (UnreachableError, RuntimeError, subprocess.SubprocessError) as error:
            print(f"{name}: {error}", flush=True)
            missed = 1
    return missed


if __name__ == "__main__":
    sys.exit(main())
