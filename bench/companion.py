"""How long do `gsd-tools` and the reader of facts take, against the least that any Python program takes?

    python bench/companion.py [--rounds N] [--no-peers]

Whole processes of the environment an installed package has, in a project with eight phases and 300 KB of
facts; then, where npm reaches its registry, the same two questions to the field's tool. A process that
parses the facts is compared with one that reads their lines, and so are the two loops alone, without
start-up. Hooks run as hosts run them: the launcher of a real install, an event on standard input. Prints
ratios; exits 1 when one is over its bar.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from measuring import environment, fresh_venv, run, side_by_side, table, verdict

FLOOR, INIT, QUERY = "python -c pass", "init plan-phase 1", "query context-predicates"
PARSED, LINES = "parse facts", "read their lines"
PARSED_LOOP, LINES_LOOP = "parse facts, loop alone", "read their lines, loop alone"
PROCESS_BAR, PARSE_BAR, LOOP_BAR, PEER_BAR = 5.0, 3.0, 8.0, 1 / 3
PEERS = ("node@24", "@opengsd/gsd-core@1.14.0")
PHASES = 8
FACTS = 415
FILE_BYTES = 300_000
PARSE = (
    "from gsd_capabilities.predicates import sources; from gsd_install.kernel.predicates import read; "
    "read(sources.text('CONTEXT.md'))"
)
READ = "for line in open('CONTEXT.md', encoding='utf-8'): pass"
HOOKS = (
    "session-orientation",
    "context-monitor",
    "injection-guard",
    "read-guard",
    "commit-check",
    "round-log",
    "task-tracker",
)
START = "import sys; from gsd_capabilities.companion.main import console; sys.exit(console())"


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--no-peers", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python = str(fresh_venv(folder) / "python")
        project = prepared(folder / "home")
        env = environment(folder / "home")
        ours = {
            FLOOR: [python, "-c", "pass"],
            INIT: [python, "-c", START, "init", "plan-phase", "1"],
            QUERY: [python, "-c", START, "query", "context-predicates", "--class", "RULE"],
            PARSED: [python, "-c", PARSE],
            LINES: [python, "-c", READ],
        }
        theirs: dict[str, list[str]] = {}
        if arguments.no_peers:
            why = "peer: not asked for"
        else:
            theirs, why = peer(folder, env)
        hooks, event = hooked(folder, project)
        contenders = {**ours, **hooks, **theirs}
        found = processes(contenders, env, project, arguments.rounds, dict.fromkeys(hooks, event))
        parsing = side_by_side(readers(project / "CONTEXT.md"), arguments.rounds)
    verdicts = [verdict(name, found[name] / found[FLOOR], PROCESS_BAR) for name in (INIT, QUERY, *hooks)]
    verdicts.append(verdict(PARSED, found[PARSED] / found[LINES], PARSE_BAR))
    verdicts.append(verdict(PARSED_LOOP, parsing[PARSED_LOOP] / parsing[LINES_LOOP], LOOP_BAR))
    for name in theirs:
        own = name.removeprefix("peer: ")
        verdicts.append(verdict(f"{own} against the peer", found[own] / found[name], PEER_BAR))
    print(shown(found | parsing))
    print("\n".join([*([why] if why else []), *(line for line, _ in verdicts)]))
    return 0 if all(kept for _, kept in verdicts) else 1


def prepared(home: Path) -> Path:
    """A payload with one workflow, and a project with phases and a long file of facts."""
    payload = home / ".gsd"
    step = "content/gsd/workflows/plan-phase/steps/research.md"
    pointer = f"**When `--research` was passed:** read ~/.gsd/{step}, do what it says, then go on here."
    section = {"id": "research", "when": "flag:--research", "read": step, "pointer": pointer}
    manifest = {
        "format": 1,
        "content": "gsd",
        "prefix": "gsd",
        "workflows": {"plan-phase": {"path": "content/gsd/workflows/plan-phase.md", "sections": [section]}},
        "commands": {"plan-phase": {"hint": "<phase> [--research]"}},
        "agents": {"planner": {"effort": "heavy"}},
        "context": None,
    }
    written(payload / "gsd" / "companion.json", json.dumps(manifest))
    written(payload / "content" / "gsd" / "workflows" / "plan-phase.md", f"# Plan\n{pointer}\n")
    written(payload / step, "## Research\n")
    project = home / "project"
    written(project / "CONTEXT.md", facts())
    written(project / ".planning" / "ROADMAP.md", roadmap())
    written(project / ".planning" / "STATE.md", "---\nproject: x\nphase: 1\nstatus: pending\n---\n")
    written(project / ".planning" / "work" / "running.json", '{"ann": ["T-1"]}')
    (project / ".git").mkdir()
    return project


def hooked(folder: Path, project: Path) -> tuple[dict[str, list[str]], bytes]:
    """Command lines of hooks as a real install makes them, and an event in the middle of a long session."""
    home = folder / "hooked"
    install = [sys.executable, "-m", "gsd_install", "--runtime", "claude", "--with", "hooks"]
    run(install, environment(home), home)
    launcher = str(home / ".gsd" / "bin" / "gsd-tools")
    usage = {"input_tokens": 9, "cache_read_input_tokens": 150_000, "output_tokens": 400}
    rows = [{"message": {"id": str(row), "usage": usage}, "text": "x" * 900} for row in range(300)]
    written(folder / "transcript.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    event = {
        "session_id": "bench",
        "cwd": str(project),
        "transcript_path": str(folder / "transcript.jsonl"),
        "prompt": "go on with the next plan",
        "tool_name": "Bash",
        "tool_input": {"command": "python -m pytest -q tests | tail -3"},
        "tool_response": {"stdout": "A line of output.\n" * 500},
    }
    lines = {f"hook {name}": [launcher, "--runtime", "claude", "hook", name] for name in HOOKS}
    return lines, json.dumps(event).encode()


def written(path: Path, text: str) -> None:
    """Write a file and its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def facts() -> str:
    """300 KB of prose with 415 predicates, fences and comments in it, as a long-lived project has."""
    prose = "A paragraph that explains why a rule is as it is, and what happened before it was one. " * 2
    lines = []
    for number in range(FACTS):
        lines += [f"## Part {number}", ""] if number % 8 == 0 else []
        lines += [f"- `RULE.part{number % 20}.r{number}=what holds here`", "", prose]
        lines += ["```", "code", "```"] if number % 10 == 0 else ["<!-- a remark -->"] * (number % 7 == 0)
        lines.append(prose)
    text = "\n".join(lines)
    return text + "\n" + "More of the same prose, and nothing else.\n" * ((FILE_BYTES - len(text)) // 42)


def roadmap() -> str:
    """A roadmap of eight phases."""
    rows = "".join(f"| {n} | Part {n} | pending | 0/0 | A-01 |\n" for n in range(1, PHASES + 1))
    sections = "".join(
        f"\n## Phase {n}: Part {n}\n\n**Goal:** it works.\n**Depends on:** nothing\n**Requirements:** A-01\n"
        f"**Mode:** standard\n**Success criteria:**\n\n- C1: seen\n\n**Notes:** none\n"
        for n in range(1, PHASES + 1)
    )
    head = "# Roadmap: x, v1\n\n| phase | name | status | plans | requirements |\n|---|---|---|---|---|\n"
    return head + rows + sections


def processes(
    commands: dict[str, list[str]],
    env: dict[str, str],
    project: Path,
    rounds: int,
    events: Mapping[str, bytes] | None = None,
) -> dict[str, float]:
    """Median seconds of each command, all of them taking turns; `events` go to their standard input."""
    given = events or {}
    for name, command in commands.items():
        run(command, env, project, given.get(name))  # bytecode warm

    def timed(name: str) -> Callable[[int], float]:
        return lambda _: run(commands[name], env, project, given.get(name)).seconds

    return side_by_side({name: timed(name) for name in commands}, rounds)


def readers(path: Path) -> dict[str, Callable[[int], float]]:
    """Reading the file of facts, once as predicates and once line by line, in this process."""
    root = Path(__file__).resolve().parent.parent
    sys.path[:0] = [str(root / "capabilities"), str(root / "installer")]
    from gsd_capabilities.predicates import sources
    from gsd_install.kernel.predicates import read

    def parse(_: int) -> float:
        began = time.perf_counter()
        found = read(sources.text(str(path)))
        seconds = time.perf_counter() - began
        if len(found.predicates) != FACTS:
            sys.exit(f"{len(found.predicates)} predicates were read instead of {FACTS}")
        return seconds

    def lines(_: int) -> float:
        began = time.perf_counter()
        with open(path, encoding="utf-8") as stream:
            for _line in stream:
                pass
        return time.perf_counter() - began

    return {PARSED_LOOP: parse, LINES_LOOP: lines}


def peer(folder: Path, env: dict[str, str]) -> tuple[dict[str, list[str]], str]:
    """The field's tool asked the same, or nothing and a sentence that says why."""
    npm = shutil.which("npm")
    if npm is None:
        return {}, "peer: npm is not on this machine, nothing was compared"
    tools = folder / "peer"
    written(tools / "package.json", "{}")
    command = [npm, "install", "--no-audit", "--no-fund", "--loglevel=error", *PEERS]
    done = subprocess.run(command, cwd=tools, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode:
        why = done.stderr.strip()[:200]
        return {}, f"peer: the registry could not be reached, nothing was compared: {why}"
    node = str(tools / "node_modules" / "node" / "bin" / "node")
    package = tools / "node_modules" / "@opengsd" / "gsd-core"
    shutil.copy(folder / "home" / "project" / "CONTEXT.md", package / "CONTEXT.md")
    script = str(package / "gsd-core" / "bin" / "gsd-tools.cjs")
    commands = {
        f"peer: {INIT}": [node, script, "query", "init.plan-phase", "1"],
        f"peer: {QUERY}": [node, script, "query", "context-predicates", "--class", "RULE"],
    }
    working = {name: command for name, command in commands.items() if answers(command, env, folder)}
    silent = [name for name in commands if name not in working]
    return working, f"{', '.join(silent)}: it does not answer, nothing was compared" if silent else ""


def answers(command: list[str], env: dict[str, str], folder: Path) -> bool:
    """Whether a peer's command succeeds in the project at all."""
    place = folder / "home" / "project"
    done = subprocess.run(command, env=env, cwd=place, capture_output=True, check=False, timeout=60)
    return done.returncode == 0


def shown(found: dict[str, float]) -> str:
    """Seconds as a table."""
    return table([("what", "ms"), *((name, f"{seconds * 1000:.2f}") for name, seconds in found.items())])


if __name__ == "__main__":
    os.environ.pop("PYTHONPATH", None)
    sys.exit(main())
