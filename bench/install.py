"""How long does an install take, against a bare Python process that writes the same bytes to the same files?

    python bench/install.py [--rounds N] [--no-peers]

Prints files, bytes, seconds, peak memory and what is left after uninstall, beside that floor, `cp -r`, and
the npm packages `@opengsd/gsd-core`, `skills` and `rulesync` where the registry can be reached. Exits 1 when
a ratio is over its bar.
"""

from __future__ import annotations

import argparse
import json
import marshal
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import NamedTuple

from measuring import environment, fresh_venv, peak_memory, run, side_by_side, table, verdict
from peers import ALL, CORE, CORE_RUNTIMES, Found, compare, rows

FLOOR = """\
import marshal, os, sys
with open(sys.argv[1], "rb") as file:
    folders, files = marshal.load(file)
for folder in folders:
    os.mkdir(sys.argv[2] + folder)
for path, data in files:
    handle = os.open(sys.argv[2] + path, os.O_WRONLY | os.O_CREAT, 0o666)
    os.write(handle, data)
    os.close(handle)
"""
JOURNAL = """\
import os, statistics, sys, time
from gsd_install.apply import journal, plan, transaction
from gsd_install.apply.ledger import load
from gsd_install.apply.location import global_location
from gsd_install.contents import open_contents
from gsd_install.shipped import shipped_root
from gsd_install.pipeline import prepare
from gsd_install.units import Wish
from gsd_install.plugins import Plugins
from gsd_install.runtime.platform import current

write, times = journal.write, {True: [], False: []}
for number in range(int(sys.argv[2])):
    for kept in (True, False):
        home = f"{sys.argv[1]}-{number}-{kept}"
        os.makedirs(home)
        location = global_location(current(home))
        contents = open_contents([shipped_root()], location.platform)
        wishes = [(name, content, Wish()) for name in sys.argv[3:] for content in contents]
        desired = prepare(location, load(location), Plugins(), wishes).desired
        journal.write = write if kept else lambda *_, **__: None
        began = time.perf_counter()
        transaction.execute(location, lambda: plan.plan(location, desired))
        times[kept].append(time.perf_counter() - began)
print(statistics.median(times[True]) / statistics.median(times[False]))
"""
FOUR = ["claude", "codex", "opencode", "windsurf"]
SELECTIONS = {
    "claude": ["--runtime", "claude"],
    "four runtimes": [word for runtime in FOUR for word in ("--runtime", runtime)],
    "all runtimes": ["--all"],
}
FRESH, AGAIN, BARE, LEAST = "fresh install", "no-change run", "python -c pass", "floor"
BARS: Mapping[str, Mapping[tuple[str, str], float]] = {
    "claude": {(FRESH, LEAST): 5.0, (AGAIN, BARE): 12.0},
    "four runtimes": {(FRESH, LEAST): 3.0, (AGAIN, BARE): 12.0},
    "all runtimes": {(FRESH, LEAST): 2.0, (AGAIN, FRESH): 0.3},
}
# Of one runtime, on average over all of them: how much more the field's tool costs, at least.
QUICKER_BAR, FEWER_BAR = 8.0, 4.0
JOURNAL_BAR = 1.5
PAGE = """\
# How long an install takes

<!-- Written by `python bench/install.py --write docs/benchmarks.md`. -->

Measured side by side in one run, so that the ratios count and not the milliseconds. The floor is a bare
Python process that writes the same bytes to the same files. {machine}.

```text
{text}
```
"""

Verdict = tuple[str, bool]


class Tree(NamedTuple):
    """What an install left: files and bytes."""

    files: int
    bytes: int


class Measured(NamedTuple):
    """One selection: its table, its verdicts, and a fresh install in seconds, files and runtimes."""

    text: str
    verdicts: list[Verdict]
    seconds: float
    files: int
    runtimes: int


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--write", metavar="FILE", type=Path, help="put what is printed into this page")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bin_dir = fresh_venv(folder)
        found = [_selection(folder, bin_dir, selection, args.rounds) for selection in SELECTIONS]
        verdicts = [verdict for one in found for verdict in one.verdicts]
        verdicts.append(_journal(folder, bin_dir, args.rounds))
        text = [one.text for one in found]
        if not args.no_peers:
            peers, why = compare(folder, 3)
            text.append(why or rows(peers))
            verdicts += _against(peers, found[-1])
        text.append("\n".join(line for line, _ in verdicts))
    print("\n\n".join(text))
    if args.write:
        args.write.write_text(PAGE.format(machine=_machine(), text="\n\n".join(text)), encoding="utf-8")
    return 0 if all(kept for _, kept in verdicts) else 1


