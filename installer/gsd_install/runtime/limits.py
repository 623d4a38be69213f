"""The vocabulary of caps: limits that many hosts share."""

from __future__ import annotations

from gsd_install.runtime.model import Cap, Source

AGENT_SKILLS = Source("https://agentskills.io/specification")

# What the specification of skills says of a name and a description.
agent_skills = (
    Cap("skill", 64, unit="characters", field="name", source=AGENT_SKILLS),
    Cap("skill", 1_024, unit="characters", on_excess="shrink", field="description", source=AGENT_SKILLS),
)
