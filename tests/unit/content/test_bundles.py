"""Foreign content roots: what is a bundle, what its documents are called, and what is made up for."""

from __future__ import annotations

from pathlib import Path

import pytest

from gsd_install.content.bundles import fields, tools
from gsd_install.content.bundles.layout import identifier
from gsd_install.content.bundles.marketplace import roots
from gsd_install.content.catalog import load
from gsd_install.content.model import Catalog, Document
from gsd_install.kernel.errors import GsdError, ManyErrors
from support.foreign import bundle, write

PLUGIN = {".claude-plugin/plugin.json": '{"name": "Acme Kit", "version": "2.1"}'}
SKILL = "---\nname: tidy\ndescription: Tidies\n---\nTidy.\n"
COMMAND = "---\ndescription: Plans\n---\nPlan.\n"


def names(catalog: Catalog) -> dict[str, str]:
    """What hosts show, by kind and id."""
    return {f"{item.kind} {item.id}": catalog.name_of(item) for item in catalog.documents}


def document(catalog: Catalog, kind: str) -> Document:
    [found] = [item for item in catalog.documents if item.kind == kind]
    return found


def test_a_plugin_is_named_by_its_manifest(tmp_path: Path) -> None:
    files = {"commands/plan.md": COMMAND, "skills/tidy/SKILL.md": SKILL, "agents/rev.md": COMMAND}
    made = bundle(tmp_path / "x", {**PLUGIN, **files})
    assert (made.id, made.prefix, made.name, made.version) == ("acme-kit", "acme-kit", "Acme Kit", "2.1")
    assert made.bundle == "shared"
    assert names(made) == {"command plan": "acme-kit-plan", "agent rev": "rev", "skill tidy": "tidy"}


@pytest.mark.parametrize(
    ("folder", "files", "shown"),
    [
        ("Mine", {"skills/tidy/SKILL.md": SKILL}, {"skill tidy": "tidy"}),
        (
            "Mine",
            {"tidy/SKILL.md": SKILL, "sort/SKILL.md": SKILL},
            {"skill sort": "sort", "skill tidy": "tidy"},
        ),
        ("Mine", {"SKILL.md": SKILL, "scripts/a.py": "a"}, {"skill tidy": "tidy"}),
        ("Mine", {"SKILL.md": "No name.\n"}, {"skill mine": "mine"}),
        ("Mine", {"commands/plan.md": COMMAND}, {"command plan": "mine-plan"}),
        ("Mine", {"agents/rev.md": "---\nname: Code Rev\n---\nReview.\n"}, {"agent code-rev": "code-rev"}),
    ],
)
def test_folders_without_a_manifest(
    tmp_path: Path, folder: str, files: dict[str, str], shown: dict[str, str]
) -> None:
    made = bundle(tmp_path / folder, files)
    assert made.id == "mine"
    assert names(made) == shown


def test_a_manifest_names_further_paths(tmp_path: Path) -> None:
    manifest = (
        '{"name": "a", "commands": ["./extra/one.md", "./more"], "skills": "./lore/", "agents": "../up"}'
    )
    made = bundle(
        tmp_path / "x" / "y",
        {
            ".claude-plugin/plugin.json": manifest,
            "commands/plan.md": COMMAND,
            "extra/one.md": COMMAND,
            "extra/two.md": COMMAND,
            "more/deep/three.md": COMMAND,
            "lore/tidy/SKILL.md": SKILL,
        },
    )
    assert names(made) == {
        "command plan": "a-plan",
        "command one": "a-one",
        "command deep-three": "a-deep-three",
        "skill tidy": "tidy",
    }


@pytest.mark.parametrize(
    "files",
    [
        {"README.md": "Nothing to install.\n"},
        {"commands/plan.txt": "no Markdown"},
        {".hidden/skills/tidy/SKILL.md": SKILL},
        {"node_modules/x/SKILL.md": SKILL},
        {"workflows/plan.md": "Plan.\n", "commands/plan.md": "Read {gsd:path workflows/plan.md}\n"},
    ],
)
def test_what_is_no_bundle_needs_a_content_toml(tmp_path: Path, files: dict[str, str]) -> None:
    with pytest.raises(GsdError) as caught:
        bundle(tmp_path, files)
    assert caught.value.reason == "no_content_toml"


