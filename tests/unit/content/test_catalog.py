from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.content import catalog as catalogs
from gsd_install.content import reading
from gsd_install.content.catalog import PACKED, load, pack
from gsd_install.content.model import FOLDERS, Asset, Catalog, Hook, Placeholder
from gsd_install.kernel.errors import GsdError, ManyErrors
from support.content import EVERY_KIND, HEAD, content_root, document, loaded, refusal, refusals

COMMAND = "---\ndescription: d\n---\n"
EVERYTHING: dict[str, str | bytes] = {
    **EVERY_KIND,
    "workflows/gated.md": (
        "<!-- gsd:isolate -->\nfirst\n<!-- /gsd:isolate -->\n"
        '<!-- gsd:section id="auto" when="flag:--auto" -->\n{{gsd:x} {gsd:args}\n<!-- /gsd:section -->\n'
        '<!-- gsd:shrink lines="3" -->\nlong\n<!-- /gsd:shrink -->\nend\n'
    ),
    "skills/tidy/logo.png": b"\x89PNG\x00\xff",
    "skills/tidy/SKILL.md": "---\ndescription: \u00e9\nmetadata:\n  version: '1'\n---\r\n\u8a08\u753b\r\n",
}


@pytest.fixture
def unparsed(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From the call on, parsing a tree fails the test: only a packed catalog can answer."""

    def forbid(*_: object) -> Catalog:
        raise AssertionError("the tree was parsed")

    return lambda: monkeypatch.setattr(reading, "catalog", forbid)


def packed_root(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    root = content_root(folder, files)
    (root / PACKED).write_bytes(pack(str(root)))
    return root


def test_a_root_becomes_documents_assets_hooks_and_servers(tmp_path: Path) -> None:
    catalog = loaded(tmp_path, EVERY_KIND)
    assert catalog[:6] == (str(tmp_path), "acme", "Acme", "1.2.3", "ac", ">=0.1")
    assert [(d.kind, d.id) for d in catalog.documents] == [
        ("agent", "planner"),
        ("command", "plan"),
        ("reference", "deep/scope"),
        ("rule", "loop"),
        ("skill", "tidy"),
        ("template", "plan"),
        ("workflow", "plan"),
    ]
    assert catalog.assets == (
        Asset("hook", "hello.py", "hooks/hello.py", EVERY_KIND["hooks/hello.py"].encode(), True),
        Asset("skill", "tidy", "skills/tidy/tidy.py", EVERY_KIND["skills/tidy/tidy.py"].encode(), True),
    )
    assert catalog.hooks == (Hook("hello", ("session-start",), "hooks/hello.py"),)
    assert catalog.servers == {"acme": {"command": "mcp", "args": ["--stdio"], "env": {"A": "1"}}}
    assert catalog.at("commands/plan.md") == f"{tmp_path}/commands/plan.md"
    assert [*document(catalog, "workflows/plan.md").placeholders] == [
        Placeholder("agent", "planner", 3),
        Placeholder("path", "references/deep/scope.md", 3),
    ]


def test_the_folder_of_each_kind_is_tried_above() -> None:
    assert {path.partition("/")[0] for path in EVERY_KIND} - {"hooks", "mcp.json"} == set(FOLDERS.values())


def test_files_beside_the_content_are_left_alone(tmp_path: Path) -> None:
    beside = {
        "README.md": "{gsd:nonsense}",
        "docs/x.md": "x",
        "LICENSE": "x",
        "tests/test_x.py": "x",
        "command": "x",
    }
    assert loaded(tmp_path, {**EVERY_KIND, **beside}).documents == loaded(tmp_path, EVERY_KIND).documents


def test_a_packed_catalog_is_the_parsed_one(tmp_path: Path, unparsed: Callable[[], None]) -> None:
    parsed = loaded(tmp_path, EVERYTHING, head=HEAD + 'start = "plan"\n')
    (tmp_path / PACKED).write_bytes(pack(str(tmp_path)))
    assert all(parsed[: Catalog._fields.index("start") + 1])
    assert parsed.start == "plan"
    unparsed()
    found = load(str(tmp_path))
    assert found == parsed
    _same_types(parsed, found)


def _same_types(one: Any, two: Any) -> None:
    """Equality takes a list for a placeholder of the same items; hosts would not."""
    assert type(one) is type(two)
    if isinstance(one, (tuple, list)):
        for left, right in zip(one, two, strict=True):
            _same_types(left, right)
    elif isinstance(one, dict):
        assert list(one) == list(two)
        for key in one:
            _same_types(one[key], two[key])


@pytest.mark.req("ADR1671-deterministic")
def test_packing_twice_gives_the_same_bytes_and_ignores_the_pack_itself(tmp_path: Path) -> None:
    root = packed_root(tmp_path / "a", EVERYTHING)
    elsewhere = content_root(tmp_path / "b", dict(reversed(EVERYTHING.items())))
    assert pack(str(root)) == (root / PACKED).read_bytes() == pack(str(elsewhere))
    assert str(tmp_path).encode() not in pack(str(root))


def _write(root: Path, path: str, text: str) -> None:
    (root / path).write_text(text, encoding="utf-8", newline="")


CHANGES: dict[str, Callable[[Path], object]] = {
    "another size": lambda root: _write(root, "rules/loop.md", "longer {gsd:path templates/plan.md}\n\n\n"),
    "the same size": lambda root: _write(root, "templates/plan.md", "# Plan of xyz\n"),
    "a new file": lambda root: _write(root, "rules/new.md", "x\n"),
    "a file less": lambda root: (root / "rules" / "loop.md").unlink(),
    "another name": lambda root: (root / "rules" / "loop.md").rename(root / "rules" / "pool.md"),
    "another head": lambda root: _write(root, "content.toml", HEAD.replace("1.2.3", "1.2.4")),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_packed_catalog_of_another_tree_is_not_used(tmp_path: Path, change: str) -> None:
    root = packed_root(tmp_path / "root", EVERY_KIND)
    before = load(str(root))
    CHANGES[change](root)
    found = load(str(root))
    (root / PACKED).unlink()
    assert found == load(str(root))
    assert (found.documents, found.version) != (before.documents, before.version)


def test_a_changed_tree_that_is_broken_is_not_hidden_by_its_pack(tmp_path: Path) -> None:
    root = packed_root(tmp_path, EVERY_KIND)
    _write(root, "rules/loop.md", "{gsd:path templates/gone.md}\n")
    with pytest.raises(GsdError) as caught:
        load(str(root))
    assert caught.value.reason == "unresolved"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"1",
        b"{}",
        b"\xff",
        b'{"format": 2}',
        b'{"format": 2, "head": []}',
        b'{"format": 2, "head": 5}',
    ],
)
def test_a_packed_catalog_that_is_damaged_is_an_error_and_not_ignored(tmp_path: Path, data: bytes) -> None:
    root = content_root(tmp_path, EVERY_KIND)
    (root / PACKED).write_bytes(data)
    with pytest.raises(GsdError) as caught:
        load(str(root))
    assert (caught.value.reason, caught.value.file) == ("packed_catalog", f"{root}/{PACKED}")
    assert "reinstall" in str(caught.value.hint)


LOST = [(key, [value]) for key in ("documents", "assets", "hooks") for value in ([1], 5)]


@pytest.mark.parametrize(
    ("key", "value"), [*LOST, *((key, None) for key in ("documents", "assets", "hooks", "servers"))]
)
def test_a_packed_catalog_that_lost_a_part_is_an_error(tmp_path: Path, key: str, value: object) -> None:
    root = packed_root(tmp_path, EVERY_KIND)
    packed = json.loads((root / PACKED).read_bytes())
    packed[key] = value
    if value is None:
        del packed[key]
    (root / PACKED).write_text(json.dumps(packed))
    with pytest.raises(GsdError) as caught:
        load(str(root))
    assert caught.value.reason == "packed_catalog"


def test_a_packed_catalog_of_another_format_is_not_used(tmp_path: Path) -> None:
    root = packed_root(tmp_path, EVERY_KIND)
    packed = json.loads((root / PACKED).read_bytes())
    packed["format"] += 1
    packed["documents"] = "something new"
    (root / PACKED).write_text(json.dumps(packed))
    assert len(load(str(root)).documents) == 7


@pytest.mark.skipif(sys.platform == "win32", reason="needs symbolic links")
def test_a_packed_catalog_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    root = packed_root(tmp_path / "root", EVERY_KIND)
    os.rename(root / PACKED, tmp_path / "elsewhere.json")
    (root / PACKED).symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(GsdError) as caught:
        load(str(root))
    assert caught.value.file == f"{root}/{PACKED}"


def test_a_packed_catalog_costs_no_parser(tmp_path: Path) -> None:
    import subprocess

    root = packed_root(tmp_path, EVERYTHING)
    code = (
        "import sys; from gsd_install.content.catalog import load; load(sys.argv[1]); "
        "print(*{'tomllib', 'difflib', 'dataclasses', 'yaml', 'gsd_install.content.reading', "
        "'gsd_install.kernel.markdown', 'gsd_install.kernel.frontmatter'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code, root], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


@pytest.mark.parametrize(
    ("path", "reason", "told"),
    [
        ("commands/notes.txt", "stray_file", ".md"),
        ("commands/.hidden", "stray_file", ".md"),
        ("references/image.png", "stray_file", "SKILL.md"),
        ("commands/deep/x.md", "stray_file", "commands/deep-x.md"),
        ("skills/README.md", "stray_file", "skills/README/SKILL.md"),
        ("command/x.md", "stray_file", "commands/"),
        ("hook/x.py", "stray_file", "hooks/"),
        ("commands/Plan Phase.md", "bad_name", "small letters"),
        ("agents/a_b.md", "bad_name", "small letters"),
        ("skills/-rf/SKILL.md", "bad_name", "small letters"),
        ("workflows/..md", "stray_file", ".md"),
        ("workflows/a..md", "bad_name", "small letters"),
    ],
)
def test_a_file_in_a_wrong_place_is_refused(tmp_path: Path, path: str, reason: str, told: str) -> None:
    error = refusal(tmp_path, {"commands/a.md": COMMAND, path: COMMAND})
    assert (error.reason, error.file) == (reason, f"{tmp_path}/{path}")
    assert told in str(error.hint)


@pytest.mark.case("DD-07")
@pytest.mark.parametrize(
    ("name", "told"), [("skill.md", "rename skill.md"), ("notes.md", "add its SKILL.md")]
)
def test_a_skill_without_its_entry_file_is_refused_instead_of_going_missing(
    tmp_path: Path, name: str, told: str
) -> None:
    """Better than emitting it under another name with a warning: the author learns of it at once."""
    error = refusal(
        tmp_path, {"commands/a.md": COMMAND, f"skills/plan/{name}": COMMAND, "skills/plan/x.py": ""}
    )
    assert (error.reason, error.file) == ("no_skill_md", f"{tmp_path}/skills/plan")
    assert told in str(error.hint)


@pytest.mark.case("DD-07", "DD-15")
@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="this file system holds only one of the two")
@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("skills/both/SKILL.md", "skills/both/skill.md"),
        ("references/Git.md", "references/git.md"),
        ("references/Deep/x.md", "references/deep/x.md"),
        ("references/stra\u00dfe.md", "references/strasse.md"),
    ],
)
def test_two_names_that_differ_only_in_case_are_refused_on_every_system(
    tmp_path: Path, one: str, two: str
) -> None:
    error = refusal(tmp_path, {"commands/a.md": COMMAND, one: COMMAND, two: COMMAND})
    assert error.reason == "case_clash"
    assert one in str(error)
    assert two in str(error)


def test_a_root_without_content_is_told_where_it_goes(tmp_path: Path) -> None:
    error = refusal(tmp_path, {"README.md": "x", "hooks/x.py": "x"})
    assert (error.reason, error.file) == ("empty_content", str(tmp_path))
    assert "commands/" in str(error.hint)


def test_every_fault_of_a_tree_is_reported_at_once_and_in_order(tmp_path: Path) -> None:
    files = {"agents/a.md": "no frontmatter\n", "commands/b.md": f"{COMMAND}{{gsd:x}}\n", "skills/c/x.py": ""}
    found = refusals(tmp_path, files)
    assert [error.reason for error in found] == ["no_description", "unknown_placeholder", "no_skill_md"]
    assert all(error.hint for error in found)


def test_a_skill_whose_text_does_not_parse_is_not_missing_too(tmp_path: Path) -> None:
    assert refusal(tmp_path, {"skills/c/SKILL.md": "x", "skills/c/x.py": ""}).reason == "no_description"


def test_several_faults_make_one_error_that_shows_them_all(tmp_path: Path) -> None:
    content_root(tmp_path, {"agents/a.md": "x\n", "agents/b.md": "x\n"})
    with pytest.raises(ManyErrors) as caught:
        load(str(tmp_path))
    assert "agents/a.md:1" in str(caught.value)
    assert "agents/b.md:1" in str(caught.value)


def test_the_shipped_content_packs_to_what_it_parses_to(unparsed: Callable[[], None], tmp_path: Path) -> None:
    import shutil

    from gsd_install.shipped import shipped_root

    root = tmp_path / "shipped"
    shutil.copytree(shipped_root(), root, ignore=shutil.ignore_patterns("__pycache__", PACKED))
    parsed = load(str(root))
    assert parsed.documents
    (root / PACKED).write_bytes(pack(str(root)))
    unparsed()
    assert load(str(root)) == parsed


BODIES = st.lists(
    st.sampled_from(
        [
            "text",
            "",
            "{gsd:args}",
            "{gsd:path references/r.md}",
            "{{gsd:path",
            "\u00e9\U0001f600",
            "```",
            "\u2028",
            '"\\',
        ]
    ),
    max_size=6,
).map("\n".join)
SECTIONED = st.lists(
    st.one_of(
        BODIES.map(lambda body: f"{body}\n"),
        st.tuples(st.sampled_from("abcdef"), BODIES.filter(lambda body: "```" not in body)).map(
            lambda pair: (
                f'<!-- gsd:section id="{pair[0]}" when="flag:--auto" -->\n{pair[1]}\n<!-- /gsd:section -->\n'
            )
        ),
    ),
    max_size=4,
    unique=True,
).map("".join)
TREES = st.fixed_dictionaries(
    {"references/r.md": BODIES, "commands/c.md": BODIES.map(lambda body: COMMAND + body)},
    optional={
        "workflows/w.md": SECTIONED,
        "templates/deep/t.md": BODIES,
        "skills/s/SKILL.md": BODIES.map(lambda body: COMMAND + body),
        "skills/s/data.bin": st.binary(max_size=20),
        "rules/u.md": BODIES,
        "mcp.json": st.dictionaries(
            st.text("ab\u00e9", min_size=1, max_size=3),
            st.fixed_dictionaries(
                {"command": st.just("x")},
                optional={"args": st.lists(st.text("a\u00e9 \n", max_size=3), max_size=2)},
            ),
            max_size=2,
        ).map(lambda found: json.dumps({"mcpServers": found})),
    },
)


@given(TREES)
@settings(max_examples=60)
def test_packed_and_parsed_are_the_same_for_any_tree(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, str | bytes]
) -> None:
    folder = tmp_path_factory.mktemp("tree")
    if "skills/s/SKILL.md" not in files:
        files.pop("skills/s/data.bin", None)
    try:
        parsed = loaded(folder, files)
    except GsdError:
        with pytest.raises(GsdError):
            pack(str(folder))
        return
    (folder / PACKED).write_bytes(pack(str(folder)))
    packed = catalogs.load(str(folder))
    assert packed == parsed
    _same_types(parsed, packed)
