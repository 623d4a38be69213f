"""Core tools for what an agent does on a machine: files, the shell, subagents and packages."""

from __future__ import annotations

from gsd_capabilities.learning.limits import AGENT_SHELL_SECONDS_MOST
from gsd_capabilities.packs.tool import count, flag, made, text, texts

_PATH = text("a path in the project")

TOOLS = (
    made(
        "file_read",
        "Reads a file, whole or some of its lines.",
        needs={"path": _PATH},
        may={"start": count("the first line, from 1"), "lines": count("how many lines")},
    ),
    made(
        "file_write",
        "Writes a whole file.",
        needs={"path": _PATH, "text": text("the whole text")},
    ),
    made(
        "file_edit",
        "Replaces one passage of a file.",
        needs={
            "path": _PATH,
            "old": text("the passage; it must stand there once"),
            "new": text("what replaces it"),
        },
        may={"all": flag("replace every place where it stands")},
    ),
    made(
        "file_search",
        "Lists files whose path matches a pattern.",
        needs={"pattern": text("with * and ?, and ** for folders: src/**/*.py")},
    ),
    made(
        "code_search",
        "Finds lines in files.",
        needs={"pattern": text("a regular expression")},
        may={
            "files": text("only files whose path matches this pattern"),
            "most": count("at most so many lines"),
        },
    ),
    made(
        "shell",
        "Runs a command in the root of the project; its output and exit code.",
        needs={"command": text("one line for the shell")},
        may={"seconds": count("how long it may take", most=AGENT_SHELL_SECONDS_MOST)},
    ),
    made(
        "spawn_subagent",
        "Starts one agent on a question and waits for its answer.",
        needs={"prompt": text("all it needs to know, and what to answer")},
        may={"scenario": text("its scenario (default: that of this session)")},
    ),
    made(
        "spawn_subagents",
        "Starts several agents at once and waits for all answers.",
        needs={"prompts": texts("one prompt for each of them")},
    ),
    made("package_list", "Lists skills, and those that wait for approval."),
    made(
        "package_install",
        "Proposes a skill; one of low impact goes live, any other waits until a person approves it.",
        needs={"name": text("lower-case words with dashes"), "body": text("the whole SKILL.md")},
        may={"impact": text("low or high (default: high)")},
    ),
    made(
        "hub_install",
        "Installs a skill from an address that the user named.",
        needs={"address": text("the address")},
    ),
)