def _against(peers: list[Found], ours: Measured) -> Iterator[Verdict]:
    """One runtime of all, on average, to one of all that the field's tool knows."""
    theirs = next((item for item in peers if item.job.name == ALL), None)
    if theirs is None:
        return
    quicker = (theirs.seconds / CORE_RUNTIMES) / (ours.seconds / ours.runtimes)
    fewer = (theirs.files / CORE_RUNTIMES) / (ours.files / ours.runtimes)
    for what, ratio, bar in (("quicker", quicker, QUICKER_BAR), ("fewer files", fewer, FEWER_BAR)):
        kept = "ok  " if ratio >= bar else "OVER"
        yield (
            f"{kept} one runtime of all, {what} than {CORE}: {ratio:.1f} times, at least {bar:g}",
            ratio >= bar,
        )


def _machine() -> str:
    return f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}, {date.today()}"


def _selection(folder: Path, bin_dir: Path, name: str, rounds: int) -> Measured:
    work = folder / name.replace(" ", "-")
    install = [str(bin_dir / "gsd-install"), *SELECTIONS[name]]
    python = str(bin_dir / "python")
    home = work / "sample"
    run(install, environment(home))
    pack, script = work / "files.marshal", work / "floor.py"
    pack.write_bytes(marshal.dumps(_packed(home)))
    script.write_text(FLOOR, encoding="utf-8")

    def floor(number: int) -> float:
        target = work / f"floor-{number}"
        return run([python, str(script), str(pack), str(target)], environment(target)).seconds

    def fresh(number: int) -> float:
        return run(install, environment(work / f"fresh-{number}")).seconds

    def copied(number: int) -> float:
        return run(["cp", "-r", str(home), str(work / f"cp-{number}")], environment(work / "cp-home")).seconds

    def again(_: int) -> float:
        return run(install, environment(home)).seconds

    def nothing(_: int) -> float:
        return run([python, "-c", "pass"], environment(home)).seconds

    contenders: dict[str, Callable[[int], float]] = {
        BARE: nothing,
        LEAST: floor,
        "cp -r": copied,
        FRESH: fresh,
        AGAIN: again,
    }
    found = side_by_side(contenders, rounds)
    tree, installed = measure(home), _runtimes(home)
    before = _stamps(home)
    run(install, environment(home))
    rewritten = sum(stamp != before.get(path) for path, stamp in _stamps(home).items())
    memory = peak_memory(install, environment(work / "memory"))
    run([str(bin_dir / "gsd-install"), "uninstall", "--yes"], environment(home))
    left = measure(home)
    head = (
        f"{name}: {tree.files} files, {tree.bytes / 1e6:.2f} MB, peak memory {memory:.0f} MiB, "
        f"{rewritten} files written by a second run, {left.files} files left after uninstall"
    )
    lines = [("", "ms", "to floor", "to python")]
    for who, s in found.items():
        lines.append((who, f"{s * 1e3:.1f}", f"{s / found[LEAST]:.2f}", f"{s / found[BARE]:.2f}"))
    verdicts = [
        *_ratios(name, found),
        verdict(f"files written by a no-change run of {name}", float(rewritten), 0),
        verdict(f"files left after uninstall of {name}", float(left.files), 0),
    ]
    return Measured(f"{head}\n{table(lines)}", verdicts, found[FRESH], tree.files, installed)


def _ratios(name: str, found: Mapping[str, float]) -> Iterator[Verdict]:
    """What the bars of a selection say about the medians of its contenders."""
    for (who, to), bar in BARS[name].items():
        yield verdict(f"{who} of {name} to {to}", found[who] / found[to], bar)


def _journal(folder: Path, bin_dir: Path, rounds: int) -> Verdict:
    """The same plan carried out with the journal and with one that writes nothing."""
    script = folder / "journal.py"
    script.write_text(JOURNAL, encoding="utf-8")
    words = [
        str(bin_dir / "python"),
        str(script),
        str(folder / "journal"),
        str(rounds),
        *FOUR,
    ]
    done = subprocess.run(
        words, env=environment(folder / "journal-home"), capture_output=True, text=True, check=True
    )
    return verdict("carrying a plan out with the journal to without", float(done.stdout), JOURNAL_BAR)


def _packed(home: Path) -> tuple[list[str], list[tuple[str, bytes]]]:
    paths = sorted(path for path in home.rglob("*"))
    folders = [f"/{path.relative_to(home)}" for path in paths if path.is_dir()]
    return folders, [(f"/{path.relative_to(home)}", path.read_bytes()) for path in paths if path.is_file()]


def measure(home: Path) -> Tree:
    """Files and bytes below a directory."""
    sizes = [path.stat().st_size for path in home.rglob("*") if path.is_file()]
    return Tree(len(sizes), sum(sizes))


def _runtimes(home: Path) -> int:
    """How many runtimes the ledger of a home names."""
    ledger = home / ".local" / "state" / "gsd-install" / "global" / "ledger.json"
    return len(json.loads(ledger.read_text(encoding="utf-8"))["units"])


def _stamps(home: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path): (path.stat().st_ino, path.stat().st_mtime_ns) for path in home.rglob("*") if path.is_file()
    }


if __name__ == "__main__":
    sys.exit(main())
