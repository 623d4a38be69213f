"""Limits, kept by real installs of the real console script.

The gate looks at nothing but declared caps and installed files: what is over, which cap met no file, which
files no cap met, and whether anything had to be changed at all.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from gsd_install.emit.emit import emit
from gsd_install.emit.target import Target, target
from gsd_install.kernel.measure import measure
from gsd_install.plugins import Plugin, Plugins
from gsd_install.runtime import Cap
from gsd_install.runtime.platform import Platform
from gsd_install.runtime.words import Scope
from support.content import content_root, loaded
from support.installs import FOUR, Machine, machine
from support.plugins import overlays
from support.trees import assert_same

SCOPES: tuple[Scope, ...] = ("global", "project")
POINTER = re.compile(r"Read (\S+) (?:now:|and follow it)|^- (\S+\.md)$", re.MULTILINE)
WORD = re.compile(r"qq\d{6}")
HUGE = 13_000


class Rule(NamedTuple):
    """A cap of a runtime, as it must hold in one scope."""

    runtime: str
    cap: Cap

    def __str__(self) -> str:
        what = f"{self.cap.kind} {self.cap.field}" if self.cap.field else self.cap.kind
        return f"{self.runtime}: {self.cap.limit:,} {self.cap.unit} on each {what}"


class Seen(NamedTuple):
    """What the gate saw in a tree."""

    over: list[str]
    dead: list[str]
    unmeasured: list[str]
    measured: list[str]


@cache
def plugin(runtime: str) -> Plugin:
    return Plugins().get(runtime)


def rules(runtime: str, scope: Scope) -> list[Rule]:
    """Every cap that is declared for the scope and can be read off a single installed file."""
    declared = plugin(runtime).caps
    return [Rule(runtime, cap) for cap in declared if cap.scope in (None, scope) and cap.field != "listing"]


def target_in(box: Machine, runtime: str, scope: Scope) -> Target:
    base = box.home if scope == "global" else box.project
    platform = Platform("linux", str(box.home), {}, str(box.project))
    return target(plugin(runtime).runtime, scope, platform, base=str(base), payload=str(base / ".gsd"))


def installed(box: Machine) -> dict[str, bytes]:
    """Every file, machine facts and the ledger apart."""
    paths = [path for path in box.home.rglob("*") if path.is_file() and ".local" not in path.parts]
    return {str(path): path.read_bytes() for path in paths if path.name != "ledger.json"}


def files_of(
    box: Machine, runtime: str, scope: Scope, kind: str, files: Mapping[str, bytes]
) -> Iterator[tuple[str, str]]:
    """The files that the host finds as documents of a kind, each with the name it goes by."""
    made = target_in(box, runtime, scope)
    patterns = [made.resolve(place.path) for place in made.places(kind)]
    if kind == "rule":
        surfaces = [item for item in made.runtime.surfaces if item.name == "instructions"]
        patterns = [
            made.resolve(path) for item in surfaces if item.scope in (None, scope) for path in item.paths
        ]
    for pattern in patterns:
        expression = re.escape(pattern).replace(re.escape("{name}"), "(?P<name>[^/]+)")
        for path in files:
            found = re.fullmatch(expression, path)
            if found:
                yield path, found.groupdict().get("name", "")


def field(text: str, path: str, name: str) -> str | None:
    """A field of a file's frontmatter, or of a TOML file, read with other parsers than ours."""
    if path.endswith(".toml"):
        value = tomllib.loads(text).get(name)
    elif text.startswith("---\n"):
        value = yaml.safe_load(text[4:].split("\n---\n")[0]).get(name)
    else:
        value = None
    return None if value is None else str(value)


def gate(box: Machine, scope: Scope, declared: Iterable[Rule], files: Mapping[str, bytes]) -> Seen:
    """Hold every installed file against every declared cap."""
    seen = Seen([], [], [], [])
    for rule in declared:
        met = 0
        for path, name in files_of(box, rule.runtime, scope, rule.cap.kind, files):
            text = files[path].decode()
            whole = text if rule.cap.field in (None, "chain") else None
            value = name if rule.cap.field == "name" else whole
            if value is None:
                value = field(text, path, str(rule.cap.field))
            if value is None:
                continue
            met += 1
            seen.measured.append(path)
            if measure(value, rule.cap.unit) > rule.cap.limit:
                seen.over.append(f"{path}: {measure(value, rule.cap.unit):,} is over {rule}")
        if not met:
            seen.dead.append(str(rule))
    seen.unmeasured.extend(sorted(set(files) - set(seen.measured)))
    return seen


