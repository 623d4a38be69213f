"""`python -m gsd_install` is `gsd-install`."""

from __future__ import annotations

from gsd_install.cli.main import console

if __name__ == "__main__":
    console()
