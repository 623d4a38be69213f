"""The composer against the Python packages that do the same job, in one run on one machine.

    python bench/compose.py

Needs gsd-install in the running interpreter, and PyPI: the peers go into a virtual environment below a
temporary directory. Every contender gets the same texts and priorities and a budget of a quarter of
them, counts characters, and runs in a process of its own; the processes take turns, and a turn is the
best of a few runs while they are short. Building the fragments is not timed, everything from there to
the finished text is.

Exit code 1 when a bar is missed: four times as fast as the faster peer from 10,000 fragments on, and
growth from 1,000 to 100,000 no worse than n log n. A yardstick that does nothing but sort the fragments once
by priority shows what the machine itself, whose memory gets slower as it fills, adds to that.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import random
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from operator import attrgetter
from pathlib import Path
from typing import Any

from measuring import n_log_n

SIZES = (1_000, 10_000, 100_000)
PEERS = ("promptbudget==0.2.1", "priompt==0.1.2")
TIMES_FASTER = 4.0
SHORT = 0.2  # seconds; shorter runs are repeated within a turn, since the first wakes the processor up
PATIENCE = 20.0  # seconds; a contender that has used them up gets no further turn

Once = Callable[[], str]

OURS, YARDSTICK = "ours", "yardstick: one sort"


def texts(size: int) -> tuple[list[str], list[int], int]:
    """The same input for everyone: texts of 41 to 161 characters, distinct priorities, a budget."""
    source = random.Random(size)
    made = [f"{number:06d} {'x' * source.randint(33, 153)}\n" for number in range(size)]
    priorities = list(range(size))
    source.shuffle(priorities)
    return made, priorities, sum(map(len, made)) // 4


def ours(size: int, *, trace: bool = False, note: bool = False) -> Once:
    """`compose` in its optimising mode; with `trace` also the decision on every fragment."""
    from gsd_install.kernel.compose import compose, omission_note
    from gsd_install.kernel.fragment import drop
    from gsd_install.kernel.measure import CHARACTERS

    made, priorities, budget = texts(size)
    fragments = [
        drop(str(n), text, priority=p) for n, (text, p) in enumerate(zip(made, priorities, strict=True))
    ]
    worded = omission_note if note else None

    def once() -> str:
        composition = compose(fragments, budget, CHARACTERS, mode="optimise", note=worded)
        if trace:
            composition.decisions()
        return composition.text

    return once


def promptbudget_items(size: int) -> Once:
    """promptbudget at its fastest: one section whose items are dropped by score."""
    peer = importlib.import_module("promptbudget")
    made, priorities, budget = texts(size)
    items = [peer.Item(text, score=p) for text, p in zip(made, priorities, strict=True)]
    sections = [peer.Section("all", items, strategy="lowest_score_first", separator="")]
    return lambda: str(peer.pack(sections, budget, tokenizer=len).text)


def promptbudget_sections(size: int) -> Once:
    """promptbudget with rules for every text, as our fragments have them: a section for each."""
    peer = importlib.import_module("promptbudget")
    made, priorities, budget = texts(size)
    optional = peer.AllOrNothing(strict=False)
    sections = [
        peer.Section(str(n), text, priority=p, strategy=optional)
        for n, (text, p) in enumerate(zip(made, priorities, strict=True))
    ]
    return lambda: str(peer.pack(sections, budget, tokenizer=len, joiner="").text)


def priompt_scopes(size: int) -> Once:
    """priompt: a scope for each text, the cutoff found by its own search."""
    peer = importlib.import_module("priompt")
    made, priorities, budget = texts(size)
    scopes = [peer.Scope(text, p=p + 1) for text, p in zip(made, priorities, strict=True)]
    options = {"token_limit": budget, "tokenizer": _Characters()}
    return lambda: str(peer.render(scopes, options)["prompt"])


class _Characters:
    """What priompt asks of a tokenizer, counting characters."""

    name = "characters"

    def num_tokens(self, text: str) -> int:
        return len(text)

    def estimate_num_tokens_fast(self, text: str) -> int:
        return len(text)

    def estimate_tokens_using_char_count(self, text: str) -> tuple[int, int]:
        return len(text), len(text)


def one_sort(size: int) -> Once:
    """The yardstick for growth: n log n and nothing else."""
    from gsd_install.kernel.fragment import drop

    made, priorities, _ = texts(size)
    fragments = [
        drop(str(n), text, priority=p) for n, (text, p) in enumerate(zip(made, priorities, strict=True))
    ]

    def once() -> str:
        sorted(fragments, key=attrgetter("priority"))
        return ""

    return once


CONTENDERS: dict[str, Callable[[int], Once]] = {
    OURS: ours,
    "ours and its trace": lambda size: ours(size, trace=True),
    "ours and a note": lambda size: ours(size, note=True),
    YARDSTICK: one_sort,
    "promptbudget, items": promptbudget_items,
    "promptbudget, sections": promptbudget_sections,
    "priompt": priompt_scopes,
}


def work(name: str, size: int) -> None:
    """The worker: run once for every line on standard input, answer seconds, characters and budget."""
    once = CONTENDERS[name](size)
    budget = texts(size)[2]
    print("ready", flush=True)
    for _ in sys.stdin:
        runs = [timed(once)]
        while len(runs) < 3 and runs[0][0] < SHORT:
            runs.append(timed(once))
        print(min(runs)[0], len(runs[0][1]), budget, flush=True)


def timed(once: Once) -> tuple[float, str]:
    """One run, garbage collected before it and not during it, as timeit does: for every contender alike."""
    gc.collect()
    gc.disable()
    began = time.perf_counter()
    text = once()
    seconds = time.perf_counter() - began
    gc.enable()
    return seconds, text


class Worker:
    """One contender in its own process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.seconds: list[float] = []
        self.share = 0.0

    def once(self) -> None:
        """Time one run; one that goes over its budget stops the bench."""
        assert self._process.stdin
        self._process.stdin.write("go\n")
        self._process.stdin.flush()
        seconds, length, budget = self.answer().split()
        if int(length) > int(budget):
            sys.exit(f"a contender wrote {length} characters into {budget}")
        self.seconds.append(float(seconds))
        self.share = int(length) / int(budget)

    def answer(self) -> str:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            sys.exit("a contender ended early")
        return line

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


