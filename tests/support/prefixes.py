"""A project with everything that a prompt can hold, and `gsd-tools prefix` asked about it in process."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from gsd_capabilities.companion.project import find
from gsd_capabilities.packs.discovery import State
from gsd_capabilities.packs.scenarios import SCENARIOS
from gsd_capabilities.packs.select import Selection, live
from gsd_capabilities.packs.tools import CORE
from gsd_capabilities.prefix.gather import sources
from gsd_capabilities.prefix.sources import Sources
from support.payloads import Box

AT = "2026-12-01T00:00:00Z"
NOW = 1796083200.0
CONVERSE = sorted(name for name, pack in SCENARIOS.items() if pack.name == "converse")
REFLEX = sorted(name for name, pack in SCENARIOS.items() if pack.name == "reflex")
WORKING = sorted(name for name, pack in SCENARIOS.items() if pack.name in ("execute", "govern"))


def box(folder: Path) -> Box:
    """A home with a payload and a project with an empty `.planning/`."""
    made = Box(folder)
    (made.project / ".planning").mkdir()
    return made


def members(count: int, status: str = "busy") -> list[dict[str, str]]:
    """So many colleagues, all of one status."""
    return [{"name": f"agent{number}", "role": "builds", "status": status} for number in range(count)]


def team(made: Box, **parts: object) -> None:
    """Write team.json."""
    made.planning("agent/team.json", json.dumps(parts))


def knowledge(made: Box, *sections: tuple[str, str]) -> str:
    """Write knowledge.md from titles and texts."""
    text = "# Knowledge\n\n" + "".join(f"## {title}\n\n{body}\n\n" for title, body in sections)
    made.planning("memory/knowledge.md", text)
    return text


def learnt(made: Box, count: int) -> None:
    """Approve so many skills with bodies that no prompt may hold."""
    for number in range(count):
        head = f"---\ndescription: Does thing {number} when it is asked for\n---\n"
        made.planning(f"learned/skills/skill-{number:04}/SKILL.md", f"{head}\n# Skill\n\n{BODY}\n")


BODY = "This is the body of a skill, and no prompt holds it before it is asked for. " * 3


def loaded(made: Box) -> None:
    """Fill every optional section to a hundred times of what any rule lets through."""
    team(
        made,
        manager={"name": "boss", "role": "leads", "status": "idle"},
        members=members(200),
        teams=[
            {"name": f"team{number}", "members": [f"x{one}" for one in range(50)]} for number in range(60)
        ],
        humans=[{"name": f"human{number}", "role": "asks"} for number in range(90)],
    )
    knowledge(made, *((f"Fact {number}", "something that stays true " * 40) for number in range(300)))
    made.planning("memory/state.md", "# State\n\n" + "".join(f"## S{n}\n\nit is so\n\n" for n in range(400)))
    for name in ("announcements", "norms"):
        made.planning(f"agent/{name}.md", f"# Heading of {name}\n\n" + f"{name} are long " * 12_000)
    lines = (json.dumps({"role": "user", "text": f"CHANNEL {number} " * 40}) for number in range(300))
    made.planning("session.jsonl", "\n".join(lines))
    learnt(made, 120)
    rows = {
        f"flow-{n:04}": {"path": "x.md", "sections": [], "description": "goes on " * 30} for n in range(300)
    }
    made.table["workflows"] = rows
    made.save()


def gathered(made: Box, **options: Any) -> Sources:
    """What `build` is given for that project."""
    return sources(find(str(made.project)), str(made.payload), **{"now": NOW, **options})


def chosen(scenario: str) -> Selection:
    """The core tools as a scenario has them."""
    return live(scenario, CORE.values(), State())


def text(made: Box, scenario: str, *options: str) -> str:
    """What `prefix show --text` prints."""
    answer = made.run("prefix", "show", scenario, "--at", AT, "--text", *options)
    assert answer.code == 0, answer.err
    return answer.out.decode()


def shown(made: Box, scenario: str, *options: str) -> dict[str, Any]:
    """What `prefix show` answers, its sections by name."""
    answer = made.run("prefix", "show", scenario, "--at", AT, *options)
    assert answer.code == 0, answer.err
    found: dict[str, Any] = dict(answer.json)
    found["sections"] = {row["name"]: row for row in found["sections"]}
    return found


def part(prompt: str, title: str) -> str:
    """One section of a prompt, without its title; empty where it is not there."""
    _, found, rest = f"\n{prompt}".partition(f"\n## {title}\n\n")
    return re.split(r"\n\n##? ", rest)[0].rstrip("\n") if found else ""