def test_a_content_root_of_ours_is_never_a_bundle(tmp_path: Path) -> None:
    head = 'format = 1\nid = "a"\nname = "A"\nversion = "1"\nprefix = "a"\n'
    made = bundle(tmp_path, {**PLUGIN, "content.toml": head, "commands/plan.md": COMMAND})
    assert (made.bundle, made.id) == ("", "a")


def test_names_begin_with_the_bundle_once(tmp_path: Path) -> None:
    files = {
        "commands/acme-kit.md": COMMAND,
        "commands/acme-kit-plan.md": COMMAND,
        "commands/git/Commit_All.md": COMMAND,
        "agents/x.md": COMMAND,
        "skills/acme-kit-plan/SKILL.md": SKILL,
    }
    assert names(bundle(tmp_path, {**PLUGIN, **files})) == {
        "command acme-kit": "acme-kit",
        "command acme-kit-plan": "acme-kit-plan",
        "command git-commit-all": "acme-kit-git-commit-all",
        "agent x": "acme-kit-x",
        "skill acme-kit-plan": "acme-kit-acme-kit-plan",
    }


def test_agents_that_call_themselves_alike_are_called_by_their_files(tmp_path: Path) -> None:
    text = "---\nname: rev\n---\nReview the diff.\n"
    made = bundle(tmp_path, {"agents/rev.md": text, "agents/rev.compact.md": text})
    assert names(made) == {"agent rev": "rev", "agent rev-compact": "rev-compact"}


@pytest.mark.parametrize(
    "files",
    [
        {"commands/a/b.md": COMMAND, "commands/a-b.md": COMMAND},
        {"skills/x/tidy/SKILL.md": SKILL, "skills/y/tidy/SKILL.md": SKILL},
        {"skills/tidy/SKILL.md": SKILL, "skills/Tidy!/SKILL.md": SKILL},
        {"agents/one.md": "---\nname: rev\n---\nReview.\n", "agents/rev.md": COMMAND},
    ],
)
def test_two_of_one_name_are_an_error_that_names_both(tmp_path: Path, files: dict[str, str]) -> None:
    with pytest.raises(GsdError) as caught:
        bundle(tmp_path, files)
    assert caught.value.reason == "name_clash"
    assert all(path in str(caught.value) for path in files)


def test_a_name_without_a_letter_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GsdError) as caught:
        bundle(tmp_path, {"commands/计划.md": COMMAND})
    assert caught.value.reason == "bad_name"


def test_identifiers_are_what_every_host_takes() -> None:
    assert identifier("Bad_Upper Case!") == "bad-upper-case"
    assert identifier("--") == ""
    long = identifier("a" * 30 + "-" + "b" * 60)
    assert len(long) <= 64
    assert long != identifier("a" * 30 + "-" + "b" * 61)
    assert long == identifier("a" * 30 + "-" + "b" * 60)


def test_groups_of_skills_become_flat(tmp_path: Path) -> None:
    files = {
        "skills/team/plan/SKILL.md": SKILL,
        "skills/team/ship/SKILL.md": SKILL,
        "skills/team/plan/a/b": "x",
    }
    made = bundle(tmp_path, files)
    assert {item.path for item in made.documents} == {"skills/plan/SKILL.md", "skills/ship/SKILL.md"}
    assert [asset.path for asset in made.assets] == ["skills/plan/a/b"]
    assert made.at("skills/plan/SKILL.md").endswith("/skills/team/plan/SKILL.md")


def test_a_skill_inside_a_skill_belongs_to_it(tmp_path: Path) -> None:
    made = bundle(tmp_path, {"skills/a/SKILL.md": SKILL, "skills/a/examples/b/SKILL.md": SKILL})
    assert list(names(made)) == ["skill a"]
    assert [asset.path for asset in made.assets] == ["skills/a/examples/b/SKILL.md"]


def test_a_document_that_is_no_text_is_refused_with_its_offset(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "commands/a.md": b"ok\nca\xe9\n",
        "commands/b.md": b"\xff",
        "skills/s/SKILL.md": SKILL,
    }
    with pytest.raises(ManyErrors) as caught:
        bundle(tmp_path, files)
    first, second = caught.value.errors
    assert (first.reason, first.line) == ("encoding", 2)
    assert "0xe9 at offset 5" in first.message
    assert (second.file or "").endswith("commands/b.md")


