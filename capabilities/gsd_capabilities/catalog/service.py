"""The server: the methods of the Model Context Protocol, on the low-level server of its official SDK."""

from __future__ import annotations

import base64
import contextlib
import logging
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
    ToolsListChanged,
)

from gsd_capabilities.catalog import pages, results, tools
from gsd_capabilities.catalog.addresses import ROOTS, SCHEME, RefusedError
from gsd_capabilities.catalog.library import ARGUMENT, MARKDOWN
from gsd_capabilities.catalog.protocol import Announcing, guarded
from gsd_capabilities.packs.tool import NAMESPACE
from gsd_capabilities.packs.tools import DISCOVER
from gsd_install.version import VERSION

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel.server import Server
    from mcp.server.session import ServerSession

    from gsd_capabilities.catalog.desk import Desk
    from gsd_capabilities.catalog.gateway import Gateway
    from gsd_capabilities.catalog.library import Library

_LOG = logging.getLogger(__name__)
NAME = "gsd"
WATCH_SECONDS = 2.0
_SESSIONS = 256
_INSTRUCTIONS = (
    "Commands, workflows, references, skills and agents are resources under gsd:// and commands are prompts. "
    "gsd_render gives a workflow with only the sections an invocation needs: prefer it to the resource."
)


class Service:
    """Answers for one library and one desk, its tools through a gateway where there is one.

    `server` is what a transport runs.
    """

    def __init__(self, library: Library, desk: Desk, gateway: Gateway | None = None) -> None:
        self._library, self._desk, self.gateway = library, desk, gateway
        self._bus = InMemorySubscriptionBus()
        self._sessions: deque[ServerSession] = deque(maxlen=_SESSIONS)
        self._build()
        self.server = _server(self)

    @property
    def title(self) -> str:
        """What a client shows of the server."""
        return self._library.name

    def _build(self) -> None:
        """What is listed, made once for each state of the content."""
        self._resources = [
            types.Resource(
                uri=entry.uri,
                name=entry.name,
                title=entry.title,
                description=entry.description or None,
                mime_type=entry.mime,
            )
            for entry in self._library.entries
        ]
        self._prompts = [
            types.Prompt(
                name=command.name,
                title=command.title,
                description=command.description,
                arguments=[types.PromptArgument(name=ARGUMENT, description=command.hint, required=False)]
                if command.hint
                else [],
            )
            for command in self._library.commands
        ]
        self._prompt_listing = pages.fingerprint(command.name for command in self._library.commands)

    async def look(self) -> None:
        """Where the content has changed, serve the new one and tell every client."""
        before = self._library.problem
        changed = self._library.changed()
        if self._library.problem not in ("", before):
            _LOG.warning("the content is served as it was: %s", self._library.problem)
        if not changed:
            return
        self._build()
        for session in tuple(self._sessions):
            await session.send_resource_list_changed()
            await session.send_prompt_list_changed()
        await self._bus.publish(ResourcesListChanged())
        await self._bus.publish(PromptsListChanged())

    @contextlib.asynccontextmanager
    async def watching(self, _: object) -> AsyncIterator[dict[str, Any]]:
        """Look at the content from time to time, for clients that only listen."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._watch)
            if self.gateway is not None:
                self.gateway.group = group
            try:
                yield {}
            finally:
                group.cancel_scope.cancel()

    async def _watch(self) -> None:
        while True:
            await anyio.sleep(WATCH_SECONDS)
            try:
                await self.look()
            except Exception:  # noqa: BLE001 - whoever asks next is told; the server goes on
                _LOG.exception("looking for changes failed")

    async def on_initialized(self, ctx: ServerRequestContext[Any, Any], _: types.NotificationParams) -> None:
        """Remember whom to tell about changes."""
        self._sessions.append(ctx.session)

    def listening(self) -> ListenHandler:
        """The streams of clients that ask for changes."""
        return ListenHandler(self._bus)

    async def list_resources(
        self, _: ServerRequestContext[Any, Any], params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """`resources/list`."""
        await self.look()
        page = pages.page(params.cursor if params else None, len(self._resources), self._library.listing)
        return types.ListResourcesResult(
            resources=self._resources[page.start : page.end], next_cursor=page.after
        )

    async def list_templates(
        self, _: ServerRequestContext[Any, Any], params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """`resources/templates/list`."""
        page = pages.page(params.cursor if params else None, len(ROOTS), "templates")
        made = [
            types.ResourceTemplate(
                uri_template=f"{SCHEME}{folder}/{{+path}}",
                name=folder,
                title=folder.capitalize(),
                description=f"one of the {folder}, by its path",
                mime_type=None if kind == "skill" else MARKDOWN,
            )
            for folder, kind in ROOTS.items()
        ]
        return types.ListResourceTemplatesResult(
            resource_templates=made[page.start : page.end], next_cursor=page.after
        )

    async def read_resource(
        self, _: ServerRequestContext[Any, Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """`resources/read`."""
        await self.look()
        entry, found = self._library.read(params.uri)
        if isinstance(found, str):
            text = types.TextResourceContents(uri=entry.uri, mime_type=entry.mime, text=found)
            return types.ReadResourceResult(contents=[text])
        blob = base64.b64encode(found).decode()
        data = types.BlobResourceContents(uri=entry.uri, mime_type="application/octet-stream", blob=blob)
        return types.ReadResourceResult(contents=[data])

    async def list_prompts(
        self, _: ServerRequestContext[Any, Any], params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        """`prompts/list`."""
        await self.look()
        page = pages.page(params.cursor if params else None, len(self._prompts), self._prompt_listing)
        return types.ListPromptsResult(prompts=self._prompts[page.start : page.end], next_cursor=page.after)

    async def get_prompt(
        self, _: ServerRequestContext[Any, Any], params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        """`prompts/get`."""
        await self.look()
        command, text = self._library.prompt(params.name, params.arguments or {})
        message = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(description=command.description, messages=[message])

    async def list_tools(
        self, _: ServerRequestContext[Any, Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """`tools/list`."""
        if self.gateway is not None:
            return await self.gateway.listed(params.cursor if params else None)
        page = pages.page(params.cursor if params else None, len(tools.TOOLS), "tools")
        made = [_tool(tool) for tool in tools.TOOLS.values()]
        return types.ListToolsResult(tools=made[page.start : page.end], next_cursor=page.after)

    async def call_tool(
        self, ctx: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """`tools/call`. A tool that only reads is let go of when its client gives up."""
        if self.gateway is not None:
            if params.name == DISCOVER:
                return await self._discover(self.gateway, params)
            refused = await self.gateway.refused(params.name)
            if refused is not None or NAMESPACE in params.name:
                return refused or await self.gateway.called(
                    params.name, params.arguments, str(ctx.request_id)
                )
        tool = tools.TOOLS.get(params.name)
        if tool is None:
            raise RefusedError("unknown_tool", "there is no such tool", params.name)
        arguments = tools.checked(tool, params.arguments)
        await ctx.session.report_progress(0, 1, tool.title)
        work = partial(results.called, tool, self._desk, arguments, str(ctx.request_id))
        found = await anyio.to_thread.run_sync(work, abandon_on_cancel=not tool.writes)
        await ctx.session.report_progress(1, 1, "done" if found["ok"] else "failed")
        return types.CallToolResult(
            content=[types.TextContent(text=results.text(found))],
            structured_content=found,
            is_error=not found["ok"],
        )

    async def _discover(self, gateway: Gateway, params: types.CallToolRequestParams) -> types.CallToolResult:
        """Make tools live, and tell every client once that the list is another one."""
        found, changed = await gateway.discovered(params.arguments)
        if changed:
            for session in tuple(self._sessions):
                await session.send_tool_list_changed()
            await self._bus.publish(ToolsListChanged())
        return found


def _server(service: Service) -> Server[dict[str, Any]]:
    made = Announcing(
        NAME,
        version=VERSION,
        title=service.title,
        instructions=_INSTRUCTIONS,
        lifespan=service.watching,
        on_list_tools=service.list_tools,
        on_call_tool=service.call_tool,
        on_list_resources=service.list_resources,
        on_list_resource_templates=service.list_templates,
        on_read_resource=service.read_resource,
        on_subscriptions_listen=service.listening(),
        on_list_prompts=service.list_prompts,
        on_get_prompt=service.get_prompt,
    )
    made.tools_change = service.gateway is not None
    made.add_notification_handler(
        "notifications/initialized", types.NotificationParams, service.on_initialized
    )
    # In the place of the SDK's tracing: nothing is measured for anybody.
    made.middleware[:] = [guarded]
    return made


def _tool(tool: tools.Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.schema,
        output_schema=dict(tools.OUTPUT),
        annotations=types.ToolAnnotations(
            read_only_hint=not tool.writes, destructive_hint=tool.writes, open_world_hint=False
        ),
    )
