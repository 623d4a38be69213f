from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from gsd_install.content.tree import read, walk
from gsd_install.kernel.digests import of_files
from gsd_install.kernel.errors import GsdError
from support.content import EVERY_KIND, content_root, loaded

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs links, modes and devices as POSIX has them")


def refused(root: Path) -> GsdError:
    with pytest.raises(GsdError) as caught:
        walk(str(root))
    return caught.value


def paths(root: Path) -> list[str]:
    return [file.path for file in walk(str(root))]


def test_every_file_is_listed_once_in_order(tmp_path: Path) -> None:
    root = content_root(tmp_path, EVERY_KIND)
    (root / "empty").mkdir()
    assert paths(root) == sorted([*EVERY_KIND, "content.toml"])
    sizes = {file.path: file.size for file in walk(str(root))}
    assert sizes["rules/loop.md"] == len(EVERY_KIND["rules/loop.md"])


def test_what_tools_leave_behind_is_no_content(tmp_path: Path) -> None:
    names = (
        "__init__.py",
        "py.typed",
        "catalog.json",
        "hooks/__pycache__/x.pyc",
        ".git/config",
        "skills/.DS_Store",
    )
    left = dict.fromkeys(names, "x")
    assert paths(content_root(tmp_path, left)) == ["content.toml"]


def test_the_same_names_inside_a_skill_are_files_of_it(tmp_path: Path) -> None:
    files = {f"skills/tool/{name}": "x" for name in ("__init__.py", "py.typed", "catalog.json")}
    assert paths(content_root(tmp_path, files)) == ["content.toml", *sorted(files)]


def test_a_root_that_is_no_folder_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    for root, what in ((file, "is a file"), (tmp_path / "nowhere", "does not exist")):
        error = refused(root)
        assert error.reason == "no_content_root"
        assert error.file == str(root)
        assert what in error.message
        assert "content.toml" in str(error.hint)


@posix
@pytest.mark.parametrize("where", ["commands/secret.md", "skills/x/secret", "references"])
@pytest.mark.parametrize("inside", [True, False])
def test_a_link_is_refused_wherever_it_leads(tmp_path: Path, where: str, inside: bool) -> None:
    root = content_root(tmp_path / "root", {"commands/a.md": "---\ndescription: d\n---\n"})
    outside = tmp_path / "private"
    outside.mkdir()
    (outside / "secret.md").write_text("PRIVATE")
    link = root / where
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(root / "commands" if inside else outside)
    error = refused(root)
    assert (error.reason, error.file) == ("source_link", f"{root}/{where}")
    assert "copy" in str(error.hint)


@posix
def test_a_root_that_is_itself_a_link_is_an_ordinary_root(tmp_path: Path) -> None:
    content_root(tmp_path / "real", EVERY_KIND)
    (tmp_path / "link").symlink_to("real")
    assert paths(tmp_path / "link") == paths(tmp_path / "real")


@posix
def test_a_device_is_refused(tmp_path: Path) -> None:
    root = content_root(tmp_path, {"commands/a.md": "x"})
    os.mkfifo(root / "commands" / "pipe.md")
    error = refused(root)
    assert (error.reason, error.file) == ("source_device", f"{root}/commands/pipe.md")


@posix
def test_a_hard_link_is_a_file_like_any_other(tmp_path: Path) -> None:
    """Installers of Python packages link every file of a package to their own cache."""
    root = content_root(tmp_path / "root", EVERY_KIND)
    os.link(root / "commands" / "plan.md", tmp_path / "cached")
    assert "commands/plan.md" in paths(root)


@posix
@pytest.mark.parametrize("name", ["a\nb.md", "a\x07b.md", os.fsdecode(b"a\xffb.md"), "a\u202eb.md"])
def test_a_name_that_cannot_be_shown_is_refused(tmp_path: Path, name: str) -> None:
    root = content_root(tmp_path, {})
    try:
        (root / name).write_text("x")
    except OSError:
        pytest.skip("this file system does not hold such a name")
    error = refused(root)
    assert error.reason == "source_name"
    assert str(error.file).isprintable()


@posix
@pytest.mark.skipif(sys.platform != "win32" and os.geteuid() == 0, reason="root reads everything")
def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    root = content_root(tmp_path, EVERY_KIND)
    (root / "rules" / "loop.md").chmod(0)
    with pytest.raises(GsdError) as caught:
        read(str(root), "rules/loop.md")
    assert (caught.value.reason, caught.value.file) == ("unreadable", f"{root}/rules/loop.md")


def test_what_vanishes_between_listing_and_reading_is_named(tmp_path: Path) -> None:
    with pytest.raises(GsdError) as caught:
        read(str(tmp_path), "gone.md")
    assert (caught.value.reason, caught.value.file) == ("unreadable", f"{tmp_path}/gone.md")


@posix
def test_a_file_that_became_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "private").write_text("PRIVATE")
    (tmp_path / "x.md").symlink_to("private")
    with pytest.raises(GsdError) as caught:
        read(str(tmp_path), "x.md")
    assert caught.value.reason == "unreadable"


def test_the_digest_covers_names_bytes_and_where_one_file_ends() -> None:
    trees = [
        {"a": b"xy"},
        {"a": b"x", "b": b"y"},
        {"b": b"xy"},
        {"a": b"xz"},
        {"a": b"", "b": b"xy"},
        {},
        {"a": b"x", "b": b""},
    ]
    trees += [{"a": b"xb\0"}, {"a": b"xb"}]
    assert len({of_files(tree) for tree in trees}) == len(trees)
    assert of_files({"a": b"1", "b": b"2"}) == of_files({"b": b"2", "a": b"1"})


@posix
@pytest.mark.case("PM-03")
@pytest.mark.parametrize("mode", [0o644, 0o755])
def test_a_script_is_executable_and_a_text_is_not_whatever_their_modes(tmp_path: Path, mode: int) -> None:
    files: dict[str, str | bytes] = {
        **EVERY_KIND,
        "hooks/run.sh": "#!/usr/bin/env bash\necho ok\n",
        "skills/tidy/scripts/do.py": "#!/usr/bin/env python3\n",
        "skills/tidy/notes.md": "x\n",
        "skills/tidy/tool.bin": b"\x7fELF\x00\x01",
    }
    for path in content_root(tmp_path, files).rglob("*"):
        if path.is_file():
            path.chmod(mode)
    catalog = loaded(tmp_path, {})
    executable = {asset.path: asset.executable for asset in catalog.assets}
    assert executable == {
        "hooks/hello.py": True,
        "hooks/run.sh": True,
        "skills/tidy/tidy.py": True,
        "skills/tidy/scripts/do.py": True,
        "skills/tidy/notes.md": False,
        "skills/tidy/tool.bin": mode == 0o755,
    }
    assert not any(document.executable for document in catalog.documents)
