"""Fetching a document from a host that the user allowed, with nothing but the standard library.

Only `https` is spoken, and `http` to this very machine. A redirect is followed only to where a request
could have gone in the first place. Size, time and type are bounded; no cookie, no password and no
compression takes part.
"""

from __future__ import annotations

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection
    from http.client import HTTPResponse
    from typing import IO, Any

# Seconds: for one answer of the network, and for a whole document.
TIMEOUT = 10.0
DEADLINE = 30.0

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_PORTS = {"https": 443, "http": 80}
_TEXTUAL = ("text/", "application/json", "application/xml", "application/yaml", "application/toml")
_SAVED = "save the document in the planning folder and name that"


def allowed(address: str, hosts: Collection[str]) -> bool:
    """Whether a document may be fetched from there.

    A host of the list stands for its usual port; for another one the list says `host:port`. An address with
    a user or a password in it is never allowed.
    """
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return False
    if parts.scheme not in _PORTS or "@" in parts.netloc:
        return False
    if parts.scheme == "http" and host not in _LOOPBACK:
        return False
    if port is None or port == _PORTS[parts.scheme]:
        return host in hosts
    return f"{host}:{port}" in hosts


def fetch(address: str, most: int, hosts: Collection[str]) -> bytes:
    """The document as UTF-8, at most `most` bytes and one more to tell that there is more.

    Raises GsdError: `remote_refused` where it may not be fetched or leads elsewhere, `remote_not_text`,
    `remote_failed` with what the host or the network said, or that it took too long.
    """
    import http.client
    from urllib.error import HTTPError
    from urllib.request import build_opener

    if not allowed(address, hosts):
        raise refused(address)
    opener = build_opener(_guarded(hosts))
    opener.addheaders = [("Accept", "text/*, application/json;q=0.9"), ("Accept-Encoding", "identity")]
    try:
        with opener.open(address, timeout=TIMEOUT) as answer:
            charset = _charset(address, answer)
            data = _read(address, answer, most)
    except (OSError, http.client.HTTPException) as error:
        if isinstance(error, HTTPError):
            error.close()
        message = f"{address} cannot be fetched: {error}"
        raise GsdError(message, reason="remote_failed", hint=_SAVED) from error
    return _utf8(address, data, charset)


def refused(address: str) -> GsdError:
    """The error for an address that may not be fetched."""
    from urllib.parse import urlsplit

    host = urlsplit(address).netloc.rpartition("@")[2]
    return GsdError(
        f"{address} is not fetched: {host!r} is no allowed host, or the address is not https",
        reason="remote_refused",
        hint=f"{_SAVED}, or add the host to context.url_hosts in your own settings",
    )


def _guarded(hosts: Collection[str]) -> Any:
    """A handler that follows a redirect only to an allowed place. Raises GsdError `remote_refused`."""
    from urllib.request import HTTPRedirectHandler, Request

    class Guarded(HTTPRedirectHandler):
        def redirect_request(
            self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
        ) -> Request | None:
            if not allowed(newurl, hosts):
                fp.close()
                raise refused(newurl)
            return super().redirect_request(req, fp, code, msg, headers, newurl)

    return Guarded


def _charset(address: str, answer: HTTPResponse) -> str:
    """The encoding of a text. Raises GsdError `remote_not_text` for anything else."""
    kind = answer.headers.get_content_type()
    packed = answer.headers.get("Content-Encoding", "identity")
    if packed != "identity" or not (kind.startswith(_TEXTUAL) or kind.endswith(("+json", "+xml"))):
        what = kind if packed == "identity" else f"packed with {packed}"
        raise GsdError(f"{address} is no text: it is {what}", reason="remote_not_text", hint=_SAVED)
    return answer.headers.get_content_charset("utf-8")


def _read(address: str, answer: HTTPResponse, most: int) -> bytes:
    """At most one byte more than `most`. Raises GsdError `remote_failed` where it takes too long."""
    import time

    end, data = time.monotonic() + DEADLINE, bytearray()
    while len(data) <= most and (piece := answer.read1(min(1 << 16, most + 1 - len(data)))):
        data += piece
        if time.monotonic() > end:
            message = f"{address} was not there within {DEADLINE:.0f} seconds"
            raise GsdError(message, reason="remote_failed", hint=_SAVED)
    if len(data) <= most and answer.length:
        message = f"{address} ended {answer.length:,} bytes too early"
        raise GsdError(message, reason="remote_failed", hint=_SAVED)
    return bytes(data)


def _utf8(address: str, data: bytes, charset: str) -> bytes:
    if charset in ("utf-8", "us-ascii"):
        return data
    try:
        return data.decode(charset).encode()
    except (LookupError, UnicodeDecodeError) as error:
        message = f"{address} does not have the encoding {charset!r} that it claims"
        raise GsdError(message, reason="remote_not_text", hint=_SAVED) from error
