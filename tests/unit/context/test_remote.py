"""Remote references: off, allow-listed, bounded, kept. The host is a server of this process."""

from __future__ import annotations

import gzip
import io
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from gsd_capabilities.companion.main import Streams, run
from gsd_capabilities.context import remote
from gsd_capabilities.context.remote import allowed, fetch
from gsd_install.kernel.errors import GsdError

DOCUMENT = (
    "# Guide\n\nRead first — 先读后写。\n\nWhat is read twice is fetched and kept once, under its digest.\n"
)

# Path: status, headers, body.
PAGES: dict[str, tuple[int, dict[str, str], bytes]] = {
    "/guide.md": (200, {"Content-Type": "text/markdown; charset=utf-8"}, DOCUMENT.encode()),
    "/latin": (200, {"Content-Type": "text/plain; charset=iso-8859-1"}, "naïve".encode("latin-1")),
    "/wrong": (200, {"Content-Type": "text/plain; charset=ascii-art"}, b"x"),
    "/data": (200, {"Content-Type": "application/problem+json"}, b"{}"),
    "/image": (200, {"Content-Type": "image/png"}, b"\x89PNG"),
    "/packed": (200, {"Content-Type": "text/plain", "Content-Encoding": "gzip"}, gzip.compress(b"x")),
    "/large": (200, {"Content-Type": "text/plain"}, b"x" * 300_000),
    "/near": (302, {"Location": "/guide.md"}, b""),
    "/away": (302, {"Location": "https://elsewhere.test/guide.md"}, b""),
    "/file": (302, {"Location": "file:///etc/hostname"}, b""),
    "/round": (302, {"Location": "/round"}, b""),
    "/short": (200, {"Content-Type": "text/plain", "Content-Length": "10"}, b"x"),
}


class Host:
    """A server on this machine, and which paths it was asked for."""

    def __init__(self) -> None:
        asked: list[str] = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                status, headers, body = PAGES.get(self.path, (404, {}, b""))
                self.send_response(status)
                for name, value in ({"Content-Length": str(len(body))} | headers).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
                """Nothing."""

        self.asked = asked
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.name = f"127.0.0.1:{self.server.server_port}"

    def address(self, path: str) -> str:
        return f"http://{self.name}{path}"


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    made = Host()
    thread = threading.Thread(target=made.server.serve_forever, args=(0.01,))
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


@pytest.mark.parametrize(
    ("address", "hosts", "may"),
    [
        ("https://docs.test/a", ["docs.test"], True),
        ("https://DOCS.test/a", ["docs.test"], True),
        ("https://docs.test:443/a", ["docs.test"], True),
        ("https://docs.test/a", [], False),
        ("https://docs.test/a", ["docs.tes"], False),
        ("https://docs.test.evil.test/a", ["docs.test"], False),
        ("https://docs.test@evil.test/a", ["docs.test"], False),
        ("https://user:word@docs.test/a", ["docs.test"], False),
        ("https://docs.test:8443/a", ["docs.test"], False),
        ("https://docs.test:8443/a", ["docs.test:8443"], True),
        ("https://docs.test:many/a", ["docs.test"], False),
        ("http://docs.test/a", ["docs.test"], False),
        ("http://localhost:8000/a", ["localhost:8000"], True),
        ("http://localhost:8000/a", ["localhost"], False),
        ("http://127.0.0.1/a", ["127.0.0.1"], True),
        ("http://127.0.0.1/a", [], False),
        ("ftp://docs.test/a", ["docs.test"], False),
        ("file:///etc/hostname", [""], False),
        ("https://[::1/a", ["::1"], False),
    ],
)
def test_where_a_document_may_come_from(address: str, hosts: list[str], may: bool) -> None:
    assert allowed(address, hosts) is may


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/guide.md", DOCUMENT.encode()),
        ("/near", DOCUMENT.encode()),
        ("/latin", "naïve".encode()),
        ("/data", b"{}"),
    ],
)
def test_text_is_fetched_as_utf_8(host: Host, path: str, found: bytes) -> None:
    assert fetch(host.address(path), 1_000, [host.name]) == found


def test_of_a_large_document_one_byte_too_many_is_read(host: Host) -> None:
    assert len(fetch(host.address("/large"), 1_000, [host.name])) == 1_001


@pytest.mark.parametrize(
    ("path", "reason", "says"),
    [
        ("/image", "remote_not_text", "image/png"),
        ("/packed", "remote_not_text", "gzip"),
        ("/wrong", "remote_not_text", "ascii-art"),
        ("/none", "remote_failed", "404"),
        ("/round", "remote_failed", "redirect"),
        ("/short", "remote_failed", "9 bytes too early"),
        ("/away", "remote_refused", "elsewhere.test"),
        ("/file", "remote_failed", "302"),
    ],
)
def test_what_cannot_be_had_is_named(host: Host, path: str, reason: str, says: str) -> None:
    with pytest.raises(GsdError, match=says) as caught:
        fetch(host.address(path), 1_000, [host.name])
    assert caught.value.reason == reason
    assert caught.value.hint


