"""A project with planning files, as the workflows write them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from gsd_capabilities.companion.project import Project, find
from gsd_capabilities.companion.request import Request

ROADMAP = """\
# Roadmap: Photos, v1.0

People can share photos.

| phase | name | status | plans | requirements |
|---|---|---|---|---|
| 1 | Walking skeleton | complete | 1/1 | CORE-01 |
| 2 | Sign in | executing | 1/2 | AUTH-01, AUTH-02 |
| 3 | Albums | pending | 0/0 | PHOTO-01 |

## Phase 1: Walking skeleton

**Goal:** a photo can be shown
**Depends on:** nothing
**Requirements:** CORE-01
**Mode:** mvp
**Success criteria:**

- C1: a photo is seen
- C2: a broken one is refused

**Notes:** none

## Phase 2: Sign in

**Goal:** only friends see photos,
each after signing in
**Depends on:** phase 1
**Requirements:** AUTH-01, AUTH-02
**Mode:** standard
**Success criteria:**

- C1: a friend signs in

**Notes:** none

## Phase 3: Albums

**Goal:** photos have an order
**Depends on:** phases 1, 2
**Requirements:** PHOTO-01
**Mode:** standard
**Success criteria:**

- C1: an album is shown

**Notes:** none
"""

STATE = """\
---
project: Photos
milestone: v1.0
milestone_base: 1a2b3c4
phase: 2
phase_name: Sign in
phase_base:
plan: 1 of 2
status: executing
next: execute-phase 2
last: plan 02-01: done, with one deviation
updated: 2026-05-04
---

# State

## Decisions in force

- 2026-05-01 no passwords (02-CONTEXT)

## Blockers

none

## Log

- 2026-05-04 plan 02-01 done (1a2b3c4)
"""

REQUIREMENTS = """\
# Requirements: Photos, v1.0

## Now

- [x] **CORE-01**: anybody can see a photo
- [ ] **AUTH-01**: a friend can sign in
- [ ] **AUTH-02**: a stranger cannot
- [ ] **PHOTO-01**: a friend can make an album
"""


def plan(
    phase: str,
    number: str,
    *,
    wave: int = 1,
    depends: str = "[]",
    files: str = "[src/a.py]",
    title: str = "Do",
) -> str:
    """The text of a plan."""
    return (
        f'---\nphase: "{phase}"\nplan: "{number}"\ntitle: {title}\nwave: {wave}\ndepends_on: {depends}\n'
        f"files: {files}\nrequirements: [AUTH-01]\ncriteria: [C1]\nautonomous: true\n---\n\n# Plan\n"
    )


def summary(phase: str, number: str, status: str = "done") -> str:
    """The text of a summary."""
    return f'---\nphase: "{phase}"\nplan: "{number}"\nstatus: {status}\ncommits: []\n---\n\n# Summary\n'


FILES = {
    "PROJECT.md": "# Photos\n",
    "REQUIREMENTS.md": REQUIREMENTS,
    "ROADMAP.md": ROADMAP,
    "STATE.md": STATE,
    "config.json": json.dumps({"version": 1, "mode": "auto"}, indent=2) + "\n",
    "phases/01-walking-skeleton/01-01-PLAN.md": plan("01", "01"),
    "phases/01-walking-skeleton/01-01-SUMMARY.md": summary("01", "01"),
    "phases/01-walking-skeleton/01-VERIFICATION.md": '---\nphase: "01"\nstatus: passed\n---\n',
    "phases/02-sign-in/02-01-PLAN.md": plan("02", "01"),
    "phases/02-sign-in/02-01-SUMMARY.md": summary("02", "01"),
    "phases/02-sign-in/02-02-PLAN.md": plan("02", "02", wave=2, depends='["01"]', files="[src/b.py]"),
}


def write(root: Path, files: dict[str, str], *, below: str = ".planning") -> Project:
    """Put files below `.planning` of `root`, every byte as it is given; the project there."""
    for name, text in files.items():
        path = root / below / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return find(str(root))


def sample(root: Path) -> Project:
    """The sample project: three phases, the second in progress, everything in order."""
    return write(root, FILES)


def text_of(project: Project, name: str) -> str:
    """What a planning file holds now, line ends as they are."""
    return Path(project.path(name)).read_bytes().decode()


def request(project: Project, *words: str, **options: str) -> Request:
    """A request to a verb, from the root of the project."""
    return Request(words, options, project.root, None, {"HOME": "/nonexistent"}, lambda: b"")


def repository(root: Path) -> None:
    """Make a git repository of `root`, with everything in it committed."""
    for arguments in (
        ("init", "-q", "-b", "main"),
        ("config", "user.email", "a@example.com"),
        ("config", "user.name", "A"),
        ("config", "commit.gpgsign", "false"),
        ("add", "-A"),
        ("commit", "-q", "--allow-empty", "-m", "start"),
    ):
        git(root, *arguments)


def git(root: Path, *arguments: str) -> str:
    """What git prints."""
    done = subprocess.run(("git", *arguments), cwd=root, capture_output=True, encoding="utf-8", check=True)
    return done.stdout
