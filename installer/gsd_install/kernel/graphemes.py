"""Where a text may be parted without breaking what a reader sees as one character.

A conservative reading of the extended grapheme clusters of Unicode Standard Annex 29: every position
reported here is a boundary there, but a few boundaries there (after a joiner, a virama or a prepended
mark) are not used here.
"""

from __future__ import annotations

from unicodedata import category, combining

_JOINER = "\u200d"

# Characters that attach to the one before although they are not of a mark category: joiners, halfwidth
# sound marks, Thai and Lao AM, emoji skin tones, emoji tags.
_ATTACHED = frozenset(
    "\u200c\u200d\uff9e\uff9f\u0e33\u0eb3"
    + "".join(map(chr, range(0x1F3FB, 0x1F400)))
    + "".join(map(chr, range(0xE0020, 0xE0080)))
)

# Grapheme_Cluster_Break=Prepend.
_PREPENDED = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e"
    "\U000110bd\U000110cd\U000111c2\U000111c3\U000113d1\U0001193f\U00011941\U00011a3a"
    "\U00011a84\U00011a85\U00011a86\U00011a87\U00011a88\U00011a89\U00011d46\U00011f02"
)

_VIRAMA = 9  # canonical combining class


def whole(text: str, at: int) -> int:
    """The last position up to `at` where `text` may be parted."""
    if at >= len(text):
        return len(text)
    while at > 0 and not _may_part(text, at):
        at -= 1
    return at


def next_whole(text: str, at: int) -> int:
    """The first position from `at` on where `text` may be parted."""
    while 0 < at < len(text) and not _may_part(text, at):
        at += 1
    return at


def _may_part(text: str, at: int) -> bool:
    before, after = text[at - 1], text[at]
    if before < "\u0300" and after < "\u0300":
        return before != "\r" or after != "\n"
    if after in _ATTACHED or category(after)[0] == "M" or before == _JOINER or before in _PREPENDED:
        return False
    return not (_conjunct(text, at) or _syllable(before, after) or _flag(text, at) or _halves(before, after))


def _conjunct(text: str, at: int) -> bool:
    """Whether a virama binds what is before `at` to what follows, as in Indic scripts."""
    while at > 0 and (category(text[at - 1]) == "Mn" or text[at - 1] == _JOINER):
        if combining(text[at - 1]) == _VIRAMA:
            return True
        at -= 1
    return False


def _syllable(before: str, after: str) -> bool:
    """Whether two Hangul characters form one syllable: L+L, L+V, L+LV, V+V, V+T and so on."""
    leading = "\u1100" <= before <= "\u115f" or "\ua960" <= before <= "\ua97c"
    if leading:
        return "\u1100" <= after <= "\u11a7" or "\ua960" <= after <= "\ua97c" or "\uac00" <= after <= "\ud7c6"
    hangul = "\u1160" <= before <= "\u11ff" or "\uac00" <= before <= "\ud7fb"
    return hangul and ("\u1160" <= after <= "\u11ff" or "\ud7b0" <= after <= "\ud7fb")


def _flag(text: str, at: int) -> bool:
    """Whether `at` is between the two regional indicators of one flag."""
    start = at
    while start > 0 and "\U0001f1e6" <= text[start - 1] <= "\U0001f1ff":
        start -= 1
    return (at - start) % 2 == 1 and "\U0001f1e6" <= text[at] <= "\U0001f1ff"


def _halves(before: str, after: str) -> bool:
    """Whether the two are the halves of one UTF-16 surrogate pair."""
    return "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff"