def test_links_at_the_root_are_passed_over_and_others_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "a", {"skills/s/SKILL.md": SKILL, "AGENTS.md": "x"})
    (tmp_path / "a/CLAUDE.md").symlink_to("AGENTS.md")
    assert load(str(tmp_path / "a")).documents
    (tmp_path / "a/skills/s/out.md").symlink_to("../../AGENTS.md")
    with pytest.raises(GsdError) as caught:
        load(str(tmp_path / "a"))
    assert caught.value.reason == "source_link"


@pytest.mark.parametrize(
    ("manifest", "reason"), [("{", "bad_json"), ("[]", "bad_value"), ('{"name": 1}', "bad_value")]
)
def test_a_manifest_that_cannot_be_read(tmp_path: Path, manifest: str, reason: str) -> None:
    with pytest.raises(GsdError) as caught:
        bundle(tmp_path, {".claude-plugin/plugin.json": manifest, "commands/a.md": COMMAND})
    assert caught.value.reason == reason


def test_only_what_texts_point_at_travels(tmp_path: Path) -> None:
    made = bundle(
        tmp_path,
        {
            **PLUGIN,
            "commands/a.md": "Run ${CLAUDE_PLUGIN_ROOT}/scripts/a.sh.\n",
            "scripts/a.sh": '#!/bin/sh\n. "${CLAUDE_PLUGIN_ROOT}/lib/b.sh"\n',
            "scripts/deep/c.sh": "c\n",
            "lib/b.sh": "b\n",
            "docs/d.md": "for people\n",
            "README.md": "for people\n",
        },
    )
    assert sorted(asset.path for asset in made.assets) == ["lib/b.sh", "scripts/a.sh", "scripts/deep/c.sh"]
    assert {asset.path for asset in made.assets if asset.executable} == {"scripts/a.sh"}


def test_a_marketplace_is_its_plugins(tmp_path: Path) -> None:
    listing = (
        '{"name": "m", "plugins": [{"name": "a", "source": "./plugins/a"}, '
        '{"name": "c", "source": "plugins/a"}, '
        '{"name": "b", "source": {"source": "github", "repo": "x/y"}}, {"name": "up", "source": "../up"}]}'
    )
    root = str(
        write(tmp_path, {".claude-plugin/marketplace.json": listing, "plugins/a/commands/p.md": COMMAND})
    )
    assert roots(root) == (f"{root}/plugins/a",)
    assert roots(f"{root}/plugins/a") == (f"{root}/plugins/a",)
    write(tmp_path, {".claude-plugin/plugin.json": '{"name": "m"}'})
    assert roots(root) == (root,)


def test_a_marketplace_without_a_plugin_of_its_own(tmp_path: Path) -> None:
    listing = '{"plugins": [{"name": "b", "source": {"source": "github", "repo": "x/y"}}]}'
    with pytest.raises(GsdError) as caught:
        roots(str(write(tmp_path, {".claude-plugin/marketplace.json": listing})))
    assert caught.value.reason == "empty_content"


@pytest.mark.parametrize(
    ("text", "expected", "said"),
    [
        ("---\na: b\n---\nx", {"a": "b"}, ""),
        ("\ufeff---\r\na: b\r\n---\r\nx", {"a": "b"}, ""),
        ("x", {}, ""),
        ("---\na: b\n\nx", {"a": "b"}, "never closed"),
        ("---\na: b: [\nc: 'd'\n  e\n---\nx", {"a": "b: [", "c": "d e"}, "read line by line"),
        ("---\n- a\n---\nx", {}, "holds no fields"),
        ("---\na: 1\na: 2\n---\nx", {"a": 2}, "stands twice"),
        ('---\na: [x, "1", 1]\nb: {c: yes, d: true}\ne: 012\n---\nx', {"a": ["x", "1", 1], "e": "012"}, ""),
        ("---\n---\nx", {}, ""),
        ("---\na: &x b\nc: *x\n---\nx", {"a": "b", "c": "b"}, ""),
        ("---\na: !!python/object:os.system x\n---\nx", {"a": "x"}, ""),
    ],
)
def test_frontmatter_of_any_kind_is_read(text: str, expected: dict[str, object], said: str) -> None:
    front = fields.read(text)
    assert {key: front.fields[key] for key in expected} == expected
    assert said in front.said
    assert bool(said) == bool(front.said)
    assert front.body.strip() == "x"


