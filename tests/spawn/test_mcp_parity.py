"""A real install and the real server that it wrote down: both give the same texts, document by document.

Up to what the runtime declares: its own frontmatter or wrapping, and in a command the paragraph that sends
an agent to the launcher first.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp_types import TextResourceContents

from gsd_capabilities.catalog.library import Library
from gsd_install.kernel.frontmatter import split
from gsd_install.kernel.scope import COMPOSED
from gsd_install.shipped import shipped_root
from support.installs import Machine, machine
from support.venvs import third_party_venv

pytestmark = pytest.mark.req("ADR1671-mcp-parity")

RUNTIMES = ("claude", "codex")
# What a host's own form of a command adds in front of the paragraph that links to the workflow.
TOLD = re.compile(
    r"What follows is the [\w-]+ workflow, .*?Only where nothing stands above, [^\n]*\n\n"
    r"|First run `[^`]+`, [^\n]*\n\n",
    re.DOTALL,
)


class Pair(NamedTuple):
    """One document as installed and as served; `marked` where a section of it is gated."""

    installed: str
    served: str
    marked: bool = False


@pytest.fixture(scope="module")
def scripts(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts of a lasting installation of the built wheel with its extra."""
    return third_party_venv(tmp_path_factory.mktemp("lasting"), Path(f"{wheel}[mcp]"))


