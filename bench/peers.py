"""The field's npm tools, installed by name from the registry and timed doing the same kind of job."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from measuring import environment, run, table

# Exact versions: with an old node on the machine, npm silently installs an old release of a newer package.
CORE = "@opengsd/gsd-core"
PACKAGES = ("node@24", f"{CORE}@1.14.0", "skills@1.7.4", "rulesync@17.0.0")
SKILLS = 30
ALL = "all"
# https://github.com/open-gsd/gsd-core, capabilities/ at 1.14.0: what `--all` means there.
CORE_RUNTIMES = 18


class Job(NamedTuple):
    """What a peer is asked to do; `remove` undoes it, empty where the peer cannot."""

    package: str
    name: str
    words: tuple[str, ...]
    remove: tuple[str, ...] = ()


class Found(NamedTuple):
    """What a job took, and what it left after it was undone; None where it cannot be."""

    job: Job
    seconds: float
    files: int
    bytes: int
    left: int | None


def compare(folder: Path, rounds: int) -> tuple[list[Found], str]:
    """What the peers take, and a sentence that says why there is nothing to compare with."""
    npm = shutil.which("npm")
    if npm is None:
        return [], "peers: npm is not on this machine, nothing was compared"
    tools = folder / "peers"
    tools.mkdir()
    (tools / "package.json").write_text("{}", encoding="utf-8")
    command = [npm, "install", "--no-audit", "--no-fund", "--loglevel=error", *PACKAGES]
    done = subprocess.run(command, cwd=tools, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode:
        why = done.stderr.strip()[:200]
        return [], f"peers: the registry could not be reached, nothing was compared ({why})"
    return [_measured(folder, tools, job, 1 if job.name == ALL else rounds) for job in _jobs(tools)], ""


def rows(found: Iterable[Found]) -> str:
    """A table of what the peers took."""
    head = ("peer", "job", "seconds", "files", "MB", "files left")
    return table(
        [
            head,
            *(
                (
                    item.job.package,
                    item.job.name,
                    f"{item.seconds:.2f}",
                    str(item.files),
                    f"{item.bytes / 1e6:.1f}",
                    "no uninstall" if item.left is None else str(item.left),
                )
                for item in found
            ),
        ]
    )


def _jobs(tools: Path) -> list[Job]:
    core = [
        Job(CORE, name, (f"--{name}", "--global"), (f"--{name}", "--global", "--uninstall"))
        for name in ("claude", "codex", ALL)
    ]
    sample = tools / "sample"
    _skills(sample / "skills")
    add = ("add", str(sample), "--global", "--agent", "claude-code", "--yes")
    generate = ("generate", "--targets", "claudecode", "--features", "skills")
    return [*core, Job("skills", f"{SKILLS} skills", add), Job("rulesync", f"{SKILLS} skills", generate)]


def _skills(folder: Path) -> None:
    for number in range(SKILLS):
        skill = folder / f"skill-{number}"
        skill.mkdir(parents=True)
        head = f"---\nname: skill-{number}\ndescription: Number {number}.\ntargets: ['*']\n---\n"
        text = head + "A line of text." * 300
        (skill / "SKILL.md").write_text(text, encoding="utf-8")


def _script(tools: Path, package: str) -> Path:
    """The program a package declares under its own name."""
    folder = tools / "node_modules" / package
    declared = json.loads((folder / "package.json").read_text(encoding="utf-8"))["bin"]
    name = package.rpartition("/")[2]
    return folder / (
        declared if isinstance(declared, str) else declared.get(name) or next(iter(declared.values()))
    )


def _measured(folder: Path, tools: Path, job: Job, rounds: int) -> Found:
    node = tools / "node_modules" / "node" / "bin" / "node"
    script = _script(tools, job.package)
    seconds = []
    for number in range(rounds):
        home = folder / f"peer-{job.package.replace('/', '-')}-{job.words[0].strip('-')}-{number}"
        env = environment(home) | {"DISABLE_TELEMETRY": "1"}
        env["PATH"] = f"{node.parent}:{env['PATH']}"
        project = home / "project"
        project.mkdir()
        if job.package == "rulesync":
            _skills(project / ".rulesync" / "skills")
        before = sum(path.is_file() for path in home.rglob("*"))
        seconds.append(run([str(node), str(script), *job.words], env, cwd=project).seconds)
    sizes = [path.stat().st_size for path in home.rglob("*") if path.is_file()]
    left = None
    if job.remove:
        run([str(node), str(script), *job.remove], env, cwd=project)
        left = sum(path.is_file() for path in home.rglob("*"))
    return Found(job, statistics.median(seconds), len(sizes) - before, sum(sizes), left)
