from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.emit import fields
from gsd_install.emit.fit import CapError, Fitted, Subject, fit
from gsd_install.emit.text import Stretch
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.measure import measure
from gsd_install.runtime import Cap, Draft, Field, Form, Source, inline, markdown, stub, toml
from gsd_install.runtime.dialects import DIALECTS
from gsd_install.runtime.words import CapUnit, FieldValue

MARKDOWN = markdown("name", "description")
TOML = toml("name", "description", Field("prompt", "body"))
UNITS: tuple[CapUnit, ...] = ("bytes", "characters", "lines", "tokens")
LOREM = "word wörd " * 12
PARTS = "".join(f"## Part {number}\n\n{LOREM}\n\nmore {LOREM}\n\n" for number in range(8))
LINES = f"{LOREM}\n" * 20
POINTER = re.compile(r"(?:^#+ .*\n\n)?^Read ~/p/(\S+) now: .*\n+", re.MULTILINE)


class Host(NamedTuple):
    """What a document is written for: its forms, and the fields beside those every form has."""

    forms: tuple[Form, ...] = (MARKDOWN,)
    extra: Mapping[str, FieldValue] = {}

    def subject(self, body: str | list[Stretch], description: str = "What it does") -> Subject:
        def draft(form: Form, text: str, about: str) -> Draft:
            known: dict[str, Any] = {"name": "ac-x", "description": about, "body": text, **self.extra}
            held = {field.key: known[field.source or field.key] for field in form.fields}
            return Draft("command", "ac-x", "X", about, {**held, **self.extra}, text)

        return Subject(
            kind="command",
            name="ac-x",
            file="/content/commands/x.md",
            forms=self.forms,
            stretches=(Stretch(body),) if isinstance(body, str) else tuple(body),
            pointer="Read ~/aside/x.md and follow it to the end.\n",
            description=description,
            convert=lambda form, text, about: DIALECTS[form.dialect](draft(form, text, about)),
            values=lambda form, about: draft(form, "", about).fields,
            spell=lambda name: f"~/p/{name}",
        )


HOST = Host()
BOTH = Host((inline, stub))


def cap(limit: int, unit: CapUnit = "bytes", **more: Any) -> Cap:
    return Cap("command", limit, unit=unit, **more)


def size(subject: Subject, unit: str = "bytes", form: int = 0) -> int:
    """How much the document has when nothing limits it."""
    return measure(subject.convert(subject.forms[form], subject.body, subject.description), unit)


def kept(subject: Subject, *caps: Cap) -> Fitted:
    """The fitted document, after a look at every cap on the file that must hold."""
    found = fit(subject, caps)
    for item in caps:
        if item.field is None and item.on_excess != "warn":
            assert measure(found.text, item.unit) <= item.limit
    return found


def attempt(subject: Subject, *caps: Cap) -> Fitted | CapError:
    try:
        return kept(subject, *caps)
    except CapError as error:
        return error


def refused(subject: Subject, *caps: Cap) -> GsdError:
    with pytest.raises(GsdError) as caught:
        fit(subject, caps)
    error = caught.value
    assert (error.reason, error.file) == ("over_cap", "/content/commands/x.md")
    assert error.hint
    return error


def restored(found: Fitted) -> str:
    """The text with every pointer replaced by the file it names."""
    files = {moved.name: moved.text for moved in found.moved}
    return POINTER.sub(lambda match: files.pop(match[1]), found.text)


# One under, at, one over.


@pytest.mark.case("CS-09")
@pytest.mark.req("ADR1671-compose-boundaries")
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("form", [MARKDOWN, inline, TOML], ids=lambda form: str(form.dialect))
def test_at_the_cap_nothing_changes_and_one_over_does(unit: CapUnit, form: Form) -> None:
    subject = Host((form,)).subject(PARTS)
    whole = size(subject, unit)
    for limit in (whole, whole + 1):
        found = kept(subject, cap(limit, unit))
        assert (found.text, found.moved, found.reason) == (
            subject.convert(form, PARTS, "What it does"),
            (),
            None,
        )
    found = kept(subject, cap(whole - 1, unit))
    assert found.moved
    assert found.whole
    assert found.reason
    assert (found.reason.cap.limit, found.reason.size) == (whole - 1, whole)
    assert found.warnings == ()


