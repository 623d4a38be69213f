"""How long does an install take, against a bare Python process that writes the same bytes to the same files?

    python bench/install.py [--rounds N] [--no-peers]

Prints files, bytes, seconds, peak memory and what is left after uninstall, beside that floor, `cp -r`, and
the npm packages `@opengsd/gsd-core`, `skills` and `rulesync` where the registry can be reached. Exits 1 when
a ratio is over its bar.
"""

from __future__ import annotations

import argparse
import marshal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from measuring import environment, fresh_venv, peak_memory, run, side_by_side, table, verdict

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
from gsd_install.contents import open_contents, shipped_root
from gsd_install.pipeline import Wish, prepare
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
SELECTIONS = {"claude": ["claude"], "four runtimes": ["claude", "codex", "opencode", "windsurf"]}
FRESH_BARS = {"claude": 5.0, "four runtimes": 3.0}
NO_CHANGE_BAR = 12.0
JOURNAL_BAR = 1.5


class Tree(NamedTuple):
    """What an install left: files and bytes."""

    files: int
    bytes: int


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--no-peers", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bin_dir = fresh_venv(folder)
        verdicts = []
        for selection in SELECTIONS:
            verdicts += _selection(folder, bin_dir, selection, args.rounds)
        verdicts.append(_journal(folder, bin_dir, args.rounds))
        print("\n".join(line for line, _ in verdicts))
        if not args.no_peers:
            from peers import compare

            print(compare(folder, 3))
    return 0 if all(kept for _, kept in verdicts) else 1


def _selection(folder: Path, bin_dir: Path, name: str, rounds: int) -> list[tuple[str, bool]]:
    work = folder / name.replace(" ", "-")
    install = [str(bin_dir / "gsd-install"), *(word for r in SELECTIONS[name] for word in ("--runtime", r))]
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
        "python -c pass": nothing,
        "floor": floor,
        "cp -r": copied,
        "fresh install": fresh,
        "no-change run": again,
    }
    found = side_by_side(contenders, rounds)
    tree = measure(home)
    before = _stamps(home)
    run(install, environment(home))
    rewritten = sum(stamp != before.get(path) for path, stamp in _stamps(home).items())
    memory = peak_memory(install, environment(work / "memory"))
    run([str(bin_dir / "gsd-install"), "uninstall", "--yes"], environment(home))
    left = measure(home)
    print(
        f"{name}: {tree.files} files, {tree.bytes / 1e6:.2f} MB, peak memory {memory:.0f} MiB, "
        f"{rewritten} files written by a second run, {left.files} files left after uninstall"
    )
    rows = [
        ("", "ms", "to floor", "to python"),
        *(
            (who, f"{s * 1e3:.1f}", f"{s / found['floor']:.2f}", f"{s / found['python -c pass']:.2f}")
            for who, s in found.items()
        ),
    ]
    print(table(rows), end="\n\n")
    return [
        verdict(
            f"fresh install of {name} to the floor", found["fresh install"] / found["floor"], FRESH_BARS[name]
        ),
        verdict(
            f"no-change run of {name} to python -c pass",
            found["no-change run"] / found["python -c pass"],
            NO_CHANGE_BAR,
        ),
        verdict(f"files written by a no-change run of {name}", float(rewritten), 0),
        verdict(f"files left after uninstall of {name}", float(left.files), 0),
    ]


def _journal(folder: Path, bin_dir: Path, rounds: int) -> tuple[str, bool]:
    """The same plan carried out with the journal and with one that writes nothing."""
    script = folder / "journal.py"
    script.write_text(JOURNAL, encoding="utf-8")
    words = [
        str(bin_dir / "python"),
        str(script),
        str(folder / "journal"),
        str(rounds),
        *SELECTIONS["four runtimes"],
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


def _stamps(home: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path): (path.stat().st_ino, path.stat().st_mtime_ns) for path in home.rglob("*") if path.is_file()
    }


if __name__ == "__main__":
    sys.exit(main())
