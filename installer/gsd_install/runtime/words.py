"""The words a runtime plugin may use, as types: what `validate` accepts and type checkers check."""

from __future__ import annotations

from typing import Literal

Scope = Literal["global", "project"]
Kind = Literal["command", "workflow", "agent", "skill", "reference", "template", "rule"]
CapUnit = Literal["bytes", "characters", "lines", "tokens"]
OnExcess = Literal["refuse", "shrink", "warn"]
Reads = Literal["anywhere", "home", "workspace", "unknown"]
SurfaceName = Literal["hooks", "mcp", "instructions", "permissions"]
SurfaceFormat = Literal["jsonc", "toml", "yaml", "block"]
Keeps = Literal["", "unknown", "all"]
FieldValue = str | int | bool | list[str] | dict[str, "FieldValue"]
Value = str | int | bool | list["Value"] | dict[str, "Value"]

# How a host reads what a hook answers: docs/hooks.md says what each is.
Envelope = Literal[
    "text", "code", "specific", "specific-deny", "decision", "permission", "permission-decision"
]
