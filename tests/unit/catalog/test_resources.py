"""Resources and prompts, asked by the official client in the same process."""

from __future__ import annotations

import base64
import os
from pathlib import Path

import anyio
import pytest
from mcp import Client
from mcp_types import BlobResourceContents, TextResourceContents

from gsd_capabilities.catalog import pages
from support.served import CONTENT, MODES, ask, refused, served


def text_of(service_answer: object) -> str:
    contents = getattr(service_answer, "contents", None)
    assert contents
    assert isinstance(contents[0], TextResourceContents)
    return contents[0].text


@pytest.mark.req("ADR1671-mcp-resources")
@pytest.mark.parametrize("mode", MODES)
def test_every_kind_is_listed_by_its_address_and_in_order(tmp_path: Path, mode: str) -> None:
    found = ask(served(tmp_path).service, lambda client: client.list_resources(), mode)
    assert [str(resource.uri) for resource in found.resources] == sorted(f"gsd://{path}" for path in CONTENT)
    plan = next(item for item in found.resources if item.uri == "gsd://workflows/plan.md")
    assert (plan.name, plan.title, plan.mime_type) == ("plan", "Planning", "text/markdown")
    skill = next(item for item in found.resources if item.uri == "gsd://skills/tidy/SKILL.md")
    assert (skill.title, skill.description) == ("Tidy", "Tidies up")


@pytest.mark.req("ADR1671-mcp-read")
@pytest.mark.parametrize("mode", MODES)
def test_what_is_composed_has_its_sections_in_place_and_the_rest_is_verbatim(
    tmp_path: Path, mode: str
) -> None:
    box = served(tmp_path)

    async def read(client: Client) -> dict[str, str]:
        paths = ("workflows/plan.md", "agents/planner.md", "references/deep/scope.md", "templates/plan.md")
        return {path: text_of(await client.read_resource(f"gsd://{path}")) for path in paths}

    assert ask(box.service, read, mode) == {
        "workflows/plan.md": "# Plan\n\n## Research\n\nLook.\n\nAsk ac-planner.\n",
        "agents/planner.md": "---\ndescription: Makes plans\n---\nYou plan.\n",
        "references/deep/scope.md": "What is in: \u00e9 \u2713, a reference explains {gsd:path x}.\n",
        "templates/plan.md": "# Plan of ...\n",
    }


@pytest.mark.req("ADR1671-mcp-read")
def test_what_is_installed_goes_first_with_each_step_in_the_place_of_its_pointer(tmp_path: Path) -> None:
    box = served(tmp_path, installed=True)
    read = box.library.read
    assert (
        read("gsd://workflows/plan.md")[1] == "# Plan, installed\n\n## Research\n\nLook.\n\nAsk ac-planner.\n"
    )
    assert read("gsd://references/deep/scope.md")[1] == "What is in, installed: <!-- gsd:section -->\n"
    assert read("gsd://references/mine.md")[1] == "Added by hand.\n"
    assert read("gsd://templates/plan.md")[1] == "# Plan of ...\n"
    listed = [entry.uri for entry in box.library.entries]
    assert "gsd://references/mine.md" in listed
    assert not [uri for uri in listed if "/steps/" in uri]


def test_placeholders_read_as_in_the_host_and_neutrally_without_one(tmp_path: Path) -> None:
    box = served(tmp_path / "a", installed=True)
    assert str(box.library.read("gsd://commands/plan.md")[1]).endswith(
        "---\nFor $ARGUMENTS, read ~/.gsd/content/acme/workflows/plan.md, type /ac-plan and Read it in"
        " Claude Code.\n"
    )
    assert "with ~/.gsd/bin/gsd-tools." in str(box.library.read("gsd://commands/stop.md")[1])
    assert "Run gsd://skills/tidy/tidy.py" in str(box.library.read("gsd://skills/tidy/SKILL.md")[1])
    neutral = served(tmp_path / "b").library
    assert str(neutral.read("gsd://commands/plan.md")[1]).endswith(
        "---\nFor the arguments, read gsd://workflows/plan.md, type ac-plan and read it in this host.\n"
    )
    assert "with gsd-tools." in str(neutral.read("gsd://commands/stop.md")[1])


def test_bytes_that_are_no_text_arrive_as_they_are(tmp_path: Path) -> None:
    found = ask(
        served(tmp_path).service, lambda client: client.read_resource("gsd://skills/tidy/picture.png")
    )
    [content] = found.contents
    assert isinstance(content, BlobResourceContents)
    assert base64.b64decode(content.blob) == CONTENT["skills/tidy/picture.png"]


def test_templates_name_every_folder(tmp_path: Path) -> None:
    found = ask(served(tmp_path).service, lambda client: client.list_resource_templates())
    assert [item.uri_template for item in found.resource_templates] == [
        f"gsd://{folder}/{{+path}}"
        for folder in ("agents", "commands", "references", "skills", "templates", "workflows")
    ]


MANY = {f"references/part-{number:03}.md": f"Part {number}.\n" for number in range(120)}


@pytest.mark.req("ADR1671-mcp-pagination")
@pytest.mark.parametrize("mode", MODES)
def test_pages_hold_everything_once(tmp_path: Path, mode: str) -> None:
    async def walk(client: Client) -> list[list[str]]:
        found, cursor = [], None
        while True:
            page = await client.list_resources(cursor=cursor)
            found.append([str(resource.uri) for resource in page.resources])
            if page.next_cursor is None:
                return found
            cursor = page.next_cursor

    walked = ask(served(tmp_path, MANY).service, walk, mode)
    assert [len(page) for page in walked] == [50, 50, 20]
    assert [uri for page in walked for uri in page] == sorted(f"gsd://{path}" for path in MANY)


