#!/usr/bin/env python3
"""Lists pages without a heading."""

import pathlib
import sys

for page in sorted(pathlib.Path(sys.argv[1]).glob("*.md")):
    if not page.read_text(encoding="utf-8").startswith("# "):
        print(page)
