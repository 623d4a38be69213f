"""`python -m gsd_install` is `gsd-install`."""

from __future__ import annotations

import sys

from gsd_install.cli.main import run

if __name__ == "__main__":
    sys.exit(run())
