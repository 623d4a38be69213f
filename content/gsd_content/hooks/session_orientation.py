#!/usr/bin/env python3
"""Print where a project stands when a session starts in it.

Looks for `.planning/STATE.md` from the session's directory upward and prints its fields in a few lines, at
most 1,200 characters. Prints nothing where there is no `.planning/`. Always exits 0: orientation must never
keep a session from starting. Standard library only, Python 3.8 or newer.
"""

import json
import os
import re
import select
import sys

LIMIT = 1200
STATE_BYTES = 16384
EVENT_BYTES = 1048576
PATIENCE = 0.2  # seconds to wait for an event that may never come
WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*\Z")


def session_directory(event):
    """Directory the session runs in: the event's own `cwd` where the host sends one, else ours."""
    cwd = event.get("cwd") if isinstance(event, dict) else None
    return cwd if isinstance(cwd, str) and os.path.isdir(cwd) else os.getcwd()


def read_event(descriptor):
    """The event on standard input; None at a terminal, without input, and when it is no JSON."""
    data = b""
    try:
        if os.isatty(descriptor):
            return None
        while len(data) < EVENT_BYTES and is_ready(descriptor):
            chunk = os.read(descriptor, 65536)
            if not chunk:
                break
            data += chunk
        return json.loads(data.decode("utf-8", "replace"))
    except (OSError, ValueError):
        return None


def is_ready(descriptor):
    """Whether reading will not block: some hosts leave the pipe open and write nothing into it."""
    try:
        return bool(select.select([descriptor], [], [], PATIENCE)[0])
    except OSError:
        return True  # Windows cannot wait for a pipe; hosts there close it


def find_planning(start):
    """Nearest `.planning` directory at `start` or above it."""
    here = os.path.abspath(start)
    while True:
        candidate = os.path.join(here, ".planning")
        if os.path.isdir(candidate):
            return candidate
        parent = os.path.dirname(here)
        if parent == here:
            return None
        here = parent


def read_text(path):
    """Beginning of a text file; empty when it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(STATE_BYTES)
    except OSError:
        return ""


def active_root(planning):
    """Where STATE.md lives: in the active workstream if there is one, else in `.planning` itself."""
    name = read_text(os.path.join(planning, "workstreams", "ACTIVE")).strip()
    root = os.path.join(planning, "workstreams", name)
    return root if WORD.match(name) and os.path.isdir(root) else planning


def fields(text):
    """The `key: value` lines between the two `---` lines at the top of STATE.md."""
    lines = text.lstrip("\ufeff").splitlines()
    if not lines or lines[0].strip() != "---":
        return {}
    found = {}
    for line in lines[1:]:
        if line.strip() == "---":
            return found
        key, colon, value = line.partition(":")
        if colon and value.strip():
            found[key.strip()] = clean(value)
    return {}


def clean(value):
    """One printable line: state files are read by agents, so control characters are not passed on."""
    return "".join(c if c.isprintable() else " " for c in value).strip()[:200]


def blockers(text):
    """Lines of the section Blockers, unless it says none."""
    section = re.search(r"^## Blockers[ \t]*\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    lines = section.group(1).splitlines() if section else []
    items = [clean(line.strip().lstrip("-")) for line in lines if line.strip()]
    return [] if items and items[0].lower().rstrip(".") == "none" else items[:3]


def orientation(planning):
    """What to print for a planning directory, or nothing when it has no readable state."""
    root = active_root(planning)
    text = read_text(os.path.join(root, "STATE.md"))
    state = fields(text)
    if not state:
        return ""
    phase = " ".join(state[key] for key in ("phase", "phase_name") if key in state)
    rows = [
        ("project", ", ".join(state[key] for key in ("project", "milestone") if key in state)),
        ("phase", phase),
        ("status", ", plan ".join(state[key] for key in ("status", "plan") if key in state)),
        ("last", state.get("last", "")),
        ("next", state.get("next", "")),
        ("blocked", "; ".join(blockers(text))),
    ]
    lines = ["This repository is worked on in phases (.planning/). State:"]
    lines += [f"{name}: {value}" for name, value in rows if value]
    handoff = os.path.join(root, "HANDOFF.md")
    if os.path.isfile(handoff):
        lines.append(
            f"work was interrupted: read {os.path.relpath(handoff, os.path.dirname(planning))} first"
        )
    return shorten("\n".join(lines)) + "\n"


def shorten(text):
    """Short enough to stay within LIMIT with its line end, cut at a word."""
    if len(text) < LIMIT:
        return text
    return text[: LIMIT - 5].rsplit(None, 1)[0] + " ..."


def main():
    planning = find_planning(session_directory(read_event(0)))
    text = orientation(planning) if planning else ""
    if text:
        os.write(1, text.encode("utf-8"))


def report(error):
    """One line on standard error, where there is one."""
    try:
        os.write(2, f"session orientation skipped: {error}\n".encode("utf-8", "replace"))
    except OSError:
        return


if __name__ == "__main__":
    try:
        main()
    except Exception as error:  # noqa: BLE001 - orientation must never keep a session from starting
        report(error)
    sys.exit(0)
