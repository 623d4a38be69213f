"""The limits on single fields of a document: its name, its description, whatever its frontmatter holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.measure import measure, named
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.runtime.model import Cap

if TYPE_CHECKING:
    from gsd_install.runtime.words import FieldValue

# The most a description may have (docs/content.md); only what is longer gives way to a cap on the file.
DESCRIPTION = 1_024


def fitted(
    name: str,
    file: str,
    description: str,
    caps: Iterable[Cap],
    values: Callable[[], Mapping[str, FieldValue]],
) -> tuple[str, tuple[str, ...]]:
    """The description that keeps its caps, and a sentence for each field that does not keep its own.

    `values` are the fields as they are emitted, asked for only where one of them has a cap. Raises
    GsdError (reason `over_cap`) where a cap refuses.
    """
    said = []
    for cap in caps:
        known = {"name": name, "description": description}
        value = known[str(cap.field)] if cap.field in known else spelled(values().get(str(cap.field), ""))
        size = measure(value, cap.unit)
        if size <= cap.limit:
            continue
        if cap.on_excess == "shrink" and cap.field == "description":
            description = shrink(value, cap.limit, cap.unit)
            said.append(shortened(name, value, description, cap.unit, f"the limit is {cap.limit:,}"))
        elif cap.on_excess == "warn":
            said.append(f"{name}: the {cap.field} has {size:,} {cap.unit}, the limit is {cap.limit:,}")
        else:
            raise GsdError(
                f"the {cap.field} of {name} has {size:,} {cap.unit}, the limit is {cap.limit:,}",
                reason="over_cap",
                file=file,
                hint="give the file, or the prefix of its content root, a shorter name"
                if cap.field == "name"
                else f"shorten the {cap.field}",
            )
    return description, tuple(said)


def spelled(value: FieldValue) -> str:
    """A field's value as the text whose length counts."""
    if isinstance(value, list):
        return ", ".join(map(spelled, value))
    if isinstance(value, dict):
        return ", ".join(f"{key}: {spelled(item)}" for key, item in value.items())
    return str(value)


def shrink(text: str, limit: int, unit: str) -> str:
    """`text` cut at a word and ended with an ellipsis so that it keeps the limit; the composer cuts it."""
    from gsd_install.kernel.compose import compose
    from gsd_install.kernel.fragment import proportional_truncate

    whole = proportional_truncate("description", text, boundary="word", ending="…")
    return compose([whole], limit, named(unit), note=None).text


def shortened(name: str, before: str, after: str, unit: str, why: str) -> str:
    """The sentence that names both sizes of a description that was cut."""
    return f"{name}: description cut from {measure(before, unit):,} to {measure(after, unit):,} {unit}, {why}"
