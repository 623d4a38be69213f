"""Every rule finds its seeded defect, where it is and nothing else, and lets the right twin be."""

from __future__ import annotations

import ast
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

import gsd_install
from gsd_install.lint.lint import CHECKS, lint
from gsd_install.lint.model import Finding, Host
from gsd_install.lint.rules import FAMILIES, RULES
from gsd_install.plugins import Plugins
from gsd_install.runtime.model import Cap
from gsd_install.shipped import shipped_root
from support.content import content_root
from support.lint_seeds import SEEDS
from support.linting import BASE, Seed, command, marked

PACKAGE = Path(gsd_install.__file__).parent

# Rules whose defects are no texts: a test of their own seeds each.
ELSEWHERE = frozenset(
    {
        "bad-capability",
        "source-link",
        "source-device",
        "source-name",
        "unreadable",
        "listing-budget",
        "unknown-launcher",
    }
)

DEMANDS = {
    "inline-marker": pytest.mark.req("ADR1671-interleaved-unmarked"),
    "small-section": pytest.mark.req("ADR1671-when-400-bytes"),
    "gated-agent": pytest.mark.req("ADR1671-agents-not-gated"),
    "stale-citation": pytest.mark.req("ADR1671-predicate-cited-exists"),
    "unknown-citation": pytest.mark.req("ADR1671-predicate-cited-exists"),
    "unread-step": pytest.mark.req("ADR1671-manifest-consumed"),
}


def root(folder: Path, files: Mapping[str, str | bytes | None]) -> str:
    """BASE with `files` in it."""
    content_root(folder, {path: text for path, text in {**BASE, **files}.items() if text is not None})
    for path, text in files.items():
        if text is None:
            (folder / path).unlink(missing_ok=True)
    return str(folder)


def places(findings: tuple[Finding, ...]) -> list[str]:
    """Where findings are."""
    return sorted(f"{finding.path}:{finding.line}" for finding in findings)


def test_the_base_of_all_seeds_is_clean(tmp_path: Path) -> None:
    assert lint(root(tmp_path, {})) == ()


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, id=seed.rule, marks=DEMANDS.get(seed.rule, ())) for seed in SEEDS]
)
def test_a_seeded_defect_is_found_and_nothing_else(tmp_path: Path, seed: Seed) -> None:
    findings = lint(root(tmp_path, seed.files))
    assert {finding.rule for finding in findings} == {seed.rule}
    assert places(findings) == sorted(seed.found)
    assert all(finding.fix and finding.message for finding in findings)


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.rule)
def test_its_twin_is_clean(tmp_path: Path, seed: Seed) -> None:
    assert lint(root(tmp_path, seed.right)) == ()


def test_every_rule_has_a_seed() -> None:
    assert {seed.rule for seed in SEEDS} | ELSEWHERE == set(RULES)
    assert sorted(name for family in FAMILIES.values() for name in family) == sorted(RULES)


