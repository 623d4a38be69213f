"""The words typed behind a command: tokenised exactly once, then told apart by the hint of the command.

A host hands them over as separate words, as one text, or on standard input. Quotes work as in a shell
where that can be meant: one opens at the start of a word or behind `=`, and closes where a word can end. Any
other quote is a character, as is every backslash; nothing is expanded.
"""

from __future__ import annotations

from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

STDIN = "-"
# Options that ask for the same thing as one of the hint, and options that stand for several.
SAME = {"--rc": "--next", "--cross-ai": "--converge"}
IMPLIED = {("quick", "--full"): ("--discuss", "--research", "--validate")}


class Arguments(NamedTuple):
    """What was typed: `text` as it came, `words` that are no options, `flags` that were passed or implied.

    `values` has the words that belong to an option. `missing` names options without the value they take,
    `unknown` options the command does not have; those stay among the words too.
    """

    text: str
    words: tuple[str, ...]
    flags: frozenset[str]
    values: Mapping[str, str | tuple[str, ...]]
    missing: tuple[str, ...]
    unknown: tuple[str, ...]


class Option(NamedTuple):
    """One option of a hint: whether it takes a value, and whether that may be several words."""

    takes: bool = False
    several: bool = False


def arguments(given: Sequence[str], workflow: str, hint: str, stdin: Callable[[], bytes]) -> Arguments:
    """What `given` means for the command of `workflow` with that argument hint.

    Several words are taken as they are; a single one is a text to be tokenised, and `-` alone says that
    the text is on standard input.
    """
    if len(given) > 1:
        text, words = _joined(given), list(given)
    else:
        text = stdin().decode("utf-8", "replace") if list(given) == [STDIN] else "".join(given)
        words = tokens(text)
    return _sorted_out(text.strip(), words, workflow, options(hint))


def tokens(text: str) -> list[str]:
    """The words of `text`."""
    found = []
    at = _start(text, 0)
    while at < len(text):
        word, end = _word(text, at)
        found.append(word)
        at = _start(text, end)
    return found


def options(hint: str) -> dict[str, Option]:
    """The options an argument hint declares: `[--prd <file>] [--auto]`."""
    found = {}
    for piece in hint.replace("[", " ").replace("]", " ").split("--")[1:]:
        name, _, rest = piece.partition(" ")
        value = rest.lstrip()
        takes = value.startswith("<")
        end = value.find(">") + 1
        found[f"--{name}"] = Option(takes, takes and value.startswith("...", end))
    return found


def takes_phase(hint: str) -> bool:
    """Whether the first word may be the number of a phase."""
    return hint.startswith(("<phase>", "[<phase>"))


def _start(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _word(text: str, at: int) -> tuple[str, int]:
    """The word that starts at `at`, and where it ends."""
    begin = at
    while at < len(text) and not text[at].isspace():
        if text[at] in "\"'" and (at == begin or text[at - 1] == "="):
            close = _closing(text, at)
            if close:
                return text[begin:at] + text[at + 1 : close], close + 1
        at += 1
    return text[begin:at], at


def _closing(text: str, opened: int) -> int:
    """Where the quote opened there closes: the next one behind which a word can end; 0 when none does."""
    at = text.find(text[opened], opened + 1)
    while at > 0 and at + 1 < len(text) and not text[at + 1].isspace():
        at = text.find(text[opened], at + 1)
    return max(at, 0)


def _joined(words: Sequence[str]) -> str:
    return " ".join(f'"{word}"' if not word or any(map(str.isspace, word)) else word for word in words)


class _Sorter:
    """Words on their way to where they belong.

    `open` is the option that takes the next ones, `asked` are those that waited for one.
    """

    __slots__ = ("asked", "flags", "known", "open", "unknown", "values", "words")

    def __init__(self, known: Mapping[str, Option]) -> None:
        self.known = known
        self.words: list[str] = []
        self.flags: list[str] = []
        self.asked: list[str] = []
        self.values: dict[str, list[str]] = {}
        self.unknown: list[str] = []
        self.open = ""

    def take(self, word: str) -> None:
        if word.startswith("--"):
            self._option(word)
        elif self.open:
            self.values.setdefault(self.open, []).append(word)
            self.open = self.open if self.known[self.open].several else ""
        else:
            self.words.append(word)

    def _option(self, word: str) -> None:
        name, equals, value = word.partition("=")
        option = self.known.get(SAME.get(name, name))
        self.open = ""
        if option is None or (equals and not option.takes):
            self.unknown.append(word)
            self.words.append(word)
            return
        self.flags.append(name)
        if equals:
            self.values.setdefault(name, []).append(value)
        elif option.takes:
            self.open = name
            self.asked.append(name)


def _sorted_out(text: str, words: Sequence[str], workflow: str, known: Mapping[str, Option]) -> Arguments:
    sorter = _Sorter(known)
    plain = list(words).index("--") if "--" in words else len(words)
    for word in words[:plain]:
        sorter.take(word)
    flags = set(sorter.flags)
    for flag in sorter.flags:
        flags.update(IMPLIED.get((workflow, flag), ()))
    values = {
        name: tuple(found) if known[name].several else found[-1] for name, found in sorter.values.items()
    }
    missing = tuple(name for name in dict.fromkeys(sorter.asked) if name not in values)
    return Arguments(
        text,
        (*sorter.words, *words[plain + 1 :]),
        frozenset(flags),
        values,
        missing,
        tuple(sorter.unknown),
    )