@pytest.fixture(scope="module", params=RUNTIMES)
def box(request: pytest.FixtureRequest, scripts: Path, tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """A home with everything installed for one runtime."""
    made = machine(tmp_path_factory.mktemp(request.param), scripts / "gsd-install")
    made.run("--runtime", request.param, "--profile", "full", "--with", "mcp").ok()
    return made


def server_of(box: Machine) -> Mapping[str, Any]:
    """The server as the host of this home would start it."""
    claude = box.home / ".claude.json"
    if claude.exists():
        return dict(json.loads(claude.read_bytes())["mcpServers"]["gsd"])
    return dict(
        tomllib.loads((box.home / ".codex/config.toml").read_text(encoding="utf-8"))["mcp_servers"]["gsd"]
    )


def everything(box: Machine, *words: str) -> dict[str, str]:
    """Every text that the server of this home lists, by address."""
    entry = server_of(box)
    server = StdioServerParameters(
        command=entry["command"], args=[*entry["args"], *words], env=box.env, cwd=box.project
    )

    async def run() -> dict[str, str]:
        found, cursor = {}, None
        with anyio.fail_after(120):
            async with Client(server) as client:
                while True:
                    page = await client.list_resources(cursor=cursor)
                    for resource in page.resources:
                        [content] = (await client.read_resource(str(resource.uri))).contents
                        assert isinstance(content, TextResourceContents)
                        found[str(resource.uri)] = content.text
                    cursor = page.next_cursor
                    if cursor is None:
                        return found

    return anyio.run(run)


def bodies(box: Machine) -> dict[str, tuple[str, bool]]:
    """The installed texts that are read by path, whole, and whether a section of each is gated."""
    root = box.home / ".gsd"
    table = json.loads((root / "gsd" / "companion.json").read_bytes())
    folder = root / "content" / "gsd"
    found = {}
    for file in sorted(folder.rglob("*.md")):
        path = file.relative_to(folder).as_posix()
        if "/steps/" not in path and "/" in path:
            text = file.read_text(encoding="utf-8")
            sections = table["workflows"].get(file.stem, {}).get("sections", [])
            gated = [section for section in sections if path.startswith("workflows/")]
            for section in gated:
                line = f"{section['pointer']}\n"
                assert text.count(line) == 1
                text = text.replace(line, (root / section["read"]).read_text(encoding="utf-8"))
            found[f"gsd://{path}"] = (text, bool(gated))
    return found


def discovered(box: Machine) -> dict[str, str]:
    """The bodies of commands, agents and skills as the host has them, less what its form of them adds."""
    found = {}
    for folder, pattern in ((".claude", "commands/*.md"), (".claude", "agents/*.md")):
        for file in (box.home / folder).glob(pattern):
            path = f"gsd://{file.parent.name}/{file.name.removeprefix('gsd-')}"
            found[path] = split(file.read_text(encoding="utf-8")).body
    for file in (box.home / ".codex/agents").glob("*.toml"):
        table = tomllib.loads(file.read_text(encoding="utf-8"))
        found[f"gsd://agents/{file.stem.removeprefix('gsd-')}.md"] = table["developer_instructions"]
    for folder in (".claude/skills", ".agents/skills"):
        for file in (box.home / folder).glob("*/SKILL.md"):
            name = file.parent.name.removeprefix("gsd-")
            kind = "skills" if Path(shipped_root(), "skills", name).exists() else "commands"
            path = f"skills/{name}/SKILL.md" if kind == "skills" else f"commands/{name}.md"
            found[f"gsd://{path}"] = split(file.read_text(encoding="utf-8")).body
    return {path: TOLD.sub("", text) if "/commands/" in path else text for path, text in found.items()}


def differences(pairs: Mapping[str, Pair]) -> list[str]:
    """Documents that are not the same; fails when the set proves nothing."""
    assert any(pair.marked for pair in pairs.values()), "no marked workflow is compared"
    assert any(path.startswith("gsd://references/") for path in pairs), "nothing verbatim is compared"
    return [path for path, pair in pairs.items() if pair.installed != pair.served]


def compared(box: Machine, served: Mapping[str, str]) -> dict[str, Pair]:
    """Every installed text beside what is served for it."""
    pairs = {
        path: Pair(text, served.get(path, "not served"), marked)
        for path, (text, marked) in bodies(box).items()
    }
    for path, text in discovered(box).items():
        pairs[path] = Pair(text.strip(), split(served.get(path, "not served")).body.strip())
    return pairs


def test_what_is_served_is_what_is_installed(box: Machine) -> None:
    served = everything(box)
    pairs = compared(box, served)
    kinds = {path.split("/")[2] for path in pairs}
    assert kinds == {"agents", "commands", "references", "skills", "templates", "workflows"}
    assert len(pairs) > 120
    assert differences(pairs) == []


def neutral(text: str) -> str:
    """An installed body with its paths as addresses."""
    return text.replace("~/.gsd/content/gsd/", "gsd://").replace("~/.gsd/bin/", "")


def test_what_ships_is_composed_as_the_installer_composes_it(box: Machine, tmp_path: Path) -> None:
    served = everything(box, "--payload", str(tmp_path / "nothing"))
    pairs = {
        path: Pair(neutral(text), served.get(path, "not served"), marked)
        for path, (text, marked) in bodies(box).items()
    }
    assert differences(pairs) == []


@pytest.mark.req("ADR1671-mcp-parity-not-vacuous")
def test_the_comparison_fails_on_a_set_that_proves_nothing(box: Machine) -> None:
    pairs = compared(box, {})
    assert sorted(differences(pairs)) == sorted(pairs)
    for lacking in (
        {},
        {path: pair for path, pair in pairs.items() if not pair.marked},
        {path: pair for path, pair in pairs.items() if not path.startswith("gsd://references/")},
    ):
        with pytest.raises(AssertionError, match="is compared"):
            differences(lacking)


@pytest.mark.req("ADR1671-mcp-parity-not-vacuous")
@pytest.mark.parametrize("payload", [".gsd", "nothing"])
def test_a_predicate_that_is_flipped_is_found(
    box: Machine, payload: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read() -> dict[str, str]:
        library = Library(shipped_root(), str(box.home / payload), "~/.gsd")
        served = {}
        for entry in library.entries:
            if entry.kind in ("workflow", "reference", "template"):
                served[entry.uri] = neutral(str(library.read(entry.uri)[1]))
        return served

    def pairs(served: Mapping[str, str]) -> dict[str, Pair]:
        ours = {path: made for path, made in bodies(box).items() if path in served}
        return {path: Pair(neutral(text), served[path], marked) for path, (text, marked) in ours.items()}

    assert differences(pairs(read())) == []
    monkeypatch.setattr("gsd_install.kernel.scope.should_compose", lambda kind: kind not in COMPOSED)
    assert {path for path, pair in pairs(read()).items() if pair.marked} <= set(differences(pairs(read())))
