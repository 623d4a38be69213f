"""What the server announces, and every failure as an error of the protocol."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from gsd_capabilities.catalog.addresses import CODES, RefusedError
from gsd_install.kernel.errors import GsdError

if TYPE_CHECKING:
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

_LOG = logging.getLogger(__name__)


class Announcing(Server[dict[str, Any]]):
    """A server that says it tells of changes, on every transport; of other tools only with `tools_change`."""

    tools_change = False

    def create_initialization_options(self, *arguments: Any, **options: Any) -> Any:
        """As the SDK does, with the notifications that this server sends."""
        if not arguments:
            told = NotificationOptions(
                prompts_changed=True, resources_changed=True, tools_changed=self.tools_change
            )
            options.setdefault("notification_options", told)
        return super().create_initialization_options(*arguments, **options)


async def guarded(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Every failure as an error of the protocol; what nobody foresaw goes to the log alone."""
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):
        raise
    except RefusedError as error:
        raise _protocol_error(error, error.about, ctx.method) from None
    except GsdError as error:
        refused = RefusedError("internal", error.message)
        raise _protocol_error(refused, "", ctx.method) from None
    except Exception:  # noqa: BLE001 - the last resort: it must not reach the wire as it is
        _LOG.exception("%s failed", ctx.method)
        raise _protocol_error(RefusedError("internal", "internal error"), "", ctx.method) from None


def _protocol_error(error: RefusedError, about: str, method: str) -> MCPError:
    data = {"reason": error.reason}
    if about:
        data["uri" if method == "resources/read" else "name"] = about
    if error.hint:
        data["hint"] = error.hint
    return MCPError(CODES[error.reason], error.message, data)
