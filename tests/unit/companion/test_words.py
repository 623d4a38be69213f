from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gsd_capabilities.companion.words import Option, arguments, options, takes_phase, tokens

HINT = "<phase> [--research] [--prd <file>] [--ingest <path>...] [--auto]"


def nothing() -> bytes:
    raise AssertionError("standard input is not asked for")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("  3   --auto\n", ["3", "--auto"]),
        ('"two words" x', ["two words", "x"]),
        ("'two words'", ["two words"]),
        ('--prd="my file.md" x', ["--prd=my file.md", "x"]),
        ('""', [""]),
        ("it's broken, isn't it", ["it's", "broken,", "isn't", "it"]),
        ("'it's fine'", ["it's fine"]),
        ('fix the "last one', ["fix", "the", '"last', "one"]),
        ('"', ['"']),
        ('say "a"b', ["say", '"a"b']),
        ('"a" "b c"', ["a", "b c"]),
        (r"C:\dir\x.md \n", [r"C:\dir\x.md", r"\n"]),
        ("$HOME `id` $(id) *", ["$HOME", "`id`", "$(id)", "*"]),
        ("naïve 日本 x", ["naïve", "日本", "x"]),
        ("a\nb\tc", ["a", "b", "c"]),
    ],
)
def test_a_text_is_tokenised_as_a_shell_would_without_expanding_it(text: str, words: list[str]) -> None:
    assert tokens(text) == words


@given(st.text(alphabet=" ab\"'=\\\n-"))
def test_nothing_but_blanks_and_closed_quotes_is_lost(text: str) -> None:
    drop = str.maketrans("", "", " \n\"'")
    assert "".join(tokens(text)).translate(drop) == text.translate(drop)


@given(
    st.lists(st.text(alphabet="abc-='\\ .", min_size=1).filter(lambda word: word.strip() == word), min_size=1)
)
def test_words_in_double_quotes_come_back(words: list[str]) -> None:
    assert tokens(" ".join(f'"{word}"' for word in words)) == words


def test_words_one_text_and_standard_input_mean_the_same() -> None:
    text = '3 --prd "the plan.md" --auto'
    given_words = arguments(["3", "--prd", "the plan.md", "--auto"], "plan-phase", HINT, nothing)
    assert arguments([text], "plan-phase", HINT, nothing) == given_words
    assert arguments(["-"], "plan-phase", HINT, lambda: text.encode()) == given_words
    assert given_words.words == ("3",)
    assert given_words.flags == {"--prd", "--auto"}
    assert given_words.values == {"--prd": "the plan.md"}


def test_separate_words_are_never_tokenised_again() -> None:
    assert arguments(["fix", "a 'b c'"], "quick", "<task>", nothing).words == ("fix", "a 'b c'")


@pytest.mark.parametrize(
    ("text", "words", "flags", "values"),
    [
        ("--research 3", ("3",), {"--research"}, {}),
        ("--prd=x.md 3", ("3",), {"--prd"}, {"--prd": "x.md"}),
        ("3 --ingest a b --auto c", ("3", "c"), {"--ingest", "--auto"}, {"--ingest": ("a", "b")}),
        ("--prd a --prd b", (), {"--prd"}, {"--prd": "b"}),
        ("3 -- --auto", ("3", "--auto"), set(), {}),
    ],
)
def test_options_stand_anywhere_and_take_what_the_hint_says(
    text: str, words: tuple[str, ...], flags: set[str], values: dict[str, object]
) -> None:
    found = arguments([text], "plan-phase", HINT, nothing)
    assert (found.words, set(found.flags), dict(found.values)) == (words, flags, values)
    assert (found.missing, found.unknown) == ((), ())


def test_what_the_command_does_not_have_is_named_and_kept() -> None:
    found = arguments(["3 --wave 2 --auto=yes --prd --research"], "plan-phase", HINT, nothing)
    assert found.unknown == ("--wave", "--auto=yes")
    assert found.words == ("3", "--wave", "2", "--auto=yes")
    assert found.missing == ("--prd",)
    assert found.flags == {"--prd", "--research"}


def test_full_implies_its_parts_for_quick_alone() -> None:
    hint = "<task> [--discuss] [--research] [--validate] [--full]"
    parts = {"--discuss", "--research", "--validate"}
    assert arguments(["x --full"], "quick", hint, nothing).flags == {"--full", *parts}
    assert arguments(["x --full"], "other", hint, nothing).flags == {"--full"}


def test_other_spellings_of_an_option_count_where_it_exists() -> None:
    assert arguments(["--rc"], "update", "[--next]", nothing).flags == {"--rc"}
    assert arguments(["--rc"], "plan-phase", HINT, nothing).unknown == ("--rc",)


def test_hints_are_read() -> None:
    assert options("[<phase> | --base <ref> | <path>...] [--fix] [--on <a>...]") == {
        "--base": Option(takes=True),
        "--fix": Option(),
        "--on": Option(takes=True, several=True),
    }
    assert options("list | add <text>") == {}
    assert takes_phase("[<phase> | <path>...]")
    assert not takes_phase("<task> [--full]")
