"""The loop points: where a workflow of the loop asks what else there is to do, in the order of the loop."""

from __future__ import annotations

POINTS = (
    "discuss:pre",
    "discuss:post",
    "plan:pre",
    "plan:post",
    "execute:pre",
    "execute:wave:pre",
    "execute:wave:post",
    "execute:post",
    "verify:pre",
    "verify:post",
    "ship:pre",
    "ship:post",
)