def changed(
    box: Machine, runtime: str, scope: Scope, files: Mapping[str, bytes], words: Mapping[str, set[str]]
) -> set[str]:
    """The documents of which not every word stands where the host finds the document."""
    return {
        name
        for kind in ("command", "agent", "skill")
        for path, name in files_of(box, runtime, scope, kind, files)
        if not words.get(name, set()) <= set(WORD.findall(files[path].decode()))
    }


# Content with a document over, at and under every cap.


class Content(NamedTuple):
    """Files of a content root; `words` are the words of each document's text by installed name."""

    files: dict[str, str]
    words: dict[str, set[str]]


def filler(length: int, start: int = 0) -> str:
    """Exactly so many characters of numbered words, in parts with headings of their own."""
    words = [f"qq{start + number:06} " for number in range(length // 9 + 2)]
    parts = (words[at : at + 40] for at in range(0, len(words), 40))
    text = "".join(f"\n## Part {at}\n\n{''.join(part)}\n" for at, part in enumerate(parts))
    return text[1 : length + 1]


def sentence(length: int, start: int = 0) -> str:
    """Exactly so many characters in one line, numbered words and a last one."""
    words = "".join(f"qq{start + number:06} " for number in range(length // 9 + 1))
    return f"{words[: length - 10]}x qq{start + 9_999:06}"


def path_of(kind: str, name: str) -> str:
    return f"skills/{name}/SKILL.md" if kind == "skill" else f"{kind}s/{name}.md"


def described(text: str, about: str = "What it does", tier: str = "core") -> str:
    return f"---\ndescription: {about}\ntier: {tier}\n---\n{text}"


def overhead(folder: Path, rule: Rule, scope: Scope, box: Machine) -> int:
    """How much of a file of the kind is not its text."""
    catalog = loaded(folder, {path_of(rule.cap.kind, "c0-0"): described("## x\n")})
    made = target_in(box, rule.runtime, scope)
    found = emit(catalog, catalog.documents, made, (), plugin(rule.runtime).converters)
    unit = rule.cap.unit
    return measure(found.outputs[0].data.decode(), unit) - measure("## x\n", unit)


def sized_content(folder: Path, declared: list[Rule], scope: Scope, box: Machine) -> Content:
    """For each cap that a document can be over: one just under it, at it, just over it, far over it."""
    files = {"rules/r.md": filler(4_000, start=900_000)}
    for at, rule in enumerate(declared):
        cap = rule.cap
        if cap.field == "name":
            for length in (cap.limit - 1, cap.limit):
                files[path_of(cap.kind, f"n{at}-".ljust(length - len("ac-"), "x"))] = described("text\n")
        if cap.field not in (None, "description"):
            continue
        less = 0 if cap.field else overhead(folder / f"probe{at}", rule, scope, box)
        for number, size in enumerate((cap.limit - 1, cap.limit, cap.limit + 1, HUGE)):
            start = at * 100_000 + number * 10_000
            text = (
                described("text\n", sentence(size, start))
                if cap.field
                else described(filler(size - less, start))
            )
            files[path_of(cap.kind, f"c{at}-{number}")] = text
    names = {path: Path(path).parent.name if path.endswith("SKILL.md") else Path(path).stem for path in files}
    return Content(files, {f"ac-{names[path]}": set(WORD.findall(text)) for path, text in files.items()})


class Installed(NamedTuple):
    """A machine on which sized content is installed for one runtime."""

    box: Machine
    runtime: str
    scope: Scope
    rules: list[Rule]
    content: Content
    command: tuple[str, ...]
    before: Any
    files: dict[str, bytes]
    warnings: list[str]

    @property
    def changed(self) -> set[str]:
        return changed(self.box, self.runtime, self.scope, self.files, self.content.words)


YOURS = b"u" * 29_999 + b"\n"
CAPPED = [(runtime, scope) for runtime in FOUR for scope in SCOPES if rules(runtime, scope)]


@pytest.fixture(scope="module", params=CAPPED, ids=lambda pair: "-".join(pair))
def sized(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("sized")
    box = machine(folder)
    runtime, scope = request.param
    declared = rules(runtime, scope)
    content = sized_content(folder, declared, scope, box)
    root = content_root(folder / "content", content.files)
    (box.project / "AGENTS.md").write_bytes(YOURS)
    before = box.tree()
    options = ("--content", str(root), "--profile", "full", "--with", "instructions")
    command = ("--runtime", runtime, "--scope", scope, *options)
    told = box.run(*command, "--json").ok().json["warnings"]
    return Installed(box, runtime, scope, declared, content, command, before, installed(box), told)


@pytest.mark.case("CS-09")
@pytest.mark.req(
    "ADR1671-caps-on-emitted",
    "ADR1671-caps-real-installs",
    "ADR1671-caps-fitter-used",
    "ADR1671-caps-no-dead-rule",
    "ADR1671-windsurf-cap",
    "ADR1671-windsurf-description",
)
def test_no_installed_file_is_over_a_declared_cap(sized: Installed) -> None:
    seen = gate(sized.box, sized.scope, sized.rules, sized.files)
    assert seen.over == []
    assert seen.dead == []
    assert sized.changed
    assert sorted({*seen.measured, *seen.unmeasured}) == sorted(sized.files)
    # What no cap can be over: texts that are read by path, and instructions without a limit.
    free = ("/.gsd/content/", "/acme/", "AGENTS.md", "CLAUDE.md", "global_rules.md")
    free += ("/.gsd/lib/", "/.gsd/bin/", "/.gsd/hosts/", "/companion.json", "/.gsd/.gitignore")
    assert [path for path in seen.unmeasured if not any(part in path for part in free)] == []


@pytest.mark.req("ADR1671-caps-graceful", "ADR1671-compose-selects-per-runtime")
def test_what_was_over_lost_no_word_and_what_was_not_is_untouched(sized: Installed) -> None:
    there = set(WORD.findall(b"\n".join(sized.files.values()).decode()))
    sizes = ("just under", "at", "just over", "far over")
    for at, rule in enumerate(sized.rules):
        names = [f"ac-c{at}-{number}" for number in range(4)]
        if names[0] not in sized.content.words:
            continue
        assert dict(zip(sizes, (name in sized.changed for name in names), strict=True)) == dict(
            zip(sizes, (False, False, True, True), strict=True)
        )
        for name in names:
            assert len(sized.content.words[name]) > 100
            assert rule.cap.field or sized.content.words[name] <= there, name


def test_descriptions_are_cut_at_a_word_and_every_cut_is_told(sized: Installed) -> None:
    rows = [(at, rule) for at, rule in enumerate(sized.rules) if rule.cap.field == "description"]
    assert rows
    for at, rule in rows:
        limit = rule.cap.limit
        kinds = dict(_named(sized, rule.cap.kind))
        for number, size in enumerate((limit - 1, limit, limit + 1, HUGE)):
            name = f"ac-c{at}-{number}"
            value = field(sized.files[kinds[name]].decode(), kinds[name], "description") or ""
            told = [said for said in sized.warnings if said.startswith(f"{name}: ")]
            if size <= limit:
                assert (len(value), told) == (size, [])
                continue
            assert limit - 9 <= len(value) <= limit
            whole = sentence(size, at * 100_000 + number * 10_000)
            assert whole.startswith(f"{value.removesuffix('…')} ")
            [said] = told
            assert f"description cut from {size:,} to {len(value):,} characters" in said


def _named(sized: Installed, kind: str) -> Iterator[tuple[str, str]]:
    for path, name in files_of(sized.box, sized.runtime, sized.scope, kind, sized.files):
        yield name, path


@pytest.mark.req("ADR1671-stub-resolves")
def test_every_pointer_leads_to_an_installed_file(sized: Installed) -> None:
    assert unresolved(sized.box, sized.scope, sized.files) == []
    whole = [rule for rule in sized.rules if rule.cap.field in (None, "chain")]
    assert any(POINTER.search(data.decode()) for data in sized.files.values()) == bool(whole)


def unresolved(box: Machine, scope: Scope, files: Mapping[str, bytes]) -> list[str]:
    """Pointers that lead nowhere."""
    found = []
    for path, data in files.items():
        for match in POINTER.finditer(data.decode()):
            name = match[1] or match[2]
            base = box.home if name.startswith("~/") else box.project
            if str(base / name.removeprefix("~/")) not in files:
                found.append(f"{path}: {name}")
    return found


@pytest.mark.case("CS-03")
def test_the_users_instructions_keep_their_room(sized: Installed) -> None:
    data = (sized.box.project / "AGENTS.md").read_bytes()
    if not any(rule.cap.field == "chain" for rule in sized.rules):
        assert data.startswith(YOURS)
        return
    assert data.startswith(YOURS)
    assert len(data) <= 32_768
    text = data[len(YOURS) :].decode()
    [path] = re.findall(r"^- (\S+)$", text, re.MULTILINE)
    rule = sized.content.files["rules/r.md"]
    assert (sized.box.project / path).read_text(encoding="utf-8") == rule.strip("\n") + "\n"
    [said] = [warning for warning in sized.warnings if warning.startswith("AGENTS.md ")]
    assert "30,000 bytes of yours" in said
    assert "the limit of Codex is 32,768" in said


def test_the_installed_tree_is_stable_and_goes_without_a_trace(sized: Installed) -> None:
    sized.box.run("--scope", sized.scope, "--check").ok()
    assert "no file was written" in sized.box.run(*sized.command).ok().out
    sized.box.run("uninstall", "--scope", sized.scope, "--yes").ok()
    assert_same(sized.before, sized.box.tree())


# The gate itself.


@pytest.mark.req("ADR1671-caps-no-dead-rule")
def test_the_gate_sees_what_is_over_and_what_meets_nothing(tmp_path: Path) -> None:
    box = machine(tmp_path)
    root = content_root(tmp_path / "content", {"commands/c.md": described("text\n" * 50)})
    box.run("--runtime", "windsurf", "--content", str(root)).ok()
    files = installed(box)
    cap = Cap("command", 100)
    small, agents = Rule("windsurf", cap), Rule("windsurf", cap._replace(kind="agent"))
    seen = gate(box, "global", [small, agents], files)
    [over] = seen.over
    assert "ac-c.md" in over
    assert seen.dead == ["windsurf: 100 bytes on each agent"]
    assert gate(box, "global", [], files).unmeasured == sorted(files)
    assert gate(box, "global", [agents._replace(cap=cap._replace(field="compatibility"))], files).dead


@pytest.mark.req("ADR1671-caps-fitter-used")
def test_the_gate_sees_that_nothing_had_to_be_fitted(tmp_path: Path) -> None:
    box = machine(tmp_path)
    root = content_root(tmp_path / "content", {"commands/c.md": described(filler(2_000))})
    words = {"ac-c": set(WORD.findall(filler(2_000)))}
    box.run("--runtime", "windsurf", "--content", str(root)).ok()
    assert changed(box, "windsurf", "global", installed(box), words) == set()
    env = overlays(tmp_path / "overlay", windsurf='Cap("command", 900),')
    box.run("--runtime", "windsurf", "--content", str(root), env=env).ok()
    assert changed(box, "windsurf", "global", installed(box), words) == {"ac-c"}


# Whole stories.


@pytest.mark.case("CS-01")
def test_a_folded_description_is_measured_as_it_is_emitted(tmp_path: Path) -> None:
    lines = "".join(f"  {' '.join(['alpha'] * 10)}\n" for _ in range(20))
    text = f"---\nname: big\ndescription: >-\n{lines}tier: core\n---\nbody\n"
    root = content_root(
        tmp_path / "content",
        {"skills/big/SKILL.md": text, "commands/same.md": text.replace("name: big\n", "")},
    )
    box = machine(tmp_path)
    done = box.run("--runtime", "codex", "--runtime", "claude", "--content", str(root)).ok()
    files = {path: data.decode() for path, data in installed(box).items()}
    cut = field(files[str(box.home / ".agents/skills/ac-big/SKILL.md")], "SKILL.md", "description") or ""
    assert 900 <= len(cut) <= 1_024
    assert set(cut.removesuffix("…").split()) == {"alpha"}
    assert "ac-big: description cut from 1,199 to" in done.err
    assert "the limit is 1,024" in done.err
    # Claude Code takes more in a command.
    whole = field(files[str(box.home / ".claude/commands/ac-same.md")], "ac-same.md", "description")
    assert whole == " ".join(["alpha"] * 200)


@pytest.mark.case("CS-05")
def test_many_rules_stay_a_file_each_where_their_sum_is_too_much(tmp_path: Path) -> None:
    rules = {
        f"rules/r{number:02}.md": f"Rule {number}. {'word ' * 200}END{number:02}\n" for number in range(1, 31)
    }
    root = content_root(tmp_path / "content", {**rules, "commands/c.md": described("x\n")})
    declared = 'Cap("rule", 12_000, on_excess="warn", field="chain"),'
    env = overlays(tmp_path / "overlay", windsurf=declared)
    box = machine(tmp_path)
    options = ("--scope", "project", "--content", str(root), "--with", "instructions")
    done = box.run("--runtime", "windsurf", *options, env=env).ok()
    text = (box.project / "AGENTS.md").read_text(encoding="utf-8")
    paths = re.findall(r"^- (\S+)$", text, re.MULTILINE)
    assert len(paths) == 30
    for number, path in enumerate(paths, 1):
        rule = (box.project / path).read_text(encoding="utf-8")
        assert rule.endswith(f"END{number:02}\n")
        assert rule.count("END") == 1
        assert len(rule) < 12_000
    assert done.err.count("the block points at the rules instead") == 1
    box.run("--scope", "project", "--check", env=env).ok()


@pytest.mark.case("CS-07")
def test_the_sum_of_descriptions_is_reported_with_the_users_own(tmp_path: Path) -> None:
    skills = {f"skills/s{number:02}/SKILL.md": described("body\n", "d" * 180) for number in range(1, 61)}
    root = content_root(tmp_path / "content", skills)
    env = overlays(
        tmp_path / "overlay",
        claude='Cap("skill", 8_000, unit="characters", on_excess="warn", field="listing"),',
    )
    box = machine(tmp_path)
    done = box.run("--runtime", "claude", "--content", str(root), env=env).ok()
    # The names are listed too: 60 of them with six characters.
    assert done.err.count("Claude Code would list 11,160 characters of skills") == 1
    mine = box.home / ".claude" / "skills" / "mine"
    mine.mkdir()
    (mine / "SKILL.md").write_text(f"---\nname: mine\ndescription: {'m' * 496}\n---\n")
    [total] = box.run("report", "--json", env=env).ok().json["data"]["sums"]
    assert (total["used"], total["yours"], total["limit"], total["over"]) == (11_660, 500, 8_000, True)
    assert total["largest"][0] == ["mine", 500]


@pytest.mark.case("CS-08")
def test_what_is_emitted_is_measured_and_not_the_source(tmp_path: Path) -> None:
    body = f"{'x' * 571} {{gsd:path references/r.md}}\n" * 20
    files = {"commands/near.md": described(body), "references/r.md": "text\n"}
    assert len(body) == 11_980
    root = content_root(tmp_path / "content", files)
    box = machine(tmp_path)
    box.run("--runtime", "windsurf", "--content", str(root)).ok()
    place = box.home / ".codeium" / "windsurf" / "global_workflows" / "ac-near.md"
    aside = box.home / ".codeium" / "windsurf" / "acme" / "commands" / "near.md"
    assert aside.stat().st_size == 12_160  # each of the 20 paths is 9 characters longer there
    assert place.stat().st_size < 300
    assert "~/.codeium/windsurf/acme/commands/near.md" in place.read_text()
    told = box.run("explain", str(place), "--json").ok().json["data"]
    [cap] = [cap for cap in told["caps"] if cap["field"] is None]
    assert (cap["limit"], cap["used"]) == (12_000, place.stat().st_size)
    assert (told["fit"]["limit"], told["rendition"]) == (12_000, "pointer")
    assert told["fit"]["size"] > 12_160


# The shipped content under caps that a company lowers.

STRICT = {
    "claude": 'Cap("agent", 1_900), Cap("command", 800), Cap("agent", 45, unit="lines"),',
    "codex": 'Cap("agent", 1_900), Cap("skill", 800),',
    "opencode": 'Cap("agent", 1_900), Cap("command", 800),',
    "windsurf": 'Cap("agent", 1_900), Cap("command", 500),',
}


@pytest.mark.req(
    "ADR1671-caps-graceful",
    "ADR1671-stub-resolves",
    "ADR1671-caps-once",
    "ADR1671-compose-selects-per-runtime",
    "ADR1671-agents-extract",
)
@pytest.mark.parametrize("scope", SCOPES)
def test_the_shipped_content_is_fitted_to_lowered_caps_and_loses_nothing(
    tmp_path: Path, scope: Scope
) -> None:
    plain, strict = machine(tmp_path / "plain"), machine(tmp_path / "strict")
    env = overlays(tmp_path / "overlay", **STRICT)
    command = [
        *(word for runtime in FOUR for word in ("--runtime", runtime)),
        "--scope",
        scope,
        "--profile",
        "full",
    ]
    plain.run(*command).ok()
    before = strict.tree()
    done = strict.run(*command, env=env).ok()
    assert "warning" not in done.err
    files, whole = installed(strict), installed(plain)
    limits = {"agent": 1_900, "command": 800, "skill": 800}
    for runtime in FOUR:
        for kind, limit in limits.items():
            if runtime != "codex" and kind == "skill":
                continue
            met = list(files_of(strict, runtime, scope, kind, files))
            assert met or runtime == "codex"
            for path, _ in met:
                assert len(files[path]) <= limit, path
                if runtime == "claude" and kind == "agent":
                    assert measure(files[path].decode(), "lines") <= 45
                _nothing_lost(files, path, whole[path.replace("/strict/", "/plain/")].decode(), strict)
    assert unresolved(strict, scope, files) == []
    assert [path for path in files if "/parts/" in path]
    strict.run("--scope", scope, "--check", env=env).ok()
    strict.run("uninstall", "--scope", scope, "--yes", env=env).ok()
    assert_same(before, strict.tree())


def _nothing_lost(files: Mapping[str, bytes], path: str, whole: str, box: Machine) -> None:
    """Every line of a document stands in its file, or in one that the file points at."""
    text = files[path].decode()
    named = [match[1] for match in POINTER.finditer(text)]
    roots = (box.home, box.project)
    parts = [
        files[str(root / name.removeprefix("~/"))].decode()
        for name in named
        for root in roots
        if str(root / name.removeprefix("~/")) in files
    ]
    assert len(parts) == len(named)
    have = set("\n".join([text, *parts]).splitlines())
    assert set(whole.splitlines()) - have == set(), path


@pytest.mark.req("ADR1671-stub-resolves")
def test_files_that_a_skill_brings_along_are_neither_overwritten_nor_misnamed(tmp_path: Path) -> None:
    own = {
        "skills/big/parts/01-part.md": "mine 1\n",
        "skills/big/PARTS-2/x.md": "mine 2\n",
        "skills/big/references/details.md": "mine 3\n",
    }
    text = described(f"See {{gsd:path skills/big/references/details.md}}.\n\n{filler(3_000)}")
    root = content_root(tmp_path / "content", {"skills/big/SKILL.md": text, **own})
    env = overlays(tmp_path / "overlay", claude='Cap("skill", 1_200),')
    box = machine(tmp_path)
    box.run("--runtime", "claude", "--content", str(root), env=env).ok()
    files = installed(box)
    folder = box.home / ".claude" / "skills" / "ac-big"
    for path, content in own.items():
        assert files[str(folder / path.removeprefix("skills/big/"))] == content.encode()
    names = [match[1] for match in POINTER.finditer(files[str(folder / "SKILL.md")].decode())]
    assert names
    assert all(name.startswith("~/.claude/skills/ac-big/parts-3/") for name in names)
    assert unresolved(box, "global", files) == []
    assert set(WORD.findall(b"".join(files.values()).decode())) == set(WORD.findall(text))


KEPT = described(f"<!-- gsd:keep -->\n## Rules\n\n{filler(2_000)}\n<!-- /gsd:keep -->\n")
REFUSED = [
    (
        {"agents/a.md": KEPT, "rules/r.md": "{gsd:agent a}\n"},
        "agents/a.md: ac-a cannot be made to fit 900 bytes: what must stay in it makes 2,0",
        "hint: shorten what is largest in it: Rules (2,0",
    ),
    (
        {f"skills/{'s' * 70}/SKILL.md": described("x\n")},
        f"SKILL.md: the name of ac-{'s' * 70} has 73 characters, the limit is 64",
        "shorter name",
    ),
]


@pytest.mark.req("ADR1671-compose-fits-or-refuses")
@pytest.mark.parametrize(("files", "says", "hint"), REFUSED, ids=["file", "field"])
def test_what_cannot_be_fitted_is_refused_by_name_before_anything_is_written(
    tmp_path: Path, files: dict[str, str], says: str, hint: str
) -> None:
    root = content_root(tmp_path / "content", {"commands/ok.md": described("x\n"), **files})
    env = overlays(tmp_path / "overlay", claude='Cap("agent", 900),')
    box = machine(tmp_path)
    before = box.tree()
    done = box.run("--runtime", "claude", "--content", str(root), env=env)
    assert done.code == 1
    assert_same(before, box.tree())
    assert says in done.err
    assert hint in done.err
    told = box.run("--runtime", "claude", "--content", str(root), "--json", env=env).json["errors"]
    assert [(error["reason"], bool(error["hint"])) for error in told] == [("over_cap", True)]