def test_a_host_that_is_not_listed_is_not_asked(host: Host) -> None:
    with pytest.raises(GsdError) as caught:
        fetch(host.address("/guide.md"), 1_000, [])
    assert (caught.value.reason, host.asked) == ("remote_refused", [])


def test_a_host_that_does_not_answer_is_named(host: Host) -> None:
    host.server.server_close()
    with pytest.raises(GsdError) as caught:
        fetch(host.address("/guide.md"), 1_000, [host.name])
    assert caught.value.reason == "remote_failed"


def test_a_document_that_takes_too_long_is_given_up(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "DEADLINE", -1.0)
    with pytest.raises(GsdError) as caught:
        fetch(host.address("/guide.md"), 1_000, [host.name])
    assert caught.value.reason == "remote_failed"


# --- by the command line --------------------------------------------------------------------------------


class Desk:
    """A project and a home, and `gsd-tools` in that project."""

    def __init__(self, root: Path) -> None:
        self.home, self.project = root / "home", root / "project"
        (self.project / ".planning").mkdir(parents=True)

    def settings(self, hosts: list[str], *, personal: bool = True) -> None:
        file = self.home / ".config/gsd/config.json" if personal else self.project / ".planning/config.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"context": {"url_hosts": hosts}}))

    def tools(self, *argv: str) -> tuple[int, str, str]:
        streams = Streams(io.BytesIO(), io.BytesIO(), io.BytesIO())
        environ = {"HOME": str(self.home), "GSD_HOME": str(self.home / "none")}
        code = run(["--json-errors", *argv], streams, environ, str(self.project))
        out, err = streams.stdout, streams.stderr
        assert isinstance(out, io.BytesIO)
        assert isinstance(err, io.BytesIO)
        return code, out.getvalue().decode(), err.getvalue().decode()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.mark.req("CTX-load-url", "CTX-A13")
def test_context_build_fetches_from_an_allowed_host_and_keeps_what_came(host: Host, desk: Desk) -> None:
    desk.settings([host.name])
    address = host.address("/guide.md")
    code, out, err = desk.tools("context", "build", "--request", "Go", "--ref", address)
    assert (code, err) == (0, "")
    assert "Read first — 先读后写。" in out
    [row] = json.loads(desk.tools("artifact", "list")[1])
    assert (row["tool"], row["description"]) == ("context build", address)
    assert desk.tools("artifact", "get", row["reference"])[1] == DOCUMENT
    assert desk.tools("context", "build", "--request", "Go", "--ref", address)[1] == out
    assert len(json.loads(desk.tools("artifact", "list")[1])) == 1


@pytest.mark.req("CTX-load-url", "CTX-A13")
def test_without_a_list_of_the_user_nothing_is_asked(host: Host, desk: Desk) -> None:
    for hosts, personal in (([], True), ([host.name], False)):
        desk.settings(hosts, personal=personal)
        code, out, err = desk.tools("context", "build", "--request", "Go", "--ref", host.address("/guide.md"))
        assert (code, out, json.loads(err.splitlines()[-1])["reason"]) == (1, "", "remote_refused")
    assert host.asked == []
    assert not (desk.project / ".planning/artifacts").exists()


@pytest.mark.req("CTX-load-url", "CTX-A13")
def test_a_document_over_the_limit_is_refused_whole(host: Host, desk: Desk) -> None:
    desk.settings([host.name])
    code, out, err = desk.tools("context", "build", "--request", "Go", "--ref", host.address("/large"))
    assert (code, out, json.loads(err)["reason"]) == (1, "", "remote_too_large")
    assert not (desk.project / ".planning/artifacts").exists()


def test_what_cannot_be_kept_is_not_used(host: Host, desk: Desk) -> None:
    desk.settings([host.name])
    (desk.project / ".planning/artifacts").write_text("in the way")
    code, out, err = desk.tools("context", "build", "--request", "Go", "--ref", host.address("/guide.md"))
    assert (code, out) == (1, "")
    assert json.loads(err)["reason"] in ("remote_not_kept", "store_failed")


def test_a_project_cannot_open_hosts_and_config_set_says_so(desk: Desk) -> None:
    desk.settings(["docs.test"], personal=False)
    code, _, err = desk.tools("config", "set", "context.url_hosts", '["docs.test"]')
    assert (code, json.loads(err)["reason"]) == (1, "personal_setting")
    told = json.loads(desk.tools("config", "get", "context.url_hosts")[1])
    assert (told["value"], told["source"]) == ([], "default")


@pytest.mark.parametrize("hosts", ['["https://docs.test"]', '["Docs.test"]', '["a b"]', "[1]", '"docs.test"'])
def test_a_list_that_names_no_hosts_is_refused(desk: Desk, hosts: str) -> None:
    file = desk.home / ".config/gsd/config.json"
    file.parent.mkdir(parents=True)
    file.write_text(f'{{"context": {{"url_hosts": {hosts}}}}}')
    code, _, err = desk.tools("context", "report")
    assert (code, json.loads(err)["reason"]) == (1, "bad_value")