def reasons(source: str) -> set[str]:
    """The reasons that a module gives its errors."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        given = [word.value for word in node.keywords if word.arg == "reason"]
        if isinstance(node.func, ast.Attribute) and node.func.attr == "fail" and len(node.args) == 4:
            given += node.args[:1]
        for value in given:
            if isinstance(value, ast.Constant):
                found.add(str(value.value))
            elif isinstance(value, ast.JoinedStr):
                found |= {"missing_id", "missing_when"}
    return found


def test_every_reason_of_the_loader_is_a_rule() -> None:
    assert reasons("def f():\n    g(reason='a_b')\n    self.fail('c_d', 1, 2, 3)\n") == {"a_b", "c_d"}
    names = ("check", "holds", "manifest", "parse", "placeholders", "reading", "tree")
    sources = [PACKAGE / "content" / f"{name}.py" for name in names]
    sources += [
        PACKAGE / "kernel" / f"{name}.py" for name in ("frontmatter", "scalars", "sections", "applicability")
    ]
    found = {reason for path in sources for reason in reasons(path.read_text(encoding="utf-8"))}
    assert len(found) > 30
    assert {reason.replace("_", "-") for reason in found - {"no_content_root"}} <= set(RULES)


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.rule)
def test_all_defects_of_a_root_come_to_light_at_once(tmp_path: Path, seed: Seed) -> None:
    """A defect is still found where another document has several others."""
    others = {
        "rules/bad.md": "---\ntier: x\nfoo: bar\n---\n{gsd:nope}\n{gsd:path references/nope.md}\n\u200b\n",
        "agents/bad.md": "<!-- gsd:section -->\nx\n<!-- /gsd:section -->\n{gsd:tool fly}\n",
    }
    findings = lint(root(tmp_path, {**others, **seed.files}))
    if seed.rule == "empty-content":
        return
    assert set(seed.found) <= set(places(findings))
    if seed.rule == "bundle":  # which keeps to no other rule of ours
        return
    assert {
        ("rules/bad.md", 2, "unknown-key"),
        ("rules/bad.md", 3, "unknown-key"),
        ("rules/bad.md", 5, "unknown-placeholder"),
        ("rules/bad.md", 6, "unresolved"),
        ("rules/bad.md", 7, "hidden-unicode"),
        ("agents/bad.md", 1, "no-description"),
        ("agents/bad.md", 1, "missing-id"),
        ("agents/bad.md", 1, "gated-agent"),
        ("agents/bad.md", 4, "unresolved"),
    } <= {(finding.path, finding.line, finding.rule) for finding in findings}


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_link_and_what_is_no_file_are_found(tmp_path: Path) -> None:
    made = Path(root(tmp_path / "a", {}))
    (made / "references" / "link.md").symlink_to(made / "rules" / "loop.md")
    [found] = lint(str(made))
    assert (found.rule, found.path, found.level) == ("source-link", "references/link.md", "error")
    made = Path(root(tmp_path / "b", {}))
    os.mkfifo(made / "references" / "pipe.md")
    [found] = lint(str(made))
    assert (found.rule, found.path) == ("source-device", "references/pipe.md")


@pytest.mark.skipif(os.name == "nt", reason="the name cannot be written there")
def test_a_name_that_not_every_system_can_hold_is_found(tmp_path: Path) -> None:
    made = Path(root(tmp_path, {}))
    (made / "references" / "a\nb.md").write_text("x")
    [found] = lint(str(made))
    assert found.rule == "source-name"


def test_a_file_that_cannot_be_read_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = root(tmp_path, {})
    really = os.open

    def refusing(path: str, *rest: int) -> int:
        if str(path).endswith("rules/loop.md"):
            raise PermissionError(13, "Permission denied", path)
        return really(path, *rest)

    monkeypatch.setattr(os, "open", refusing)
    [found] = lint(made)
    assert (found.rule, found.path) == ("unreadable", "rules/loop.md")


def test_a_listing_is_held_against_the_caps_of_hosts(tmp_path: Path) -> None:
    plugin = Plugins().get("claude")
    made = root(tmp_path, command("title: x\ndescription: A rather long description\n"))
    total = len("ac-planA rather long description")

    def found(cap: Cap) -> list[tuple[str, str, int]]:
        return [(item.rule, item.path, item.line) for item in lint(made, [Host(plugin.runtime, (cap,))])]

    over = Cap("command", total - 1, unit="characters", on_excess="warn", field="listing")
    assert found(over) == [("listing-budget", "commands/plan.md", 3)]
    assert found(over._replace(limit=total)) == []
    assert found(over._replace(field="description")) == []
    assert found(over._replace(kind="rule", limit=0)) == []


def test_sections_of_a_workflow_that_nothing_leads_to_have_no_reader(tmp_path: Path) -> None:
    alone = marked('id="a" when="always"')["workflows/plan.md"]
    findings = lint(root(tmp_path, {"workflows/alone.md": alone}))
    assert [(item.rule, item.path, item.line) for item in findings] == [
        ("unreachable", "workflows/alone.md", 1),
        ("unread-step", "workflows/alone.md", 3),
    ]


def test_a_launcher_that_nothing_installs_is_found(tmp_path: Path) -> None:
    text = "Run {gsd:launcher acme-tool} now.\n\nRun {gsd:launcher acme-tools} now.\n"
    made = root(tmp_path, {"rules/loop.md": text})
    assert lint(made) == ()
    [found] = lint(made, started=["acme-tools"])
    assert (found.rule, found.path, found.line) == ("unknown-launcher", "rules/loop.md", 1)
    assert found.fix == "write {gsd:launcher acme-tools}"
    assert {item.line for item in lint(made, started=[])} == {1, 3}


def test_a_root_that_is_not_there_is_refused(tmp_path: Path) -> None:
    from gsd_install.kernel.errors import GsdError

    with pytest.raises(GsdError, match="does not exist"):
        lint(str(tmp_path / "nowhere"))


def test_the_shipped_content_is_clean() -> None:
    plugins = Plugins()
    hosts = [Host(plugins.get(name).runtime, plugins.get(name).caps) for name in plugins.ids()]
    assert lint(shipped_root(), hosts) == ()


def test_every_check_is_needed(tmp_path: Path) -> None:
    """Each check finds something in some seed: one that finds nothing anywhere would be dead."""
    assert len(CHECKS) == 12
    silent = set(CHECKS)
    from gsd_install.lint.loading import load

    for number, seed in enumerate(SEEDS):
        tree = load(root(tmp_path / str(number), seed.files)).tree
        if tree is not None:
            silent -= {check for check in silent if any(check(tree))}
    assert {check.__name__ for check in silent} == {"listings", "launchers"}
