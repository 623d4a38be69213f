"""`gsd-install report`: what each runtime gets, in bytes and tokens, and how much room its limits leave."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from gsd_install.cli.context import context, recorded_wishes
from gsd_install.cli.install import runtimes
from gsd_install.cli.result import Result
from gsd_install.contents import open_contents, shipped_root
from gsd_install.emit.output import Emission
from gsd_install.emit.target import Target
from gsd_install.kernel.measure import measure, named
from gsd_install.pipeline import Wish, prepare
from gsd_install.plugins import Plugins
from gsd_install.runtime.model import Cap

_HEAD = ("runtime", "kind", "files", "bytes", "tokens", "largest", "limit", "headroom", "listing tokens")


def main(args: argparse.Namespace) -> Result:
    """Report the recorded units, or the named runtimes as they would be installed."""
    here = context(args)
    plugins = Plugins()
    problems: tuple[str, ...] = ()
    if args.runtime or args.all:
        content = open_contents(args.content or [shipped_root()], here.platform)
        wishes = [(name, root, Wish(args.profile)) for name in runtimes(args, plugins) for root in content]
    else:
        wishes, problems = recorded_wishes(here, plugins, here.units)
    prepared = prepare(here.location, here.ledger, plugins, wishes)
    tokens = _tokens(exact=args.exact)
    rows = [row for _, target, caps, emission in prepared.emitted for row in _rows(target, caps, emission, tokens)]
    shared = [output for output in prepared.outputs if output.shared]
    rows.append(_row("shared", "texts", [output.data for output in shared], None, 0, tokens))
    return Result({"exact": args.exact, "rows": rows}, tuple(_table(rows)), problems)


def _tokens(*, exact: bool) -> Callable[[str], int]:
    """How tokens are counted: estimated for current OpenAI models, or exactly."""
    if not exact:
        return named("tokens").cost
    from gsd_install.content.tokens import ExactTokens

    return ExactTokens().cost


def _rows(
    target: Target, caps: tuple[Cap, ...], emission: Emission, tokens: Callable[[str], int]
) -> list[dict[str, Any]]:
    rows = []
    for kind in dict.fromkeys(output.kind for output in emission.outputs if not output.shared):
        data = [output.data for output in emission.outputs if output.kind == kind and not output.shared]
        limits = [cap for cap in caps if cap.kind == kind and cap.field is None and cap.scope in (None, target.scope)]
        listing = sum(tokens(f"{name}: {text}") for listed, name, text in emission.listed if listed == kind)
        rows.append(_row(target.runtime.id, kind, data, min(limits, key=lambda cap: cap.limit, default=None), listing, tokens))
    return rows


def _row(  # noqa: PLR0913
    runtime: str, kind: str, files: list[bytes], cap: Cap | None, listing: int, tokens: Callable[[str], int]
) -> dict[str, Any]:
    texts = [data.decode("utf-8", errors="replace") for data in files]
    unit = cap.unit if cap else "bytes"
    largest = max((measure(text, unit) for text in texts), default=0)
    return {
        "runtime": runtime,
        "kind": kind,
        "files": len(files),
        "bytes": sum(map(len, files)),
        "tokens": sum(tokens(text) for text in texts),
        "largest": largest,
        "unit": unit,
        "limit": cap.limit if cap else None,
        "headroom": cap.limit - largest if cap else None,
        "listing_tokens": listing,
    }


def _table(rows: list[dict[str, Any]]) -> list[str]:
    cells = [_HEAD]
    for row in rows:
        limit = f"{row['limit']:,} {row['unit']}" if row["limit"] else "none declared"
        headroom = f"{row['headroom']:,}" if row["limit"] else ""
        cells.append((
            row["runtime"], row["kind"], str(row["files"]), f"{row['bytes']:,}", f"{row['tokens']:,}",
            f"{row['largest']:,}", limit, headroom, f"{row['listing_tokens']:,}" if row["listing_tokens"] else "",
        ))
    widths = [max(len(row[column]) for row in cells) for column in range(len(_HEAD))]
    return ["  ".join(cell.ljust(width) if i < 2 else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths, strict=True))).rstrip() for row in cells]
