"""`gsd-install report`: what each runtime gets, in bytes and tokens, and how much room its limits leave."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

from gsd_install.cli.chains import nested
from gsd_install.cli.context import context, recorded_wishes
from gsd_install.cli.install import runtimes
from gsd_install.cli.result import Result
from gsd_install.cli.tracing import discovered
from gsd_install.contents import expanded, open_contents
from gsd_install.emit.companion import KINDS
from gsd_install.emit.output import Emission, Output, Sum
from gsd_install.emit.target import Target
from gsd_install.kernel.measure import measure, named
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.pipeline import prepare
from gsd_install.plugins import Plugins
from gsd_install.runtime.model import Cap
from gsd_install.shipped import shipped_root
from gsd_install.units import Wish

if TYPE_CHECKING:
    from typing import Any

_HEAD = ("runtime", "kind", "files", "bytes", "tokens", "largest", "limit", "headroom", "listing tokens")


def main(args: argparse.Namespace) -> Result:
    """Report the recorded units, or the named runtimes as they would be installed."""
    here = context(args)
    plugins = Plugins()
    problems: tuple[str, ...] = ()
    if args.runtime or args.all:
        content = open_contents(expanded(args.content, here.platform) or [shipped_root()], here.platform)
        wishes = [(name, root, Wish(args.profile)) for name in runtimes(args, plugins) for root in content]
    else:
        wishes, problems = recorded_wishes(here, plugins, here.units)
    prepared = prepare(here.location, here.ledger, plugins, wishes)
    tokens = _tokens(exact=args.exact)
    rows = [
        row for _, target, caps, emission in prepared.emitted for row in _rows(target, caps, emission, tokens)
    ]
    shared = [output for output in prepared.outputs if output.shared]
    companion = [output for output in shared if output.kind in KINDS]
    if companion:
        rows.append(_row("shared", "companion", companion, tokens))
    rows.append(_row("shared", "texts", [output for output in shared if output.kind not in KINDS], tokens))
    below = [item for _, target, caps, _ in prepared.emitted for item in nested(target, caps)]
    sums = [_sum(item) for item in (*prepared.sums, *dict.fromkeys(below))]
    data = {"exact": args.exact, "rows": rows, "sums": sums}
    return Result(data, (*_table(rows), *map(_line, sums)), problems)


def _tokens(*, exact: bool) -> Callable[[str], int]:
    """How tokens are counted: estimated for current OpenAI models, or exactly."""
    if not exact:
        return named("tokens").cost
    from gsd_install.content.tokens import ExactTokens

    return ExactTokens().cost


def _rows(
    target: Target, caps: tuple[Cap, ...], emission: Emission, tokens: Callable[[str], int]
) -> Iterator[dict[str, Any]]:
    own = [output for output in emission.outputs if not output.shared]
    for kind in dict.fromkeys(output.kind for output in own):
        outputs = [output for output in own if output.kind == kind]
        listed = [(name, text) for found, name, text in emission.listed if found == kind]
        texts = [_text(output) for output in outputs if discovered(target, output)]
        values = {
            None: texts,
            "name": [name for name, _ in listed],
            "description": [text for _, text in listed],
        }
        limits = [
            _limit(cap, values[cap.field])
            for cap in caps
            if cap.kind == kind and cap.field in values and cap.scope in (None, target.scope)
        ]
        row = _row(target.runtime.id, kind, outputs, tokens)
        listing = sum(tokens(f"{name}: {text}") for name, text in listed)
        yield row | _tightest(limits) | {"listing_tokens": listing, "caps": limits}


def _row(runtime: str, kind: str, outputs: list[Output], tokens: Callable[[str], int]) -> dict[str, Any]:
    """The figures of one kind of files; those of its caps are filled in where it has any."""
    return {
        "runtime": runtime,
        "kind": kind,
        "files": len(outputs),
        "bytes": sum(len(output.data) for output in outputs),
        "tokens": sum(tokens(_text(output)) for output in outputs),
        "largest": max((len(output.data) for output in outputs), default=0),
        "unit": "bytes",
        "limit": None,
        "headroom": None,
        "listing_tokens": 0,
        "caps": [],
    }


def _limit(cap: Cap, texts: list[str]) -> dict[str, Any]:
    largest = max((measure(text, cap.unit) for text in texts), default=0)
    return {
        "field": cap.field,
        "unit": cap.unit,
        "limit": cap.limit,
        "on_excess": cap.on_excess,
        "largest": largest,
        "headroom": cap.limit - largest,
    }


def _tightest(limits: list[dict[str, Any]]) -> dict[str, Any]:
    """Of the caps on whole files, the one that leaves the smallest part of itself."""
    whole = [limit for limit in limits if limit["field"] is None]
    if not whole:
        return {}
    tightest = min(whole, key=lambda limit: limit["headroom"] / limit["limit"])
    return {key: tightest[key] for key in ("largest", "unit", "limit", "headroom")}


def _text(output: Output) -> str:
    return output.data.decode("utf-8", errors="replace")


def _sum(item: Sum) -> dict[str, Any]:
    return {
        "runtime": item.runtime,
        "kind": item.cap.kind,
        "field": item.cap.field,
        "unit": item.cap.unit,
        "limit": item.cap.limit,
        "on_excess": item.cap.on_excess,
        "ours": item.ours,
        "yours": item.yours,
        "used": item.used,
        "over": item.over,
        "largest": [list(entry) for entry in item.largest],
    }


def _line(item: dict[str, Any]) -> str:
    what = f"the {item['field']} of its {item['kind']}s"
    if item["field"] == "chain" and item["largest"]:
        what = f"the chain down to {item['largest'][-1][0]}"
    over = ", which is over" if item["over"] else ""
    return (
        f"{item['runtime']}: {what} has {item['used']:,} of {item['limit']:,} {item['unit']}, "
        f"{item['yours']:,} of them your own{over}"
    )


def _table(rows: list[dict[str, Any]]) -> list[str]:
    cells = [_HEAD]
    for row in rows:
        limit = f"{row['limit']:,} {row['unit']}" if row["limit"] else "none declared"
        headroom = f"{row['headroom']:,}" if row["limit"] else ""
        cells.append(
            (
                row["runtime"],
                row["kind"],
                str(row["files"]),
                f"{row['bytes']:,}",
                f"{row['tokens']:,}",
                f"{row['largest']:,}",
                limit,
                headroom,
                f"{row['listing_tokens']:,}" if row["listing_tokens"] else "",
            )
        )
    widths = [max(len(row[column]) for row in cells) for column in range(len(_HEAD))]
    return [
        "  ".join(
            cell.ljust(width) if i < 2 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]
