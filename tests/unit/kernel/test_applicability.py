from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from gsd_install.kernel.applicability import ATOMS, REFUSED, Atom, Facts, applies, atom
from gsd_install.kernel.errors import GsdError
from support.content import loaded
from support.emissions import content
from support.generators import module

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

DOCS = os.path.join(os.path.dirname(__file__), *[os.pardir] * 3, "docs")

FLAGS = [
    *("--auto", "--discuss", "--fix", "--forensic", "--ingest", "--prd", "--research", "--research-phase"),
    *("--reset-phase-numbers", "--reviews", "--validate", "--wave"),
]
STATES = [
    *("auto-advance-active", "chunked-mode", "fallow-enabled", "flat-mode", "gap-closure-phase"),
    *("git-create-tag", "has-prior-phases", "is-monorepo", "needs-codebase-map", "next-channel"),
    *("phase-mvp-mode", "plan-strategy-converge", "reviewer-instances-configured", "ui-phase-active"),
    *("workstream-active", "worktrees-enabled"),
]
BOOLEANS = [name for name in Facts._fields if name != "flags"]


class Spy:
    """Facts that are all false and remember which of them were asked for."""

    def __init__(self) -> None:
        self.read: set[str] = set()

    def __getattr__(self, name: str) -> object:
        self.read.add(name)
        return getattr(Facts(), name)


def reads(found: Atom) -> set[str]:
    spy: Any = Spy()
    found.test(spy)
    return set(spy.read)


def mismatches(atoms: Mapping[str, Atom], facts: Iterable[str]) -> set[str]:
    """Facts that no atom reads, and atoms that read no fact there is or another than they declare."""
    unread = set(facts).difference(*(reads(found) for found in atoms.values()))
    wrong = {
        name
        for name, found in atoms.items()
        if reads(found) != ({found.fact} if found.fact else set()) or not reads(found) <= set(facts)
    }
    return unread | wrong


@pytest.mark.req("ADR1671-when-frozen-map")
def test_the_vocabulary_is_these_29_atoms_and_frozen() -> None:
    assert list(ATOMS) == [
        "always",
        *(f"flag:{flag}" for flag in FLAGS),
        *(f"state:{state}" for state in STATES),
    ]
    assert len(ATOMS) == 29
    for frozen in (ATOMS, REFUSED):
        with pytest.raises(TypeError):
            frozen["seeded"] = ATOMS["always"]  # type: ignore[index]


def test_atoms_and_facts_agree_both_ways() -> None:
    assert mismatches(ATOMS, Facts._fields) == set()


def test_that_comparison_sees_each_kind_of_gap() -> None:
    wrong = Atom("mvp_phase", "it declares another fact than it reads", lambda facts: facts.monorepo)
    silent = Atom("monorepo", "it reads nothing", lambda _: True)
    assert mismatches(ATOMS, [*Facts._fields, "seeded"]) == {"seeded"}
    assert mismatches(ATOMS, set(Facts._fields) - {"chunked"}) == {"state:chunked-mode"}
    assert mismatches({**ATOMS, "wrong": wrong, "silent": silent}, Facts._fields) == {"wrong", "silent"}
    assert mismatches({}, Facts._fields) == set(Facts._fields)


@pytest.mark.parametrize("flag", FLAGS)
def test_a_flag_atom_holds_for_its_flag_alone(flag: str) -> None:
    others = frozenset({*FLAGS, "--full", flag.removeprefix("--")} - {flag})
    assert applies(f"flag:{flag}", Facts(flags=frozenset({flag})))
    assert not applies(f"flag:{flag}", Facts(flags=others))


@pytest.mark.parametrize("state", STATES)
def test_a_state_atom_turns_with_its_fact_alone(state: str) -> None:
    name = f"state:{state}"
    settings: dict[str, Any] = dict.fromkeys(BOOLEANS, True)
    turned = [
        fact
        for fact, true in settings.items()
        if applies(name, Facts(**{fact: true})) != applies(name, Facts())
    ]
    assert turned == [ATOMS[name].fact]
    assert applies(name, Facts(flags=frozenset(FLAGS))) == applies(name, Facts())


@pytest.mark.req("ADR1671-when-positive")
def test_flat_mode_is_the_opposite_of_an_active_workstream() -> None:
    for active in (True, False):
        facts = Facts(workstream=active)
        assert applies("state:flat-mode", facts) is not applies("state:workstream-active", facts)


def test_without_facts_only_what_needs_none_applies() -> None:
    assert [name for name in ATOMS if applies(name, Facts())] == ["always", "state:flat-mode"]


def test_every_fact_is_documented() -> None:
    source = importlib.util.find_spec("gsd_install.kernel.applicability")
    assert source is not None
    assert source.origin is not None
    with open(source.origin, encoding="utf-8") as file:
        documented = re.findall(r'^    (\w+): \S+ = \S+\n    """', file.read(), re.MULTILINE)
    assert documented == list(Facts._fields)


@pytest.mark.parametrize("name", ATOMS)
def test_a_meaning_completes_a_sentence(name: str) -> None:
    meaning = ATOMS[name].meaning
    assert meaning
    assert not meaning.startswith("when")
    assert not meaning.endswith(".")
    assert meaning[0] == meaning[0].lower()


def refusal(when: str) -> GsdError:
    with pytest.raises(GsdError) as caught:
        applies(when, Facts())
    assert caught.value.reason == "unknown_when"
    return caught.value