@pytest.mark.req("ADR1671-units")
@pytest.mark.parametrize("letter", ["é", "日", "😀"])
def test_a_cap_counts_the_bytes_of_utf_8_unless_it_says_otherwise(letter: str) -> None:
    subject = HOST.subject(PARTS.replace("o", letter))
    characters, whole = size(subject, "characters"), size(subject, "bytes")
    assert characters < whole - 1
    assert kept(subject, Cap("command", whole)).moved == ()
    assert kept(subject, Cap("command", whole - 1)).moved
    assert kept(subject, Cap("command", whole - 1, unit="characters")).moved == ()


@pytest.mark.req("ADR1671-caps-graceful")
def test_every_sentence_of_a_document_that_was_over_is_found_again() -> None:
    subject = HOST.subject(f"Intro.\n\n{PARTS}")
    for limit in range(700, size(subject), 97):
        found = kept(subject, cap(limit))
        assert restored(found).endswith(f"Intro.\n\n{PARTS}")


@pytest.mark.req("ADR1671-stub-form")
def test_the_next_form_comes_before_anything_moves() -> None:
    found = kept(BOTH.subject(PARTS), cap(300))
    assert found.text == "# X\n\nWhat it does\n\nRead ~/aside/x.md and follow it to the end.\n"
    assert (found.whole, found.moved) == (False, ())
    assert found.reason
    assert found.reason.size == size(BOTH.subject(PARTS))


def test_where_even_the_pointer_is_too_long_the_text_itself_is_fitted() -> None:
    host = Host((inline, stub))
    subject = host.subject(PARTS)._replace(pointer="Read it. " * 200)
    found = kept(subject, cap(900))
    assert found.whole
    assert found.moved


def test_a_pointer_that_does_not_fit_and_has_no_whole_form_is_refused() -> None:
    error = refused(Host((stub,)).subject(PARTS), cap(30))
    assert isinstance(error, CapError)
    assert (error.required, error.available) == (size(Host((stub,)).subject("")) + 44, 30)


# Refusals.


@pytest.mark.req("ADR1671-compose-fits-or-refuses")
@pytest.mark.parametrize("form", [MARKDOWN, TOML], ids=lambda form: str(form.dialect))
@pytest.mark.parametrize("unit", UNITS)
def test_a_refusal_says_what_is_needed_and_what_takes_the_room(form: Form, unit: CapUnit) -> None:
    subject = Host((form,)).subject(
        [
            Stretch("You fix.\n", "isolate"),
            Stretch(f"\n## Rules\n\n{LOREM * 5}\n", "keep"),
            Stretch(f"\n## Steps\n\n{LOREM}{LOREM}\n\n{LOREM}\n"),
        ]
    )
    error = refused(subject, cap(20, unit) if unit != "lines" else cap(5, unit))
    assert isinstance(error, CapError)
    assert error.available == (20 if unit != "lines" else 5)
    assert dict(error.contributors)["Rules"] == measure(subject.stretches[1].text, unit)
    assert "Rules" in str(error.hint)
    assert f"{error.required:,}" in error.message
    kept(subject, cap(error.required, unit))
    refused(subject, cap(error.required - 1, unit))
    assert set(error.fits) < {"You fix. …", "Rules", "Steps"}


def test_a_frontmatter_that_is_too_long_by_itself_is_refused() -> None:
    error = refused(HOST.subject("x\n", "word " * 100), cap(200))
    assert isinstance(error, CapError)
    assert error.required == size(HOST.subject("x\n", "word " * 100))


# Several caps at once.


