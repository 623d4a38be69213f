"""Run every generator of the project with `--check` or `--write`.

python tests/generated.py --check
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GENERATORS = (
    "docs/generate_atoms.py",
    "docs/generate_content.py",
    "docs/generate_context_index.py",
    "docs/generate_features.py",
    "docs/generate_hosts.py",
    "docs/generate_lint.py",
    "docs/generate_loaded.py",
    "docs/generate_runtimes.py",
    "docs/generate_shipped.py",
    "tests/emit/golden.py",
)


def main(mode: str) -> int:
    """Run all of them, even after a failure, and return the number that failed."""
    if mode not in {"--check", "--write"}:
        sys.exit("usage: python tests/generated.py --check|--write")
    failed = 0
    for generator in GENERATORS:
        print(f"{generator} {mode}", flush=True)
        done = subprocess.run([sys.executable, ROOT / generator, mode], cwd=ROOT, check=False)
        failed += done.returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
