"""A document in a host's words: the fields a form asks for, taken from its frontmatter."""

from __future__ import annotations

from gsd_install.content.model import Document
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.runtime.model import Draft, Field, Form, Runtime

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gsd_install.runtime.words import FieldValue


def description_of(document: Document) -> str:
    """The description as one line."""
    return " ".join(str(document.meta.get("description", "")).split())


def draft(
    document: Document, form: Form, runtime: Runtime, *, name: str, body: str, payload: str, description: str
) -> Draft:
    """Everything a converter needs. `payload` is the path of the shared texts as the agent reads it."""
    words = document.id.rpartition("/")[2].replace("-", " ").capitalize()
    title = " ".join(str(document.meta.get("title", "")).split()) or words
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
        names = (runtime.tools[tool] for tool in document.meta["tools"] if tool in runtime.tools)
        values["tools"] = list(dict.fromkeys(names))
    fields: dict[str, FieldValue] = {}
    for field in form.fields:
        value = _value(field, values, payload)
        if value is not None and value != []:
            fields[field.key] = value
    kept: Mapping[str, FieldValue] = fields
    if document.extra:
        from gsd_install.emit.kept import with_kept

        kept = with_kept(fields, form, document.extra, runtime.id)
    return Draft(document.kind, name, title, description, kept, body)


def _value(field: Field, values: dict[str, Any], payload: str) -> FieldValue | None:
    if field.constant is not None:
        return _filled(field.constant, payload)
    value = values.get(field.source or field.key)
    if field.values and value is not None:
        value = _looked_up(dict(field.values), value)
    if field.join and isinstance(value, list):
        return field.join.join(value) if value else None
    return value


def _looked_up(table: dict[str, FieldValue], value: Any) -> Any:
    """What the host says for a value, or for each item of a list; what it has no word for is left out."""
    if isinstance(value, list):
        return [table[item] for item in value if item in table]
    return table.get(str(value))


def _filled(constant: FieldValue, payload: str) -> FieldValue:
    if isinstance(constant, list):
        return [item.replace("{payload}", payload) for item in constant]
    if isinstance(constant, dict):
        return {key: _filled(item, payload) for key, item in constant.items()}
    return constant.replace("{payload}", payload) if isinstance(constant, str) else constant
