"""The exact counter: right, offline, lazy, and sure of its data."""

from __future__ import annotations

import gzip
import hashlib
import subprocess
import sys
from pathlib import Path

import pytest
from tiktoken import Encoding

from gsd_install.content.tokens import NAME, RANKS, SHA256, ExactTokens, load_encoding
from gsd_install.kernel.compose import compose
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.fragment import drop, proportional_truncate, verbatim
from gsd_install.kernel.measure import ERROR_PERCENT, Measure, Memo, estimated

# What tiktoken 0.14.0 answers for o200k_base; the last two are control tokens, counted as plain text.
KNOWN = {
    "": [],
    "hello world": [24912, 2375],
    "Hello, WORLD!": [13225, 11, 79618, 0],
    "don't stop": [91418, 5666],
    "12345": [7633, 2548],
    "a\n\n\nb": [64, 2499, 65],
    "日本語": [9048, 40909],
    "👩‍👩‍👧": [28823, 102, 2524, 28823, 102, 2524, 28823, 100],
    "<|endoftext|>": [27, 91, 419, 1440, 919, 91, 29],
    "<|endofprompt|>": [27, 91, 419, 1440, 82467, 91, 29],
}


@pytest.fixture(scope="module")
def exact() -> ExactTokens:
    return ExactTokens()


@pytest.fixture(scope="module")
def encoding() -> Encoding:
    return load_encoding()


def test_the_ranks_are_the_pinned_ones() -> None:
    data = gzip.decompress(Path(RANKS).read_bytes())
    assert hashlib.sha256(data).hexdigest() == SHA256
    notice = Path(RANKS).with_name("o200k_base.NOTICE.txt").read_text(encoding="utf-8")
    assert SHA256 in notice
    assert hashlib.sha256(Path(RANKS).read_bytes()).hexdigest() in notice
    assert "MIT License" in notice


@pytest.mark.parametrize("text", KNOWN)
def test_texts_are_encoded_as_the_vendor_does(text: str, exact: ExactTokens, encoding: Encoding) -> None:
    tokens = encoding.encode_ordinary(text)
    assert tokens == KNOWN[text]
    assert encoding.decode(tokens) == text
    assert exact.cost(text) == len(tokens)


def test_it_is_a_measure(exact: ExactTokens) -> None:
    measure: Measure = exact
    assert (measure.id, measure.additive) == (f"tokens:{NAME}", False)


def test_no_socket_is_opened_and_no_other_file_read(tmp_path: Path) -> None:
    script = f"""
import os, sys
opened = []
def audit(event, args):
    if event.startswith("socket."):
        raise SystemExit(f"network: {{event}} {{args}}")
    if event == "open" and isinstance(args[0], str) and not args[0].endswith((".py", ".pyc", ".so", ".pth")):
        opened.append(os.path.realpath(args[0]))
from gsd_install.content.tokens import RANKS, ExactTokens
import tiktoken, gzip
sys.addaudithook(audit)
assert ExactTokens().cost("hello world") == 2
extra = {{path for path in opened if os.path.isfile(path)}} - {{os.path.realpath(RANKS)}}
assert not extra, extra
assert not os.listdir({str(tmp_path)!r})
print("done")
"""
    environment = {"TIKTOKEN_CACHE_DIR": str(tmp_path), "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=False
    )
    assert (done.stdout, done.stderr) == ("done\n", "")


def test_nothing_is_loaded_before_the_first_count() -> None:
    script = (
        "import sys\n"
        "from gsd_install.content.tokens import ExactTokens\n"
        "counter = ExactTokens('/nowhere')\n"
        "print(sorted({'tiktoken', 'regex', 'gzip', 'hashlib', 'requests'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def damaged(folder: Path, kind: str) -> Path:
    path = folder / "ranks.gz"
    data = Path(RANKS).read_bytes()
    match kind:
        case "other":
            path.write_bytes(gzip.compress(b"IQ== 0\n"))
        case "short":
            path.write_bytes(data[: len(data) // 2])
        case "flipped":
            path.write_bytes(data[:5000] + bytes([data[5000] ^ 1]) + data[5001:])
        case "text":
            path.write_bytes(b"not gzip")
    return path


@pytest.mark.parametrize("kind", ["other", "short", "flipped", "text", "missing"])
def test_damaged_ranks_are_refused_by_name(kind: str, tmp_path: Path) -> None:
    path = damaged(tmp_path, kind)
    with pytest.raises(GsdError) as caught:
        ExactTokens(str(path)).cost("text")
    assert (caught.value.reason, caught.value.file) == ("bad_ranks", str(path))
    assert caught.value.hint


def test_a_composition_is_exact(exact: ExactTokens) -> None:
    memo = Memo()
    counter = memo.of(exact)
    fragments = [
        verbatim("role", "You plan phases of a project.\n"),
        *(
            drop(f"d{number}", f"Paragraph {number} about `code`.\n" * 8, priority=number)
            for number in range(30)
        ),
        proportional_truncate("log", "2026-11-30 did this and that, with care\n" * 50, floor=40),
    ]
    for budget in (2500, 1200, 400, 150):
        for mode in ("ladder", "optimise"):
            found = compose(fragments, budget, counter, mode=mode, separator="\n")
            assert found.used == exact.cost(found.text) <= budget
            # Between line ends the parts add up, so little of the budget is lost.
            assert mode == "ladder" or found.used > budget * 0.9


ROOT = Path(__file__).parents[3]
WRITTEN = ROOT / "tests" / "unit" / "kernel" / "estimates"


def markdown(*folders: Path) -> list[Path]:
    """Markdown of 3 KB and more, for which the bound of the estimate is meant."""
    return sorted(path for folder in folders for path in folder.rglob("*.md") if path.stat().st_size >= 3_000)


@pytest.mark.req("CTX-A11")
def test_the_estimate_is_near_the_exact_count_of_chinese_mixed_and_english_text(exact: ExactTokens) -> None:
    paths = markdown(WRITTEN)
    assert len(paths) == 5
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert estimated().cost(text) == pytest.approx(exact.cost(text), rel=ERROR_PERCENT / 100), path


def test_the_estimate_is_near_the_exact_count_of_what_ships(exact: ExactTokens) -> None:
    paths = markdown(ROOT / "content", ROOT / "docs")
    assert len(paths) > 30
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert estimated().cost(text) == pytest.approx(exact.cost(text), rel=ERROR_PERCENT / 100), path


def test_characters_divided_by_four_would_not_keep_that_bound(exact: ExactTokens) -> None:
    texts = [path.read_text(encoding="utf-8") for path in markdown(WRITTEN)]
    assert any(len(text) / 4 != pytest.approx(exact.cost(text), rel=ERROR_PERCENT / 100) for text in texts)