def test_what_a_plain_text_means_is_not_guessed() -> None:
    front = fields.read("---\na: {b: yes, c: true, d: 1}\n---\n")
    assert front.fields["a"] == {"b": "yes", "c": True, "d": 1}


@pytest.mark.parametrize(
    ("value", "actions", "unknown"),
    [
        ("Read, Bash(git add:*, git commit:*), Write", ("read", "run", "write"), ()),
        (["Read", "Edit", "MultiEdit", "mcp__a__b"], ("read", "edit"), ("mcp__a__b",)),
        ("Read Grep Glob", ("read", "search", "find"), ()),
        ("*", (), ()),
        (None, (), ()),
    ],
)
def test_tools_become_actions(value: object, actions: tuple[str, ...], unknown: tuple[str, ...]) -> None:
    assert tools.read(value) == (actions, unknown)


def test_an_agent_that_may_only_read_says_so(tmp_path: Path) -> None:
    text = "---\nname: rev\ndescription: R\ntools: {}\n---\nReview the whole diff.\n"
    for given, access in (("Read, Grep", "read"), ("Read, Bash", None), ("Read, mcp__a__b", None)):
        made = bundle(tmp_path / (access or given[-4:]), {"agents/rev.md": text.format(given)})
        assert document(made, "agent").meta.get("access") == access


def test_what_is_missing_is_made_up_for_and_said(tmp_path: Path) -> None:
    made = bundle(tmp_path, {"commands/a.md": "\n# `Plans` it\n\nText.\n", "agents/b.md": "Go.\n"})
    assert document(made, "command").meta["description"] == "`Plans` it"
    assert made.notes == (
        "commands/a.md: it has no description: its first line is one now",
        "agents/b.md: it has no description: its first line is one now",
    )
    [section] = document(made, "agent").sections
    assert section.parts == ("Go.\n\nGo.\n",)


def test_hooks_and_servers_are_taken_as_far_as_others_have_them(tmp_path: Path) -> None:
    hooks = (
        '{"hooks": {"PreToolUse": [{"matcher": "Edit|Write", "hooks": [{"command": "${CLAUDE_PLUGIN_ROOT}/a"}'
        ']}, {"matcher": "mcp__.*", "hooks": [{"command": "b"}]}], "Stop": [{"hooks": [{"type": "prompt"}]}],'
        ' "Odd": [{"hooks": [{"command": "c"}]}],'
        ' "SessionStart": [{"matcher": "*", "hooks": [{"command": "d"}]}]}}'
    )
    servers = (
        '{"one": {"command": "x", "args": ["${CLAUDE_PLUGIN_ROOT}/s"]}, "far": {"url": "https://x.test"}}'
    )
    files = {"hooks/hooks.json": hooks, ".mcp.json": servers, "commands/p.md": COMMAND, "a": "#!/bin/sh\n"}
    made = bundle(tmp_path, {**PLUGIN, **files})
    first, last = made.hooks
    assert (first.id, first.events, first.tools) == ("acme-kit-pre-tool-1", ("pre-tool",), ("edit", "write"))
    assert [getattr(part, "argument", part) for part in first.line] == ["a"]
    assert (last.events, last.tools, last.line) == (("session-start",), (), ("d",))
    assert list(made.servers) == ["one"]
    assert [note.partition(":")[0] for note in made.notes] == ["hooks/hooks.json"] * 3 + [".mcp.json"]


def test_a_manifest_may_hold_its_hooks_and_servers(tmp_path: Path) -> None:
    manifest = (
        '{"name": "a", "mcpServers": {"one": {"command": "x"}}, '
        '"hooks": {"Stop": [{"hooks": [{"command": "d"}]}]}}'
    )
    made = bundle(tmp_path, {".claude-plugin/plugin.json": manifest, "commands/p.md": COMMAND})
    assert list(made.servers) == ["one"]
    assert [hook.events for hook in made.hooks] == [("stop",)]