@contextmanager
def worker(python: str, name: str, size: int) -> Iterator[Worker]:
    command = [python, __file__, "--worker", name, "--size", str(size)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        started = Worker(process)
        started.answer()
        yield started
    finally:
        process.kill()
        process.wait()


def race(pythons: dict[str, str], size: int) -> dict[str, Worker]:
    """Let all contenders take turns at one size; a peer gets no second turn after a run past patience."""
    rounds = {1_000: 15, 10_000: 9}.get(size, 5)
    with ExitStack() as stack:
        workers = {name: stack.enter_context(worker(pythons[name], name, size)) for name in CONTENDERS}
        for number in range(rounds + 1):
            for entrant in workers.values():
                if sum(entrant.seconds) < PATIENCE:
                    entrant.once()
            if number == 0:  # the first turn warms up
                for entrant in workers.values():
                    if entrant.seconds[0] < PATIENCE:
                        entrant.seconds.clear()
        return workers


def peers_python(folder: Path) -> str:
    """An interpreter that has the peers."""
    venv.create(folder, with_pip=True)
    python = str(folder / ("Scripts" if sys.platform == "win32" else "bin") / "python")
    command = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *PEERS]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode:
        sys.exit(f"cannot install {' and '.join(PEERS)}; is the package registry reachable?\n{found.stderr}")
    return python


def is_peer(name: str) -> bool:
    return any(name.startswith(peer.partition("==")[0]) for peer in PEERS)


def report(size: int, times: dict[str, float], shares: dict[str, float]) -> None:
    print(f"\n{size:,} fragments{'':16} median     ratio   of the budget used")
    for name, seconds in times.items():
        share = f"{shares[name]:12.2%}" if shares[name] else ""
        print(f"  {name:26} {seconds * 1e3:9.1f} ms {seconds / times[OURS]:7.1f} {share}")


def missed(times: dict[int, dict[str, float]]) -> Iterator[str]:
    """The bars that were not held, after printing the growth."""
    for size, row in times.items():
        ratio = min(seconds for name, seconds in row.items() if is_peer(name)) / row[OURS]
        if size > SIZES[0] and ratio < TIMES_FASTER:
            yield f"{ratio:.1f} times as fast as the faster peer at {size:,}, not {TIMES_FASTER}"
    first, last = SIZES[0], SIZES[-1]
    growth, sort = (times[last][name] / times[first][name] for name in (OURS, YARDSTICK))
    print()
    yield from n_log_n(first, last, growth, sort, "one sort")


def bench() -> int:
    times = {}
    with tempfile.TemporaryDirectory() as folder:
        peers = peers_python(Path(folder) / "peers")
        pythons = {name: peers if is_peer(name) else sys.executable for name in CONTENDERS}
        for size in SIZES:
            workers = race(pythons, size)
            times[size] = {name: entrant.median for name, entrant in workers.items()}
            report(size, times[size], {name: entrant.share for name, entrant in workers.items()})
    failures = list(missed(times))
    print("missed: " + "; ".join(failures) if failures else "every bar held")
    return 1 if failures else 0


def main(arguments: Any = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--worker", choices=CONTENDERS, help=argparse.SUPPRESS)
    parser.add_argument("--size", type=int, default=SIZES[0], help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.worker:
        work(options.worker, options.size)
        return 0
    return bench()


if __name__ == "__main__":
    sys.exit(main())
