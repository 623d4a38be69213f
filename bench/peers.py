"""The field's npm tools, installed by name from the registry and timed doing the same kind of job."""

from __future__ import annotations

import shutil
import statistics
import subprocess
from pathlib import Path

from measuring import environment, run, table

PACKAGES = ("node@24", "@opengsd/gsd-core", "skills", "rulesync")


def compare(folder: Path, rounds: int) -> str:
    """A table of what the peers take, or a sentence that says why there is none."""
    npm = shutil.which("npm")
    if npm is None:
        return "peers: npm is not on this machine, nothing was compared"
    tools = folder / "peers"
    tools.mkdir()
    (tools / "package.json").write_text("{}", encoding="utf-8")
    done = subprocess.run(
        [npm, "install", "--no-audit", "--no-fund", "--loglevel=error", *PACKAGES],
        cwd=tools,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    if done.returncode:
        return f"peers: the registry could not be reached, nothing was compared ({done.stderr.strip()[:200]})"
    node = tools / "node_modules" / "node" / "bin" / "node"
    rows = [("peer", "job", "seconds", "files", "MB", "files left")]
    for name, job, script, words, remove in _jobs(tools):
        rows.append((name, job, *_measured(folder, node, script, words, remove, rounds)))
    return table(rows)


def _jobs(tools: Path) -> list[tuple[str, str, Path, list[str], list[str]]]:
    """Peer, job, script, arguments of the install and of the uninstall (empty where it has none)."""
    core = tools / "node_modules" / "@opengsd" / "gsd-core" / "bin" / "install.js"
    found = [
        ("gsd-core", runtime, core, [f"--{runtime}", "--global"], [f"--{runtime}", "--global", "--uninstall"])
        for runtime in ("claude", "codex")
    ]
    sample = tools / "sample"
    for number in range(30):
        skill = sample / "skills" / f"skill-{number}"
        skill.mkdir(parents=True)
        text = f"---\nname: skill-{number}\ndescription: Number {number}.\n---\n{'A line of text.' * 300}\n"
        (skill / "SKILL.md").write_text(text, encoding="utf-8")
    skills = tools / "node_modules" / "skills" / "bin" / "cli.mjs"
    found.append(
        (
            "skills",
            "30 skills, claude",
            skills,
            ["add", str(sample), "--global", "--agent", "claude-code", "--yes"],
            [],
        )
    )
    return [job for job in found if job[2].exists()]


def _measured(
    folder: Path, node: Path, script: Path, words: list[str], remove: list[str], rounds: int
) -> tuple[str, ...]:
    seconds = []
    for number in range(rounds):
        home = folder / f"peer-{script.parent.parent.name}-{words[0].strip('-')}-{number}"
        env = environment(home) | {
            "PATH": f"{node.parent}:{environment(home)['PATH']}",
            "DISABLE_TELEMETRY": "1",
        }
        seconds.append(run([str(node), str(script), *words], env, cwd=home).seconds)
    sizes = [path.stat().st_size for path in home.rglob("*") if path.is_file()]
    left = "no uninstall"
    if remove:
        run([str(node), str(script), *remove], env, cwd=home)
        left = str(sum(path.is_file() for path in home.rglob("*")))
    return f"{statistics.median(seconds):.2f}", str(len(sizes)), f"{sum(sizes) / 1e6:.1f}", left
