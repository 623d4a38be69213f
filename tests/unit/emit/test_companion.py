"""What stands in the payload beside the texts: code, launchers, and what they read about the content."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from gsd_install.content.capability import capability
from gsd_install.content.feature import Capability
from gsd_install.content.select import specific_paths
from gsd_install.content.tree import EMITTED
from gsd_install.contents import Content
from gsd_install.declared import Declared
from gsd_install.emit.companion import Code, described, host, placed
from gsd_install.emit.emit import emit_shared
from gsd_install.emit.interpreter import Interpreter
from gsd_install.emit.launchers import launchers
from gsd_install.emit.output import Output
from gsd_install.emit.packed import open_pack
from gsd_install.gathering import PACKED, read
from gsd_install.kernel.errors import GsdError
from gsd_install.packing import pack_emissions
from gsd_install.payload import pack, payload
from gsd_install.plugins import Plugins
from gsd_install.runtime import Home, Place, Runtime, inline
from gsd_install.runtime.words import Scope
from support.companions import MANIFEST, distribution
from support.content import content_root, loaded, target_of
from support.venvs import ROOT

ACME = Runtime("acme", "Acme", Home("~/.acme"), ".acme", (Place("command", "c/{name}.md", (inline,)),))
ENTRY = Declared("acme", "acme_tools.inner", "acme-tools 1.0")
GATED = {
    "workflows/do.md": (
        "---\ndescription: Does it\n---\nOne.\n"
        '<!-- gsd:section id="deep" when="flag:--research" -->\nTwo.\n<!-- /gsd:section -->\nThree.\n'
    ),
    "workflows/host.md": "Type {gsd:command do}.\n",
    "commands/do.md": (
        '---\ndescription: D.\nargument-hint: "<n> [--research]"\n---\nRead {gsd:path workflows/do.md}.\n'
    ),
    "agents/worker.md": "---\ndescription: W.\neffort: heavy\n---\nWork.\n",
    "skills/weigh/SKILL.md": "---\ndescription: Weighs.\n---\nTake the scales.\n",
}


@pytest.fixture
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = distribution(tmp_path / "acme")
    monkeypatch.syspath_prepend(folder)
    return folder / "acme_tools" / "inner"


# --- capability.toml ----------------------------------------------------------------------------------


def test_a_capability_says_what_it_brings() -> None:
    said = capability(MANIFEST.encode(), file="x")
    assert said.packages == ("gsd_install.kernel", "acme_tools.inner")
    assert said.launchers == (("acme-tools", "acme_tools.inner.main:console"),)
    assert said.render == "acme-tools"
    assert capability(b'id = "a"\ntitle = "A"', file="x") == Capability("a", "A")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('id = "a"\ntitle = "A"\ncolour = 1', "unknown_key"),
        ('id = "a"\ntitle = "A"\n[payload]\nfiles = []', "unknown_key"),
        ('id = "A b"\ntitle = "A"', "bad_value"),
        ('id = "a"', "bad_value"),
        ('id = "a"\ntitle = "A"\npayload = 1', "bad_value"),
        ('id = "a"\ntitle = "A"\n[payload]\npackages = "x"', "bad_value"),
        ('id = "a"\ntitle = "A"\n[payload]\npackages = ["../x"]', "bad_value"),
        ('id = "a"\ntitle = "A"\n[payload.launchers]\n"../x" = "a:b"', "bad_value"),
        ('id = "a"\ntitle = "A"\n[payload.launchers]\nx = "a; import os"', "bad_value"),
        ('id = "a"\ntitle = "A"\n[payload]\nrender = "x"', "bad_value"),
        ('id = "a"\ntitle', "bad_toml"),
        ("\udcff", "bad_toml"),
    ],
)
def test_what_a_capability_may_not_say(text: str, reason: str) -> None:
    with pytest.raises(GsdError) as caught:
        capability(text.encode("utf-8", "surrogateescape"), file="x.toml")
    assert (caught.value.reason, caught.value.file) == (reason, "x.toml")


def test_code_comes_with_every_parent_package(acme: Path) -> None:
    code, problems, *_ = payload([ENTRY])
    files = dict(code.files)
    assert problems == ()
    assert files["acme_tools/__init__.py"] == b""
    assert files["gsd_install/__init__.py"] == b""
    assert files["acme_tools/inner/main.py"] == (acme / "main.py").read_bytes()
    assert "gsd_install/kernel/errors.py" in files
    assert not any(path.startswith("gsd_install/apply") for path in files)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("title", "titel", "no key 'titel'"),
        ("acme_tools.inner.main:", "acme_tools.inner.gone:", "acme_tools.inner.gone"),
        ('"acme_tools.inner"]', '"acme_tools.gone"]', "no package acme_tools.gone"),
        ('id = "acme"', 'id = "other"', "its id is 'other'"),
    ],
)
def test_a_malformed_capability_is_left_out_and_named(acme: Path, old: str, new: str, said: str) -> None:
    (acme / "capability.toml").write_text(MANIFEST.replace(old, new), encoding="utf-8")
    code, problems, *_ = payload([ENTRY])
    assert code == Code()
    [problem] = problems
    assert "'acme' of acme-tools 1.0" in problem
    assert said in problem


def test_two_capabilities_with_one_launcher_are_not_mixed(acme: Path) -> None:
    code, problems, *_ = payload([ENTRY, ENTRY._replace(distribution="twin 2.0")])
    assert code == payload([ENTRY]).code
    assert "twin 2.0" in problems[0]


def test_a_packed_manifest_is_used_for_the_very_same_file_only(acme: Path) -> None:
    packed = pack([("acme", "acme_tools.inner")])
    file = acme.parent / PACKED
    file.write_bytes(
        packed.replace(b"Acme's tools", b"From the pack").replace(
            b'title = \\"From the pack', b"title = \\\"Acme's tools"
        )
    )
    assert read(ENTRY).title == "From the pack"
    (acme / "capability.toml").write_text(MANIFEST.replace("Acme's", "Our"), encoding="utf-8")
    assert read(ENTRY).title == "Our tools"


def test_packing_refuses_what_an_install_would_leave_out(acme: Path) -> None:
    (acme / "main.py").unlink()
    with pytest.raises(GsdError, match="in none of its packages"):
        pack([("acme", "acme_tools.inner")])


# --- outputs ------------------------------------------------------------------------------------------


def test_nothing_is_placed_without_a_launcher() -> None:
    assert placed(Code((("x.py", b""),)), target_of(ACME), Interpreter()) == ()


@pytest.mark.parametrize("scope", ["global", "project"])
def test_code_and_launchers_stand_below_the_payload(scope: Scope) -> None:
    made = target_of(ACME, scope)
    code = Code((("a/b.py", b"x"),), (("tool", "a.b:go"),), "tool")
    outputs = {
        output.path.removeprefix(f"{made.payload}/"): output for output in placed(code, made, Interpreter())
    }
    expected = {"lib/a/b.py", "bin/tool", "bin/tool.cmd", "bin/tool.ps1"}
    assert set(outputs) == expected | ({".gitignore"} if scope == "project" else set())
    assert [path for path, output in outputs.items() if output.executable] == ["bin/tool"]
    assert all(output.shared for output in outputs.values())


def test_a_path_with_quotes_is_quoted_in_every_launcher() -> None:
    odd = "/o'dd/100%/python"
    shell, command, power = launchers("tool", "a.b:go", Interpreter(odd, odd))
    assert b"python='/o'\"'\"'dd/100%/python'" in shell[1]
    assert b'set "python=/o\'dd/100%%/python"\r\n' in command[1]
    assert b"$python = '/o''dd/100%/python'" in power[1]
    assert b"\n" not in command[1].replace(b"\r\n", b"")


def test_the_manifest_names_shared_workflows_and_the_very_pointers(tmp_path: Path) -> None:
    catalog = loaded(tmp_path / "one", {**GATED, "CONTEXT.md": "- `A=1`\n"})
    made, specific = target_of(ACME), specific_paths(catalog.documents)
    [file] = described(catalog, catalog.documents, made, specific)
    table = json.loads(file.data)
    assert file.path == f"{made.payload}/{catalog.id}/companion.json"
    assert list(table["workflows"]) == ["do"]
    workflow = table["workflows"]["do"]
    bodies = {output.path: output.data.decode() for output in emit_shared(catalog, catalog.documents, made)}
    [section] = workflow["sections"]
    assert section["pointer"] in bodies[f"{made.payload}/{workflow['path']}"].splitlines()
    assert bodies[f"{made.payload}/{section['read']}"] == "Two.\n"
    assert table["commands"] == {"do": {"hint": "<n> [--research]"}}
    assert table["agents"] == {"worker": {"effort": "heavy"}}
    assert table["skills"] == {"weigh": {"description": "Weighs."}}
    assert workflow["description"] == "Does it"
    assert "scales" not in file.data.decode()
    assert bodies[f"{made.payload}/{table['context']}"] == "- `A=1`\n"
    bare = loaded(tmp_path / "two", GATED)
    assert json.loads(described(bare, bare.documents, made, specific)[0].data)["context"] is None


def test_a_host_is_described_by_what_its_plugin_says() -> None:
    made = target_of(ACME._replace(tools={"read": "Look"}, invoke="!{name}"))
    output = host(made)
    assert output.path == f"{made.payload}/hosts/acme.json"
    facts = {
        "id": "acme",
        "title": "Acme",
        "invoke": "!{name}",
        "arguments": "$ARGUMENTS",
        "tools": {"read": "Look"},
    }
    assert json.loads(output.data) == facts


def _bytes(outputs: tuple[Output, ...]) -> list[Output]:
    """Outputs as they are written: a pack also knows their digests."""
    return [output._replace(sha256="") for output in outputs]


@pytest.mark.parametrize("scope", ["global", "project"])
def test_what_is_packed_for_a_launcher_is_what_emitting_gives(tmp_path: Path, scope: Scope) -> None:
    root = str(content_root(tmp_path, GATED))
    (tmp_path / "CONTEXT.md").write_text("- `A.B=c`\n", encoding="utf-8")
    names = {"claude": "gsd_runtimes.claude"}
    folder = ROOT / "plugins" / "gsd_runtimes"
    (tmp_path / EMITTED).write_bytes(pack_emissions(root, names, str(folder), "tool"))
    digest = hashlib.sha256((folder / "claude.py").read_bytes()).hexdigest()
    plugin = Plugins((Declared("claude", "gsd_runtimes.claude", "x"),)).get("claude")
    plugin = plugin._replace(digest=digest)
    made = target_of(plugin.runtime, scope)
    packed, parsed = Content(root, pack=open_pack(root)), Content(root)
    found = packed.emission(plugin, made, "core", frozenset(), "tool")
    written = parsed.emission(plugin, made, "core", frozenset(), "tool")
    assert _bytes(found.outputs) == _bytes(written.outputs)
    assert found._replace(outputs=()) == written._replace(outputs=())
    assert _bytes(packed.described(made)) == _bytes(parsed.described(made))
    assert packed._catalog is None, "the pack was not used"
    assert packed.emission(plugin, made, "full", frozenset()) != packed.emission(
        plugin, made, "full", frozenset(), "tool"
    )
    assert packed._catalog is not None, "the pack was used for another launcher"
