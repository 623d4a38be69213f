"""What is particular to object stores; the whole contract runs against them wherever tests take `lab`."""

from __future__ import annotations

import sys
import uuid

import pytest

from gsd_capabilities.artifacts.object_store import connect
from gsd_install.kernel.errors import GsdError
from support.artifacts import OWNER, Lab


def test_without_fsspec_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(GsdError) as caught:
        connect("memory://x")
    assert caught.value.reason == "no_fsspec"
    assert "gsd-install[object-store]" in (caught.value.hint or "")


def test_an_address_of_nothing_is_refused() -> None:
    pytest.importorskip("fsspec")
    with pytest.raises(GsdError) as caught:
        connect("nosuchprotocol://bucket")
    assert caught.value.reason == "bad_store"


@pytest.mark.req("ADR0006-contracts-per-workspace", "ADR0006-one-authority")
def test_two_connections_see_one_store() -> None:
    pytest.importorskip("fsspec")
    url = f"memory://{uuid.uuid4().hex}"
    one, two = Lab(connect(url)), Lab(connect(url))
    reference = one.reference(b"x" * 300)
    assert two.body(reference) == b"x" * 300
    assert two.put(b"x" * 300).diagnostics.outcome == "existing_reference"
    assert [len(record) > 100 for record in two.spy.recorded(OWNER.key)] == [True]
    with pytest.raises(FileExistsError):
        two.spy.inner.write(reference.rpartition("/")[2], b"other")
