"""Limits on what a host lists at all times: the names and descriptions of everything of a kind.

The user's own entries count, and so do those of other hosts that this one lists too. No document of ours
is to blame alone when such a sum is over, so the usual answer is a warning.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from gsd_install.emit.output import Emission, Sum
from gsd_install.emit.target import Target
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.measure import measure
from gsd_install.runtime.model import Cap

_LARGEST = 3


def listings(
    target: Target,
    caps: Sequence[Cap],
    emissions: Sequence[Emission],
    planned: Mapping[str, bytes],
    installed: Mapping[str, bool],
) -> tuple[Sum, ...]:
    """The sum for each cap on a listing of one host, which gets all of `emissions`.

    `planned` holds every file that will be written, `installed` those of ours on the disk, by absolute path:
    True for one that stays although it is not planned.
    """
    return tuple(
        _listing(target, cap, emissions, planned, installed)
        for cap in caps
        if cap.field == "listing" and cap.scope in (None, target.scope)
    )


def crowded(target: Target, found: Sum) -> str:
    """The sentence about a listing that is over. Raises GsdError (`over_cap`) where its cap refuses."""
    cap = found.cap
    largest = ", ".join(f"{name} ({size:,})" for name, size in found.largest)
    text = (
        f"{target.runtime.title} would list {found.used:,} {cap.unit} of {cap.kind}s, {found.yours:,} of "
        f"them your own, the limit is {cap.limit:,}; the largest are {largest}"
    )
    if cap.on_excess == "refuse":
        raise GsdError(
            text, reason="over_cap", hint="install a smaller --profile, or remove some of your own"
        )
    return text


def _listing(
    target: Target,
    cap: Cap,
    emissions: Sequence[Emission],
    planned: Mapping[str, bytes],
    installed: Mapping[str, bool],
) -> Sum:
    ours = {
        name: measure(f"{name}{text}", cap.unit)
        for emission in emissions
        for kind, name, text in emission.listed
        if kind == cap.kind
    }
    yours: dict[str, int] = {}
    for path, stem in _listed(target, cap.kind, planned):
        if stem in ours or not installed.get(path, True):
            continue
        entries = ours if path in planned or path in installed else yours
        entries[stem] = measure(_entry(path, stem, planned.get(path)), cap.unit)
    return Sum(target.runtime.id, cap, sum(ours.values()), sum(yours.values()), _largest({**ours, **yours}))


def _largest(sizes: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(sizes.items(), key=lambda item: (-item[1], item[0]))[:_LARGEST])


def _listed(target: Target, kind: str, planned: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    """Each file of the kind that the host finds, with the name it goes by."""
    patterns = [target.resolve(place.path) for place in target.places(kind)]
    if kind == "skill":
        patterns += target.cross_read("{name}")
    for pattern in dict.fromkeys(patterns):
        before, after = pattern.split("{name}")
        folder = os.path.dirname(before)
        names = set(os.listdir(folder)) if os.path.isdir(folder) else set()
        rests = (path[len(folder) + 1 :] for path in planned if path.startswith(folder + os.sep))
        names.update(rest.split(os.sep)[0] for rest in rests)
        for name in sorted(names):
            stem = name if after.startswith(os.sep) else name.removesuffix(after)
            path = f"{before}{stem}{after}"
            if path in planned or os.path.isfile(path):
                yield path, stem


def _entry(path: str, name: str, data: bytes | None) -> str:
    """What the host shows of a file: its name and description."""
    from gsd_install.kernel import frontmatter

    try:
        if data is None:
            with open(path, "rb") as file:
                data = file.read()
        fields = frontmatter.split(data.decode("utf-8"), file=path).fields
    except (GsdError, UnicodeDecodeError):
        return name  # the host may read what we cannot; its name is listed at least
    return f"{fields.get('name', name)}{fields.get('description', '')}"
