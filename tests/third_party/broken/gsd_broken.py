"""Fails when it is imported."""

raise ImportError("no module named 'something_not_installed'")