@pytest.mark.req("ADR1671-when-unknown-refused")
@pytest.mark.parametrize(
    ("when", "hint"),
    [
        ("flag:--reserch", "did you mean 'flag:--research'?"),
        ("state:chunked", "did you mean 'state:chunked-mode'?"),
        ("flag:--wave || always", "did you mean 'flag:--wave'?"),
        ("moon", "docs/atoms.md lists the vocabulary"),
        ("", "docs/atoms.md lists the vocabulary"),
    ],
)
def test_an_unknown_atom_is_never_just_false(when: str, hint: str) -> None:
    found = refusal(when)
    assert repr(when) in found.message
    assert found.hint == hint


def test_an_error_says_where_the_atom_stands() -> None:
    with pytest.raises(GsdError) as caught:
        atom("flag:--x", file="workflows/a.md", line=3)
    assert caught.value.where == "workflows/a.md:3"


@pytest.mark.parametrize(
    ("when", "why"),
    [
        ("flag:--full", "gate on the one"),
        pytest.param(
            "flag:--verify-only", "section", marks=pytest.mark.req("ADR1671-atom-verify-only-refused")
        ),
        pytest.param(
            "flag:--converge",
            "state:plan-strategy-converge",
            marks=pytest.mark.req("ADR1671-atom-converge-refused"),
        ),
        pytest.param(
            "state:runtime-evidence-eligible", "reserved", marks=pytest.mark.req("ADR1671-atom-reserved")
        ),
    ],
)
def test_a_refused_atom_says_why(when: str, why: str) -> None:
    message = refusal(when).message
    assert "refused" in message
    assert why in message
    assert when not in ATOMS


def test_each_refused_atom_is_among_those_tested() -> None:
    assert set(REFUSED) == {
        "flag:--full",
        "flag:--verify-only",
        "flag:--converge",
        "state:runtime-evidence-eligible",
    }


def run(folder: Path, mode: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(folder / "generate_atoms.py"), mode]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    for name in ("generate_atoms.py", "pages.py", "atoms.md"):
        shutil.copy(os.path.join(DOCS, name), tmp_path)
    return tmp_path


@pytest.mark.req("ADR1671-when-ineligible-classes")
def test_the_page_is_up_to_date_and_complete(docs: Path) -> None:
    assert run(docs, "--check").returncode == 0
    page = (docs / "atoms.md").read_text(encoding="utf-8")
    for name in (*ATOMS, *REFUSED):
        assert page.count(f"| `{name}` |") == 1
    never = page.split("## Never")[1].split("##")[0]
    assert all(word in never for word in ("host", "git", "hook", "user answers", "verification"))


@pytest.mark.parametrize("seed", ["changed", "missing"])
def test_the_check_is_red_after_a_change_and_green_after_writing(docs: Path, seed: str) -> None:
    page = docs / "atoms.md"
    before = page.read_bytes()
    if seed == "missing":
        page.unlink()
    else:
        page.write_bytes(before.replace(b"| `always` |", b"| `never` |"))
    red = run(docs, "--check")
    assert red.returncode == 1
    assert "fix:" in red.stderr
    assert run(docs, "--write").returncode == 0
    assert page.read_bytes() == before
    assert run(docs, "--check").returncode == 0


@pytest.mark.req("ADR1671-when-widening-recorded")
def test_a_vocabulary_that_no_decision_records_stops_the_page() -> None:
    generator = module("generate_atoms")
    more = {**ATOMS, "flag:--seeded": ATOMS["always"]}
    with pytest.raises(ValueError, match="flag:--seeded"):
        generator.render(more, REFUSED, generator.DECISIONS)
    fewer = {name: found for name, found in ATOMS.items() if name != "flag:--wave"}
    with pytest.raises(ValueError, match="flag:--wave"):
        generator.render(fewer, REFUSED, generator.DECISIONS)
    twice = (*generator.DECISIONS, generator.Decision("2027-01-01", "again", ("always",)))
    with pytest.raises(ValueError, match="always"):
        generator.render(ATOMS, REFUSED, twice)


SMALL = 'x\n<!-- gsd:section id="a" when="flag:--wave" -->\n{}\n<!-- /gsd:section -->\n'


@pytest.mark.req("ADR1671-when-400-bytes")
def test_an_atom_that_gates_no_section_of_400_bytes_stops_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = module("generate_atoms")
    assert generator.render(ATOMS, REFUSED, generator.DECISIONS)
    for size, used in ((398, {}), (399, {"flag:--wave": ["w#a"]})):
        catalog = loaded(tmp_path / str(size), {"workflows/w.md": SMALL.format("x" * size)})
        assert generator.consumers(catalog) == used
    whole = generator.consumers
    fewer = {name: sections for name, sections in whole(content().catalog).items() if name != "flag:--wave"}
    monkeypatch.setattr(generator, "consumers", lambda catalog: fewer)
    with pytest.raises(ValueError, match=r"400 bytes or more is gated by flag:--wave\n"):
        generator.render(ATOMS, REFUSED, generator.DECISIONS)


def test_an_unrecorded_atom_turns_the_check_red(docs: Path) -> None:
    script = docs / "generate_atoms.py"
    script.write_text(script.read_text(encoding="utf-8").replace('"flag:--wave",\n', ""), encoding="utf-8")
    found = run(docs, "--check")
    assert found.returncode == 1
    assert "flag:--wave" in found.stderr
