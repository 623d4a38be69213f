"""docs/content.md says what the code takes: every key, kind, placeholder and marker, and no other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gsd_install.content import holds, manifest, parse
from gsd_install.content.catalog import load
from gsd_install.content.model import FOLDERS, VERBS
from support.generators import DOCS, copied, module, turns_red_and_green

GENERATOR = module("generate_content")
SCRIPT, PAGE = "generate_content.py", "content.md"


def page() -> str:
    text: str = (DOCS / PAGE).read_text(encoding="utf-8")
    return text


@pytest.mark.req("ADR1671-inventory")
def test_the_page_names_everything_there_is() -> None:
    text = page()
    for key in parse.KEYS:
        assert f"\n| `{key}` |" in text, key
    for folder in FOLDERS.values():
        assert f"\n| `{folder}/` |" in text, folder
    for verb in VERBS:
        assert f"\n| `{{gsd:{verb}" in text, verb
    for word in holds.WORDS:
        assert f"\n| `<!-- {word}" in text, word
    for key in manifest.HEAD_KEYS:
        assert f"\n{key} = " in text, key
    for values in parse.CHOICES.values():
        assert ", ".join(f"`{value}`" for value in values) in text


def test_the_example_is_a_content_root(tmp_path: Path) -> None:
    example = page().split("```toml\n")[1].split("```")[0]
    (tmp_path / "content.toml").write_text(example, encoding="utf-8")
    (tmp_path / "commands").mkdir()
    (tmp_path / "commands" / "new-project.md").write_text("---\ndescription: x\n---\nx\n", encoding="utf-8")
    assert load(str(tmp_path)).start == "new-project"


@pytest.mark.parametrize(
    ("owner", "name", "more"),
    [
        (parse, "KEYS", {"colour": ("agent",)}),
        (manifest, "HEAD_KEYS", ("licence",)),
        (holds, "WORDS", ("gsd:fold",)),
        (GENERATOR, "VERBS", ("user",)),
        (GENERATOR, "FOLDERS", {"song": "songs"}),
    ],
)
@pytest.mark.parametrize("change", ["more", "fewer"])
def test_what_the_code_has_and_the_page_has_not_is_found_both_ways(
    monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, more: Any, change: str
) -> None:
    now = getattr(owner, name)
    fewer = dict(list(now.items())[1:]) if isinstance(now, dict) else now[1:]
    larger = {**now, **more} if isinstance(now, dict) else (*now, *more)
    monkeypatch.setattr(owner, name, larger if change == "more" else fewer)
    with pytest.raises(ValueError, match="differ in the"):
        GENERATOR.render((DOCS / "content.template").read_text(encoding="utf-8"))


def test_a_table_that_the_template_forgot_is_found() -> None:
    template = (DOCS / "content.template").read_text(encoding="utf-8")
    for broken in (template.replace("@folders\n", ""), template + "@songs\n"):
        with pytest.raises(ValueError, match="tables of the template"):
            GENERATOR.render(broken)


def test_the_check_is_red_after_a_change_and_green_after_writing(tmp_path: Path) -> None:
    turns_red_and_green(copied(tmp_path, SCRIPT, PAGE, "content.template"), SCRIPT, PAGE, "| `tier` |")
