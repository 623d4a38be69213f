"""The one thing that stands in for an artifact: `artifact://sha256/` and 64 lowercase hex digits.

Exactly 82 ASCII bytes; anything else, however close, is no reference. This is the only parser.
"""

from __future__ import annotations

from gsd_install.kernel.errors import GsdError

SCHEME = "artifact:"
PREFIX = f"{SCHEME}//sha256/"
DIGEST_LENGTH = 64
LENGTH = len(PREFIX) + DIGEST_LENGTH

_HEX = "0123456789abcdef"


def of_digest(digest: str) -> str:
    """The reference to the bytes with this SHA-256. Raises GsdError `bad_reference`."""
    made = PREFIX + digest
    digest_of(made)
    return made


def digest_of(text: object) -> str:
    """The SHA-256 that a reference names. Raises GsdError `bad_reference`, which does not repeat the text."""
    if not is_reference(text):
        hint = f"a reference is {PREFIX} and {DIGEST_LENGTH} lowercase hex digits, nothing around it"
        raise GsdError("this is no reference to an artifact", reason="bad_reference", hint=hint)
    return str(text).removeprefix(PREFIX)


def is_meant(text: object) -> bool:
    """Whether `text` is meant as a reference, be it one or not."""
    return isinstance(text, str) and text.startswith(SCHEME)


def is_reference(text: object) -> bool:
    """Whether `text` is a reference and nothing else."""
    if not isinstance(text, str) or len(text) != LENGTH or not text.startswith(PREFIX):
        return False
    return not text.removeprefix(PREFIX).strip(_HEX)
