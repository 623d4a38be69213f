"""Exact token counts, offline: tiktoken's encoder built from ranks that ship with the package.

o200k_base is the vocabulary of GPT-4o, GPT-4.1, the o-series and GPT-5; for any other family its
counts are no more exact than the estimate in `kernel.measure`. Building the encoder takes a quarter
of a second and some 60 MB, so nothing here happens before the first text is counted.
"""

from __future__ import annotations

import os

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding

NAME = "o200k_base"
RANKS = os.path.join(os.path.dirname(__file__), "data", "o200k_base.tiktoken.gz")

# Of the unpacked file; the same hash tiktoken pins in tiktoken_ext/openai_public.py.
SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"

_CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"

# How o200k_base splits a text before merging (tiktoken_ext/openai_public.py): words that end in lower
# case, words that end in upper case, up to three digits, punctuation, line ends, spaces.
_PATTERN = "|".join(
    (
        rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_CONTRACTIONS}",
        rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_CONTRACTIONS}",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)


class ExactTokens:
    """A `kernel.measure.Measure`: o200k_base tokens, exactly as the vendor counts plain text.

    Text that spells a control token counts as the ordinary text it is. `path` is the file of ranks.
    The first count raises GsdError where that file is not the one this code was written for.
    """

    __slots__ = ("_encoding", "_path")

    id = f"tokens:{NAME}"
    additive = False

    def __init__(self, path: str = RANKS) -> None:
        self._path = path
        self._encoding: Encoding | None = None

    def cost(self, text: str) -> int:
        if self._encoding is None:
            self._encoding = load_encoding(self._path)
        return len(self._encoding.encode_ordinary(text))


def load_encoding(path: str = RANKS) -> Encoding:
    """Build the encoder from the ranks at `path`; opens no other file and no socket.

    Raises GsdError (reason `bad_ranks`) when the file is missing, damaged, or another one.
    """
    ranks = _ranks(_unpacked(path))
    from tiktoken import Encoding

    special = {"<|endoftext|>": 199_999, "<|endofprompt|>": 200_018}
    return Encoding(NAME, pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens=special)


def _unpacked(path: str) -> bytes:
    import gzip
    import hashlib
    import zlib

    try:
        with gzip.open(path) as stream:
            data = stream.read()
    except (OSError, EOFError, zlib.error) as error:
        raise _bad_ranks(path, f"cannot read the token ranks: {error}") from error
    if hashlib.sha256(data).hexdigest() != SHA256:
        raise _bad_ranks(path, f"these are not the token ranks of {NAME}")
    return data


def _ranks(data: bytes) -> dict[bytes, int]:
    from binascii import a2b_base64

    # In the file that has this hash, line n holds the token of rank n.
    tokens = data.split()[::2]
    return dict(zip(map(a2b_base64, tokens), range(len(tokens)), strict=True))


def _bad_ranks(path: str, message: str) -> GsdError:
    return GsdError(message, reason="bad_ranks", file=path, hint="install gsd-install again")
