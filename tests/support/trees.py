"""The tree comparer of the conformance kit, for our own tests."""

from __future__ import annotations

from gsd_install.testing.trees import Node, Tree, assert_same, differences, snapshot

__all__ = ["Node", "Tree", "assert_same", "differences", "snapshot"]
