"""Limits on sums: what a host lists or chains together, the user's own part included.

No document of ours is to blame alone when such a sum is over, so the usual answer is a warning.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from gsd_install.emit.output import Emission
from gsd_install.emit.target import Target
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.measure import measure
from gsd_install.runtime.model import Cap


def crowded(target: Target, caps: tuple[Cap, ...], emission: Emission, others: frozenset[str]) -> tuple[str, ...]:
    """A sentence for each sum that is over; `others` are files of ours that belong to other units.

    Raises GsdError (reason `over_cap`) where the cap refuses.
    """
    said = []
    for cap in caps:
        if cap.scope not in (None, target.scope) or cap.field not in ("listing", "chain"):
            continue
        ours, yours = (_listing if cap.field == "listing" else _chain)(target, cap, emission, others)
        if ours and ours + yours > cap.limit:
            text = (
                f"{target.runtime.title} {cap.field} of {cap.kind}s: {ours + yours:,} {cap.unit} with "
                f"{yours:,} of your own, the limit is {cap.limit:,}"
            )
            if cap.on_excess == "refuse":
                raise GsdError(text, reason="over_cap", hint="install a smaller --profile, or remove some of your own")
            said.append(text)
    return tuple(said)


def _listing(target: Target, cap: Cap, emission: Emission, others: frozenset[str]) -> tuple[int, int]:
    ours = sum(measure(f"{name}{text}", cap.unit) for kind, name, text in emission.listed if kind == cap.kind)
    written = others.union(output.path for output in emission.outputs)
    return ours, sum(measure(entry, cap.unit) for entry in _yours(target, cap.kind, written))


def _yours(target: Target, kind: str, written: frozenset[str]) -> Iterator[str]:
    """Name and description of each document of the kind that is the user's own."""
    for place in target.places(kind):
        before, after = target.resolve(place.path).split("{name}")
        folder = os.path.dirname(before)
        if not os.path.isdir(folder):
            continue
        for name in os.listdir(folder):
            stem = name.removesuffix(after) if "/" not in after.replace(os.sep, "/") else name
            path = f"{before}{stem}{after}"
            if path not in written and os.path.isfile(path):
                yield _entry(path, stem)


def _entry(path: str, name: str) -> str:
    from gsd_install.kernel import frontmatter

    try:
        with open(path, encoding="utf-8") as file:
            fields = frontmatter.split(file.read(), file=path).fields
    except (GsdError, UnicodeDecodeError):
        return name  # the host may read what we cannot; its name is listed at least
    return f"{fields.get('name', name)}{fields.get('description', '')}"


def _chain(target: Target, cap: Cap, emission: Emission, _: frozenset[str]) -> tuple[int, int]:
    blocks = [item for item in emission.insertions if item.surface == "instructions"]
    ours = sum(measure(str(item.value), cap.unit) for item in blocks)
    yours = 0
    for path in {item.path for item in blocks}:
        if os.path.isfile(path):
            with open(path, "rb") as file:
                yours += measure(file.read().decode("utf-8", errors="replace"), cap.unit)
    return ours, yours
