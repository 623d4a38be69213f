"""A document in a host's words: the fields a form asks for, taken from its frontmatter."""

from __future__ import annotations

from typing import Any

from gsd_install.content.model import Document
from gsd_install.runtime.model import Draft, Field, FieldValue, Form, Runtime


def description_of(document: Document) -> str:
    """The description as one line."""
    return " ".join(str(document.meta.get("description", "")).split())


def draft(  # noqa: PLR0913
    document: Document, form: Form, runtime: Runtime, *, name: str, body: str, payload: str, description: str
) -> Draft:
    """Everything a converter needs. `payload` is the path of the shared texts as the agent reads it."""
    title = str(document.meta.get("title") or document.id.rpartition("/")[2].replace("-", " ").capitalize())
    values: dict[str, Any] = {
        **document.meta,
        "name": name,
        "title": title,
        "description": description,
        "body": body,
        "access": document.meta.get("access", "write"),
        "effort": document.meta.get("effort", "standard"),
    }
    if "tools" in document.meta:
        values["tools"] = [runtime.tools[tool] for tool in document.meta["tools"] if tool in runtime.tools]
    fields: dict[str, FieldValue] = {}
    for field in form.fields:
        value = _value(field, values, payload)
        if value is not None and value != []:
            fields[field.key] = value
    return Draft(document.kind, name, title, description, fields, body)


def _value(field: Field, values: dict[str, Any], payload: str) -> FieldValue | None:
    if field.constant is not None:
        constant = field.constant
        return constant.replace("{payload}", payload) if isinstance(constant, str) else constant
    value = values.get(field.source or field.key)
    if field.values:
        value = dict(field.values).get(str(value))
    if field.join and isinstance(value, list):
        return field.join.join(value) if value else None
    return value