@pytest.mark.req("ADR1671-caps-graceful")
@given(
    limits=st.tuples(
        st.integers(500, 3_000), st.integers(300, 3_000), st.integers(12, 60), st.integers(120, 900)
    ),
    form=st.sampled_from([MARKDOWN, TOML, inline]),
)
@settings(max_examples=60, deadline=None)
def test_all_caps_hold_at_once_or_the_document_is_refused(limits: tuple[int, ...], form: Form) -> None:
    subject = Host((form,)).subject(PARTS)
    caps = [cap(limit, unit) for limit, unit in zip(limits, UNITS, strict=True)]
    try:
        found = kept(subject, *caps)
    except CapError as error:
        # One of them alone is too much to ask, too.
        with pytest.raises(CapError):
            fit(subject, [error.cap])
    else:
        assert len("".join(moved.text for moved in found.moved)) <= len(PARTS)


@pytest.mark.parametrize(
    ("first", "second"), [("bytes", "lines"), ("lines", "bytes"), ("characters", "tokens")]
)
def test_the_tighter_of_two_caps_rules(first: CapUnit, second: CapUnit) -> None:
    subject = HOST.subject(PARTS)
    caps = (cap(size(subject, first) - 1, first), cap(size(subject, second) // 2, second))
    found = kept(subject, *caps)
    assert found.reason
    assert found.reason.cap == caps[1]


@pytest.mark.parametrize(("unit", "other"), [("bytes", "lines"), ("lines", "tokens")])
def test_no_more_moves_than_the_caps_ask_for(unit: CapUnit, other: CapUnit) -> None:
    text = "".join(f"## Part {number}\n\n{LINES}\n" for number in range(12))
    subject = HOST.subject(text)
    caps = (cap(size(subject, unit) // 2, unit), cap(size(subject, other) * 2 // 5, other))
    found = kept(subject, *caps)
    assert 7 <= len(found.moved) <= 9
    assert any(measure(found.text, item.unit) > item.limit * 0.75 for item in caps)


def test_a_cap_that_is_kept_first_does_not_cost_more_than_the_other_needs() -> None:
    long = "".join(f"## Long {number}\n\n{(LOREM * 3 + chr(10) * 2) * 3}" for number in range(40))
    short = "".join(f"## Short {number}\n\n{('x' + chr(10)) * 200}\n" for number in range(4))
    subject = HOST.subject(long + short)
    caps = (cap(size(subject, "lines") * 2 // 5, "lines"), cap(size(subject) // 2))
    found = kept(subject, *caps)
    assert found.reason
    assert found.reason.cap.unit == "lines"
    assert len(found.text.encode()) > caps[1].limit * 0.8


def test_a_cap_on_another_kind_says_nothing_about_this_one() -> None:
    assert fit(HOST.subject(PARTS), [Cap("agent", 1)]).reason is None


# A dialect whose escapes cost.

QUOTED = st.lists(
    st.sampled_from(
        [
            "## A\n",
            "## B\n",
            "'''\n",
            '\\d "x"\n',
            "é\n",
            "\n",
            "plain words of some length\n",
            "\t\n",
            "x'\n",
        ]
    ),
    min_size=1,
    max_size=25,
).map("".join)


@given(body=QUOTED, share=st.floats(0.2, 1.1))
@settings(max_examples=120, deadline=None)
def test_a_file_that_escapes_its_text_keeps_the_cap_as_written(body: str, share: float) -> None:
    subject = Host((TOML,)).subject(body)
    limit = int(size(subject) * share) + 1
    found = attempt(subject, cap(limit))
    if isinstance(found, CapError):
        assert found.required > found.available == limit
        assert kept(subject, cap(found.required))
        return
    prompt = tomllib.loads(found.text)["prompt"]
    files = {moved.name: moved.text for moved in found.moved}
    assert POINTER.sub(lambda match: files[match[1]], prompt).split() == body.split()
    assert set(files) == {match[1] for match in POINTER.finditer(prompt)}


def test_room_that_escapes_do_not_need_is_used() -> None:
    parts = "".join(f"## Part {number}\n\n{LOREM}\n\n" for number in range(20))
    subject = Host((TOML,)).subject(f"'''\n{parts}")
    limit = size(subject) * 2 // 3
    found = kept(subject, cap(limit))
    assert len(found.text.encode()) > limit * 0.8


def test_load_bearing_text_that_grows_in_the_dialect_is_still_kept_where_it_fits() -> None:
    rules = "'''\n" + 'a "quoted" \\ line\n' * 30
    subject = Host((TOML,)).subject([Stretch(rules, "keep"), Stretch(f"## Rest\n\n{LOREM * 9}\n")])
    error = refused(subject, cap(100))
    assert isinstance(error, CapError)
    assert rules in tomllib.loads(kept(subject, cap(error.required)).text)["prompt"]
    refused(subject, cap(error.required - 1))


# What an author allows to be lost.

REGIONS = [
    Stretch("Who you are.\n\n", "isolate"),
    Stretch(f"## Rules\n\n{LOREM}\n\n", "keep"),
    Stretch(f"## Examples\n\n{LOREM * 4}\n\n", "drop"),
    Stretch(f"## Log\n\nnewest\n{LOREM * 4}\n\n", "shrink:3"),
    Stretch(f"## Rest\n\n{LOREM * 4}\n"),
]


@pytest.mark.req("ADR1671-strategy-drop")
def test_declared_losses_come_only_when_nothing_lossless_is_enough() -> None:
    subject = HOST.subject(REGIONS)
    lossless = next(limit for limit in range(50, 2_000) if _warnings(subject, limit) == ())
    assert len(kept(subject, cap(lossless)).moved) == 3
    found = kept(subject, cap(lossless - 1))
    assert found.warnings == ("ac-x: 'Examples' was left out or shortened, as its author allows",)
    assert f"\n[to fit {lossless - 1} bytes, left out: Examples]\n" in found.text
    assert "Examples" not in {moved.name for moved in found.moved}


def _warnings(subject: Subject, limit: int) -> tuple[str, ...] | None:
    try:
        return fit(subject, [cap(limit)]).warnings
    except CapError:
        return None


def test_the_fixed_prefix_and_the_kept_region_are_the_same_under_every_cap() -> None:
    subject = HOST.subject(REGIONS)
    pressed = 0
    for limit in range(200, 2_000, 41):
        try:
            found = fit(subject, [cap(limit)])
        except CapError:
            continue
        pressed += found.reason is not None
        assert found.text.partition("---\n\n")[2].startswith("Who you are.\n\n")
        assert REGIONS[1].text in found.text
    assert pressed


# Caps that only warn.


def test_a_cap_that_warns_is_kept_where_that_costs_nothing() -> None:
    found = kept(HOST.subject(PARTS), cap(900, on_excess="warn"))
    assert (found.warnings, bool(found.moved)) == ((), True)
    assert len(found.text.encode()) <= 900


def test_a_cap_that_warns_names_both_sizes_and_changes_nothing() -> None:
    subject = HOST.subject([Stretch(PARTS, "keep")])
    found = kept(subject, cap(900, on_excess="warn"))
    assert found.warnings == (f"ac-x has {size(subject):,} bytes, the limit is 900",)
    assert found.text == subject.convert(MARKDOWN, PARTS, "What it does")
    assert found.reason is None


def test_a_strict_cap_holds_where_one_that_warns_cannot() -> None:
    subject = HOST.subject([Stretch(LOREM * 4, "keep"), Stretch(f"\n\n{PARTS}")])
    found = kept(subject, cap(200, on_excess="warn"), cap(1_500))
    assert found.moved
    assert len(found.warnings) == 1
    assert "the limit is 200" in found.warnings[0]


# Fields.


@pytest.mark.parametrize("unit", ["characters", "bytes", "tokens"])
@pytest.mark.req("ADR1671-windsurf-description")
def test_a_description_is_cut_at_a_word_and_both_sizes_are_named(unit: CapUnit) -> None:
    text = " ".join(f"wörd{number}" for number in range(300))
    limit = cap(200, unit, field="description", on_excess="shrink")
    found = kept(HOST.subject("x\n", text), limit)
    assert measure(found.description, unit) <= 200
    assert measure(found.description, unit) > 180
    assert found.description.endswith("…")
    assert text.startswith(found.description.removesuffix("…").rstrip())
    assert text[len(found.description.removesuffix("…").rstrip())] == " "
    assert found.description in found.text
    [said] = found.warnings
    assert said == (
        f"ac-x: description cut from {measure(text, unit):,} to {measure(found.description, unit):,} {unit}, "
        "the limit is 200"
    )


@pytest.mark.parametrize("length", [199, 200])
def test_a_description_that_keeps_its_cap_is_not_touched(length: int) -> None:
    found = kept(
        HOST.subject("x\n", "d" * length), cap(200, "characters", field="description", on_excess="shrink")
    )
    assert (found.description, found.warnings) == ("d" * length, ())


def test_a_cap_on_a_field_can_warn_or_refuse() -> None:
    text = "word " * 100
    found = kept(HOST.subject("x\n", text), cap(50, "characters", field="description", on_excess="warn"))
    assert found.warnings == ("ac-x: the description has 500 characters, the limit is 50",)
    assert text in found.text
    error = refused(HOST.subject("x\n", text), cap(50, "characters", field="description"))
    assert "the description of ac-x has 500 characters, the limit is 50" in str(error)
    assert error.hint == "shorten the description"
    error = refused(HOST.subject("x\n"), cap(3, "characters", field="name"))
    assert "the name of ac-x has 4 characters, the limit is 3" in str(error)
    assert kept(HOST.subject("x\n"), cap(4, "characters", field="name"))


def test_any_field_that_is_written_can_have_a_cap() -> None:
    host = Host(extra={"compatibility": ["needs git", "needs make"], "other": {"a": 1}})
    limit = cap(10, "characters", field="compatibility")
    error = refused(host.subject("x\n"), limit)
    assert "the compatibility of ac-x has 21 characters, the limit is 10" in str(error)
    assert kept(HOST.subject("x\n"), limit).warnings == ()
    refused(host.subject("x\n"), cap(3, "characters", field="other"))
    assert kept(host.subject("x\n"), cap(4, "characters", field="other"))


@pytest.mark.req("ADR1671-windsurf-description")
@pytest.mark.parametrize("host", [HOST, BOTH, Host((TOML,))])
def test_a_huge_description_cannot_make_a_file_exceed_its_cap(host: Host) -> None:
    text = " ".join(f"word{number}" for number in range(1_500))
    found = kept(host.subject(PARTS, text), cap(4_000))
    assert len(found.description) <= fields.DESCRIPTION
    [said] = found.warnings
    assert said == (
        f"ac-x: description cut from {len(text):,} to {len(found.description):,} characters, "
        "so that its file keeps 4,000 bytes"
    )


def test_a_long_description_stays_where_moving_the_text_is_enough() -> None:
    text = " ".join(f"word{number}" for number in range(200))
    found = kept(HOST.subject(PARTS, text), cap(2_500))
    assert (found.description, found.warnings) == (text, ())
    assert found.moved


def test_a_sum_is_not_the_business_of_one_document() -> None:
    assert kept(HOST.subject(PARTS), cap(1, field="listing"), cap(1, field="chain")).reason is None


def test_caps_are_told_with_their_source() -> None:
    where = Source("https://acme.example/limits", "2026-01-01")
    found = kept(HOST.subject(PARTS), cap(900, source=where))
    assert found.reason
    assert found.reason.cap.source == where
    assert {change.part for change in found.reason.changes} == {f"Part {number}" for number in range(8)}
    assert {change.file for change in found.reason.changes} - {""} == {moved.name for moved in found.moved}
