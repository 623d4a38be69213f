"""Write docs/context-index.json, the index of the facts in CONTEXT.md, as users do: with `gsd-tools`.

python docs/generate_context_index.py --check
python docs/generate_context_index.py --write

An index that is stale, missing or no JSON fails the check; a fact that is stated twice or is none fails
both modes.
"""

from __future__ import annotations

import os
import sys

from gsd_capabilities.companion.main import Streams, run
from gsd_install.shipped import shipped_root

INDEX = os.path.join(os.path.dirname(os.path.abspath(__file__)), "context-index.json")


def command(modes: list[str], source: str, index: str) -> int:
    """Run `predicates index` with the modes given and return its exit status."""
    words = ["predicates", "index", *modes, "--source", source, "--index", index]
    streams = Streams(sys.stdin.buffer, sys.stdout.buffer, sys.stderr.buffer)
    code = run(words, streams, os.environ)
    if code:
        sys.stderr.write("fix: python docs/generate_context_index.py --write, once every fact is one\n")
    return code


def main() -> int:
    """Check or write the index of the shipped facts."""
    return command(sys.argv[1:], os.path.join(shipped_root(), "CONTEXT.md"), INDEX)


if __name__ == "__main__":
    sys.exit(main())
