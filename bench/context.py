"""The context engine against one pass of its own measure over the same text, in one run.

    python bench/context.py

Builds contexts of 200 to 20,000 references of a kilobyte, English and Chinese, into a quarter of what they
take: everything is measured, summarised, chosen and measured again. A pass counts the tokens of the same
text once. Contender and pass take turns with the garbage collector off, and medians are compared.

Exit code 1 when a bar is missed: at 2,000 references (2 MB) at most five passes, and from 200 to 20,000
growth no worse than n log n, next to that of the pass itself, which shows what the machine adds.
"""

from __future__ import annotations

import gc
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from gsd_capabilities.context.engine import Order, Sources, build
from gsd_capabilities.context.providers import Providers
from gsd_capabilities.context.references import Loader, Roots
from gsd_capabilities.context.sections import Section, section
from gsd_capabilities.context.settings import Settings
from gsd_install.kernel.measure import measure
from measuring import n_log_n

SIZES = (200, 2_000, 20_000)
ROUNDS = {200: 15, 2_000: 15, 20_000: 3}
BARRED = 2_000
PASSES = 5.0
MEASURE = "tokens:openai"


class Times(NamedTuple):
    """Median seconds of one pass and of one build, and the bytes of the text."""

    one_pass: float
    built: float
    size: int


def references(count: int) -> tuple[Section, ...]:
    """References of about a kilobyte with distinct words and mixed priorities."""
    source = random.Random(count)
    return tuple(
        section(
            f"r{number}", "project", _document(source), title=f"r{number}", priority=source.randint(50, 89)
        )
        for number in range(count)
    )


def _document(source: random.Random) -> str:
    parts = ["## Part\n\n"]
    while sum(map(len, parts)) < 800:
        words = " ".join(f"word{source.randint(0, 999)}" for _ in range(12))
        parts.append(f"{words}. 模块必须先读取配置再写入文件。")
        if source.random() < 0.4:
            parts.append("\n\n")
    return "".join(parts)


def timed(once: Callable[[], object]) -> float:
    """Seconds of one run, garbage collected before it and not during it."""
    gc.collect()
    gc.disable()
    began = time.perf_counter()
    once()
    seconds = time.perf_counter() - began
    gc.enable()
    return seconds


def race(count: int) -> Times:
    """Pass and build, taking turns; a build that does not truncate or does not fit stops the bench."""
    sections = references(count)
    text = "\n".join(one.text for one in sections)
    tokens = measure(text, MEASURE)
    settings = Settings(max_tokens=tokens // 4 + 10_000, reserve_tokens=10_000)
    order, sources = Order(request="Say what holds.", extra=sections), Sources(Loader(Roots("")), Providers())
    first = build(order, sources, settings).report
    if first.survey.trigger != "forced" or not 0 < first.after.total <= settings.available:
        sys.exit(
            f"{count:,} references: {first.survey.trigger or 'nothing'} gave {first.after.total:,} tokens"
        )
    passes, builds = [], []
    for _ in range(ROUNDS[count]):
        passes.append(timed(lambda: measure(text, MEASURE)))
        builds.append(timed(lambda: build(order, sources, settings)))
    return Times(statistics.median(passes), statistics.median(builds), len(text.encode()))


def missed(found: dict[int, Times]) -> Iterator[str]:
    """The bars that were not held."""
    ratio = found[BARRED].built / found[BARRED].one_pass
    if ratio > PASSES:
        yield f"{ratio:.1f} passes at {BARRED:,} references, not {PASSES}"
    first, last = SIZES[0], SIZES[-1]
    growth, plain = found[last].built / found[first].built, found[last].one_pass / found[first].one_pass
    yield from n_log_n(first, last, growth, plain, "the pass")


def main() -> int:
    found = {}
    for count in SIZES:
        found[count] = row = race(count)
        print(
            f"{count:6,} references {row.size / 1e6:6.2f} MB   pass {row.one_pass * 1e3:8.1f} ms   "
            f"build {row.built * 1e3:8.1f} ms   {row.built / row.one_pass:5.1f} passes"
        )
    failures = list(missed(found))
    print("missed: " + "; ".join(failures) if failures else "every bar held")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
