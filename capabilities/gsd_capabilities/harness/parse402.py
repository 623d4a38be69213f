"""What a provider says when a call costs more than there is (HTTP 402), in either of its two forms.

    requested up to 13156 tokens, but can only afford 7378
    Prompt tokens limit exceeded: 28,046 > 20,000

The words may stand in a text or anywhere in JSON, in any case, with any separator of thousands. Source: the
public error texts of OpenRouter.
"""

from __future__ import annotations

import re

from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_SEPARATORS = r"[,.'’_\u00a0\u2009\u202f ]"
_NUMBER = rf"(\d{{1,3}}(?:{_SEPARATORS}\d{{3}}){{1,5}}|\d{{1,18}})(?!{_SEPARATORS}?\d)"
_RESERVATION = re.compile(
    rf"requested up to {_NUMBER} tokens?,? but can only afford {_NUMBER}", re.IGNORECASE
)
_CEILING = re.compile(rf"prompt tokens limit exceeded:? {_NUMBER} > {_NUMBER}", re.IGNORECASE)


class Reservation(NamedTuple):
    """More output was reserved than can be paid: `affordable` tokens can."""

    requested: int
    affordable: int


class Ceiling(NamedTuple):
    """The prompt is longer than `limit` tokens."""

    prompt: int
    limit: int


def parse(body: str) -> Reservation | Ceiling | None:
    """What a body says; None where it says neither."""
    for text in _texts(body):
        if found := _RESERVATION.search(text):
            return Reservation(_number(found[1]), _number(found[2]))
        if found := _CEILING.search(text):
            return Ceiling(_number(found[1]), _number(found[2]))
    return None


def _texts(body: str) -> Iterator[str]:
    """Every string of a JSON body, and a body that is none."""
    import json

    try:
        yield from _strings(json.loads(body))
    except (ValueError, RecursionError):
        yield body


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def _number(text: str) -> int:
    return int(re.sub(r"\D", "", text))
