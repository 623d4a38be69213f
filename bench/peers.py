"""The field's npm tools, installed by name from the registry and timed doing the same kind of job."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
from pathlib import Path
from typing import NamedTuple

from measuring import environment, run, table

# Exact versions: with an old node on the machine, npm silently installs an old release of a newer package.
PACKAGES = ("node@24", "@opengsd/gsd-core@1.14.0", "skills@1.7.4", "rulesync@17.0.0")
SKILLS = 30


class Job(NamedTuple):
    """What a peer is asked to do; `remove` undoes it, empty where the peer cannot."""

    package: str
    name: str
    words: tuple[str, ...]
    remove: tuple[str, ...] = ()


def compare(folder: Path, rounds: int) -> str:
    """A table of what the peers take, or a sentence that says why there is none."""
    npm = shutil.which("npm")
    if npm is None:
        return "peers: npm is not on this machine, nothing was compared"
    tools = folder / "peers"
    tools.mkdir()
    (tools / "package.json").write_text("{}", encoding="utf-8")
    command = [npm, "install", "--no-audit", "--no-fund", "--loglevel=error", *PACKAGES]
    done = subprocess.run(command, cwd=tools, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode:
        return f"peers: the registry could not be reached, nothing was compared ({done.stderr.strip()[:200]})"
    rows = [("peer", "job", "seconds", "files", "MB", "files left")]
    rows += [(job.package, job.name, *_measured(folder, tools, job, rounds)) for job in _jobs(tools)]
    return table(rows)


def _jobs(tools: Path) -> list[Job]:
    core = [
        Job("@opengsd/gsd-core", name, (f"--{name}", "--global"), (f"--{name}", "--global", "--uninstall"))
        for name in ("claude", "codex")
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


def _measured(folder: Path, tools: Path, job: Job, rounds: int) -> tuple[str, ...]:
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
    left = "no uninstall"
    if job.remove:
        run([str(node), str(script), *job.remove], env, cwd=project)
        left = str(sum(path.is_file() for path in home.rglob("*")))
    return f"{statistics.median(seconds):.2f}", str(len(sizes) - before), f"{sum(sizes) / 1e6:.1f}", left