@pytest.mark.req("ADR1671-mcp-pagination")
@pytest.mark.parametrize("cursor", ["", "x", "e30", "eyJpIjo1MH0", "eyJmIjoiIiwiaSI6MX0", "\u00e9", "W10"])
def test_a_cursor_of_nobody_is_refused_with_its_reason(tmp_path: Path, cursor: str) -> None:
    service = served(tmp_path, MANY).service
    code, data, _ = refused(service, lambda client: client.list_resources(cursor=cursor))
    assert (code, data["reason"]) == (-32602, "unknown_cursor")


@pytest.mark.req("ADR1671-mcp-pagination")
def test_a_cursor_of_another_listing_is_refused(tmp_path: Path) -> None:
    box = served(tmp_path, MANY)
    first = ask(box.service, lambda client: client.list_resources())
    (box.content / "references" / "another.md").write_text("More.\n", encoding="utf-8")
    code, data, _ = refused(box.service, lambda client: client.list_resources(cursor=first.next_cursor))
    assert (code, data["reason"]) == (-32602, "unknown_cursor")


def test_an_index_past_the_end_is_an_empty_page() -> None:
    assert pages.page(pages._cursor(9, "abc"), 3, "abc") == (3, 3, None)
    assert pages.page(None, 0, "abc") == (0, 0, None)


@pytest.mark.req("ADR1671-mcp-prompts")
@pytest.mark.parametrize("mode", MODES)
def test_each_command_is_a_prompt_with_its_argument_put_in(tmp_path: Path, mode: str) -> None:
    async def prompts(client: Client) -> tuple[dict[str, list[str]], str, str]:
        listed = await client.list_prompts()
        names = {item.name: [argument.name for argument in item.arguments or []] for item in listed.prompts}
        given = await client.get_prompt("plan", {"arguments": "{gsd:args} 'a' \u8a08\u753b \U0001f680\n$X"})
        bare = await client.get_prompt("plan")
        [one], [two] = given.messages, bare.messages
        assert one.role == "user"
        return names, getattr(one.content, "text", ""), getattr(two.content, "text", "")

    names, given, bare = ask(served(tmp_path).service, prompts, mode)
    assert names == {"plan": ["arguments"], "stop": []}
    assert given.startswith("For {gsd:args} 'a' \u8a08\u753b \U0001f680\n$X, read gsd://")
    assert bare.startswith("For , read gsd://")


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("nope", {}, "unknown_prompt"),
        ("", {}, "unknown_prompt"),
        ("../workflows/plan", {}, "unknown_prompt"),
        ("plan", {"who": "me"}, "invalid_params"),
        ("stop", {"arguments": "x"}, "invalid_params"),
    ],
)
def test_a_prompt_that_is_not_there_is_an_error(
    tmp_path: Path, name: str, arguments: dict[str, str], reason: str
) -> None:
    code, data, _ = refused(served(tmp_path).service, lambda client: client.get_prompt(name, arguments))
    assert (code, data["reason"]) == (-32602, reason)


def test_content_that_changes_is_served_anew_and_every_client_hears_of_it(tmp_path: Path) -> None:
    box = served(tmp_path, installed=True)
    heard: list[str] = []

    async def change(client: Client) -> list[str]:
        before = text_of(await client.read_resource("gsd://references/deep/scope.md"))
        (box.payload / "content/acme/references/deep/scope.md").write_text("Other.\n", encoding="utf-8")
        after = text_of(await client.read_resource("gsd://references/deep/scope.md"))
        (box.content / "references" / "new.md").write_text("New.\n", encoding="utf-8")
        listed = await client.list_resources()
        assert "gsd://references/new.md" in [str(item.uri) for item in listed.resources]
        return [before, after]

    async def hear(message: object) -> None:
        heard.append(type(message).__name__)

    async def run() -> list[str]:
        async with Client(box.service.server, mode="legacy", message_handler=hear) as client:
            found = await change(client)
            await client.list_tools()  # whatever was sent before this answer has arrived
            return found

    before, after = anyio.run(run)
    assert (before[:4], after) == ("What", "Other.\n")
    assert heard.count("ResourceListChangedNotification") == 2


def test_content_that_cannot_be_read_any_more_is_served_as_it_was(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    box = served(tmp_path)
    file = box.content / "references" / "deep" / "scope.md"
    file.write_text("{gsd:nothing}\n", encoding="utf-8")
    assert not box.library.changed()
    assert "scope.md:1" in box.library.problem
    assert str(box.library.read("gsd://references/deep/scope.md")[1]) != "{gsd:nothing}\n"
    ask(box.service, lambda client: client.list_resources())
    file.write_text("{gsd:worse}\n", encoding="utf-8")
    ask(box.service, lambda client: client.list_resources())
    assert "unknown placeholder '{gsd:worse}'" in caplog.text
    file.write_text("Mended.\n", encoding="utf-8")
    assert box.library.changed()
    assert (box.library.problem, box.library.read("gsd://references/deep/scope.md")[1]) == ("", "Mended.\n")


def test_a_broken_manifest_of_the_payload_is_a_failed_read(tmp_path: Path) -> None:
    box = served(tmp_path, installed=True)
    os.unlink(box.payload / "content/acme/workflows/plan/steps/research.md")
    code, data, message = refused(box.service, lambda client: client.read_resource("gsd://workflows/plan.md"))
    assert (code, data["reason"]) == (-32603, "read_failed")
    assert str(tmp_path) not in f"{data}{message}"
