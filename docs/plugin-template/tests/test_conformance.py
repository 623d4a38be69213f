"""The conformance suite of gsd-install on this plugin; `--gsd-runtime` stands in pyproject.toml."""

from gsd_install.testing.conformance import *  # noqa: F403
