"""The vocabulary of forms: how a document may be written for a host.

A plugin picks from these; a form it needs and does not find here is a `Form` with a dialect of its own
and a converter returned from `gsd_converters`.
"""

from __future__ import annotations

from gsd_install.runtime.model import Field, Form


def markdown(*fields: str | Field) -> Form:
    """Markdown below a YAML frontmatter block that holds `fields`, in this order."""
    return Form("markdown", _fields(fields))


def toml(*fields: str | Field) -> Form:
    """A TOML document of `fields`; the text goes where a `Field(key, "body")` says."""
    return Form("toml", _fields(fields))


def yaml(*fields: str | Field) -> Form:
    """A YAML document of `fields`; the text goes where a `Field(key, "body")` says."""
    return Form("yaml", _fields(fields))


def json(*fields: str | Field) -> Form:
    """A JSON object of `fields`; the text goes where a `Field(key, "body")` says."""
    return Form("json", _fields(fields))


def pointer(form: Form) -> Form:
    """The same form, holding a pointer to the text instead of the text."""
    return form._replace(whole=False)


def _fields(fields: tuple[str | Field, ...]) -> tuple[Field, ...]:
    return tuple(Field(field) if isinstance(field, str) else field for field in fields)


# A heading, the description and the text, without frontmatter; and the same with a pointer to the text.
inline = Form("plain")
stub = pointer(inline)

# The subset of SKILL.md that every host accepts. Sixteen that were asked pass over keys they do not know.
skill = markdown("name", "description")._replace(keeps="unknown")
