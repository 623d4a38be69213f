from __future__ import annotations

from gsd_install.runtime import Field, Form, inline, markdown, pointer, skill, stub, toml


def test_fields_are_named_by_text_or_described() -> None:
    special = Field("tools", join=", ")
    assert markdown("name", special) == Form("markdown", (Field("name"), special))
    assert toml("name") == Form("toml", (Field("name"),))
    assert skill == Form("markdown", (Field("name"), Field("description")), keeps="unknown")


def test_a_pointer_is_the_same_form_without_the_text() -> None:
    assert inline == Form("plain", (), whole=True)
    assert stub == Form("plain", (), whole=False)
    assert pointer(markdown("name")) == Form("markdown", (Field("name"),), whole=False)
