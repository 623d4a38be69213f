"""Chat completions, as most providers speak them, with nothing but the standard library.

One address is spoken to, the one a person named; a redirect to another is not followed. Plain `http` goes
only to this very machine, because it would show the key to everybody on the way.
"""

from __future__ import annotations

from gsd_capabilities.harness.provider import PaymentError, Reply
from gsd_capabilities.learning.limits import AGENT_ANSWER_BYTES, AGENT_PROVIDER_SECONDS
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from http.client import HTTPResponse
    from typing import IO, Any
    from urllib.request import OpenerDirector

    from gsd_capabilities.harness.provider import Message
    from gsd_capabilities.packs.tools import Tool

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_PATH = "/chat/completions"


class ChatCompletions:
    """A model behind `url`; `heard` is told every piece of text of an answer that is streamed.

    Raises UsageError `bad_url`.
    """

    __slots__ = ("_heard", "_key", "_model", "_url")

    def __init__(
        self, url: str, model: str, key: str = "", heard: Callable[[str], None] | None = None
    ) -> None:
        self._url, self._model, self._key, self._heard = _address(url), model, key, heard

    def send(
        self,
        system: str,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        max_tokens: int | None,
        *,
        stream: bool,
    ) -> Reply:
        """One request. Raises PaymentError, and GsdError `provider_failed` with what came back instead."""
        from gsd_capabilities.harness import wire

        body = wire.body(self._model, system, messages, tools, max_tokens, stream=stream)
        if not stream or self._heard is None:
            return self._exchanged(body, lambda answer: wire.read(answer, None))
        line = _Line(self._heard)
        try:
            return self._exchanged(body, lambda answer: wire.read(answer, line.hear))
        finally:
            line.end()

    def _exchanged(self, body: bytes, read: Callable[[HTTPResponse], Reply]) -> Reply:
        import http.client
        from urllib.error import HTTPError
        from urllib.request import Request

        request = Request(self._url, body, self._headers(), method="POST")  # noqa: S310 - see _usable
        try:
            with _opener(self._url).open(request, timeout=AGENT_PROVIDER_SECONDS) as answer:
                return read(answer)
        except HTTPError as error:
            with error:
                raise _refused(error.code, self._without_key(_text(error))) from error
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            raise _failed(f"the provider cannot be reached: {reason}") from error

    def _without_key(self, text: str) -> str:
        """What a provider said, where it repeats the key."""
        return text.replace(self._key, "[key]") if self._key else text

    def _headers(self) -> Mapping[str, str]:
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        return {**headers, "Authorization": f"Bearer {self._key}"} if self._key else headers


class _Line:
    """Pieces of an answer on their way to whoever hears them, with the end of a line after the last one."""

    __slots__ = ("_heard", "_last")

    def __init__(self, heard: Callable[[str], None]) -> None:
        self._heard, self._last = heard, "\n"

    def hear(self, piece: str) -> None:
        self._heard(piece)
        self._last = piece

    def end(self) -> None:
        if not self._last.endswith("\n"):
            self._heard("\n")


def _address(url: str) -> str:
    """Where requests go. Raises UsageError `bad_url`, which does not repeat what may be a password."""
    if not _usable(url):
        hint = "name what stands before /chat/completions: https, or http on this machine; no key in it"
        raise UsageError("this is no address of a provider", reason="bad_url", hint=hint)
    bare = url.rstrip("/")
    return bare if bare.endswith(_PATH) else f"{bare}{_PATH}"


def _usable(url: str) -> bool:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
        (host or "").encode("idna")
    except ValueError:
        return False
    plain = url.isascii() and url.isprintable() and " " not in url
    secret = parts.scheme == "https" or (parts.scheme == "http" and host in _LOOPBACK)
    return bool(plain and secret and host) and not ("@" in parts.netloc or parts.query or parts.fragment)


def _opener(url: str) -> OpenerDirector:
    """Follows no redirect; what goes to this machine goes through no proxy."""
    from urllib.request import HTTPRedirectHandler, ProxyHandler, build_opener

    class Stay(HTTPRedirectHandler):
        def redirect_request(self, *_: object) -> None:
            return None

    return build_opener(Stay, ProxyHandler({})) if url.startswith("http:") else build_opener(Stay)


def _text(answer: IO[Any]) -> str:
    import http.client

    try:
        return bytes(answer.read(AGENT_ANSWER_BYTES)).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException):
        return "(what it said broke off)"


def _refused(status: int, body: str) -> GsdError:
    if status == 402:
        return PaymentError(body)
    if 300 <= status < 400:
        hint = "name the address that it sends to, if you trust it: --url"
        message = f"the provider sends to another address ({status}), and none is followed"
        return GsdError(message, reason="provider_failed", hint=hint)
    from gsd_capabilities.harness.wire import said

    told = said(body)
    return _failed(f"the provider answered {status}{': ' if told else ''}{told}")


def _failed(message: str) -> GsdError:
    hint = "look at --url, --model and the key that --key-env names; the provider may also be busy"
    return GsdError(message, reason="provider_failed", hint=hint)
