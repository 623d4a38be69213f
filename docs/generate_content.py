"""Write docs/content.md from docs/content.template and the schemas in the code.

python docs/generate_content.py --check
python docs/generate_content.py --write

A line of the template that is `@` and a name is replaced by the table of that name. A key, kind, placeholder
or marker that the code knows and this file does not, or the other way round, is an error.
"""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

from gsd_install.content import holds, manifest, parse
from gsd_install.content.model import ACTIONS, FOLDERS, SPECIFIC_VERBS, VERBS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

TEMPLATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "content.template")

# The value of each key in the example, and what it is for.
HEAD = {
    "format": ("1", ""),
    "id": ('"gsd"', "the content id: names its folder in the payload root"),
    "name": ('"GSD"', ""),
    "version": ('"0.1.0"', ""),
    "prefix": ('"gsd"', "what a host shows: gsd-plan-phase"),
    "requires": ('">=0.1"', "versions of gsd-install that can read it"),
    "start": ('"new-project"', "the command to begin with, for the report; may be left out"),
}

DOCUMENTS = {
    "command": ("`<id>.md`", "what a person types: `/gsd-plan-phase`, `$gsd-plan-phase`, ..."),
    "workflow": ("`<id>.md`", "a body, read by path; may hold sections"),
    "agent": ("`<id>.md`", "a subagent where the host has them"),
    "skill": ("`<id>/SKILL.md` and files beside it", "a skill"),
    "reference": ("`<any/path>.md`", "a body, read when a text points at it"),
    "template": ("`<any/path>.md`", "a body, copied by an agent when it writes a file"),
    "rule": ("`<id>.md`", "text for the host's instructions file, only with `--with instructions`"),
}
# Beside the documents.
FILES = (
    ("`hooks/`", "hook", "`hooks.toml` and scripts", "what a host runs at an event, with `--with hooks`"),
    ("`mcp.json`", "server", "one of `mcpServers`", "a server in the host's list, with `--with mcp`"),
)

KEYS = {
    "description": "one line, 1 to 1,024 characters: what it does and when to use it",
    "title": "heading where a host wants one; default: the id in words",
    "name": "the id, which is the name of the folder; better left out",
    "license": "as the format of skills has it",
    "compatibility": "as the format of skills has it",
    "metadata": "as the format of skills has it",
    "argument-hint": "what may be typed after the name: `<phase> [--research]`",
    "tier": "the install profiles that hold it; default `standard`",
    "requires": "ids of commands that must be installed along",
    "tools": f"what it does, as actions: `{' '.join(ACTIONS)}`",
    "access": "`read` for one that must not change files; default `write`",
    "effort": "what it is worth; default `standard`",
}

PLACEHOLDERS = {
    "path": ("workflows/plan-phase.md", "the path of that document as the agent can open it"),
    "launcher": ("gsd-tools", "what an agent types to run that launcher of the companion"),
    "agent": ("planner", "the agent's installed name: `gsd-planner`"),
    "command": ("plan-phase", "how a person types that command in this host"),
    "tool": ("read", "the host's own name of a tool"),
    "args": ("", "what stands for the words typed after a command"),
    "runtime": ("", "the host's name"),
}

REGIONS = {
    "keep": ("", "is load-bearing: never omitted, shortened or moved"),
    "isolate": ("", "is kept, and leads the document: the same bytes for every runtime and budget"),
    "drop": ("", "may be left out then; the report says so"),
    "shrink": (' lines="5"', "may fall back to its first lines, when nothing lossless is enough"),
}


def same(what: str, told: Iterable[str], known: Iterable[str]) -> None:
    """Raise ValueError unless this file and the code have the same names."""
    if differ := set(told) ^ set(known):
        raise ValueError(
            f"this page and the code differ in the {what} {', '.join(sorted(differ))}\n"
            "fix: say in docs/generate_content.py what it is"
        )


def head() -> str:
    """`content.toml`, as an example."""
    same("keys of content.toml", HEAD, manifest.HEAD_KEYS)
    lines = [(f"{key} = {value}", why) for key, (value, why) in HEAD.items()]
    width = max(len(line) for line, why in lines if why)
    rows = "".join((f"{line.ljust(width)} # {why}" if why else line) + "\n" for line, why in lines)
    return f"```toml\n{rows}```\n"


def folders() -> str:
    """What stands in which folder."""
    same("kinds", DOCUMENTS, FOLDERS)
    rows = [(f"`{FOLDERS[kind]}/`", kind, *DOCUMENTS[kind]) for kind in FOLDERS]
    return _table(("folder", "kind", "one of it is", "becomes"), (*rows, *FILES))


def frontmatter() -> str:
    """The keys of documents."""
    same("keys of the frontmatter", KEYS, parse.KEYS)
    rows = [(f"`{key}`", _kinds(key), _values(key), meaning) for key, meaning in KEYS.items()]
    return _table(("key", "kinds", "values", "meaning"), rows)


def placeholders() -> str:
    """What may stand in braces."""
    same("placeholders", PLACEHOLDERS, VERBS)
    rows = []
    for verb, (argument, meaning) in PLACEHOLDERS.items():
        kind = "one host" if verb in SPECIFIC_VERBS else "every host"
        rows.append((f"`{{gsd:{f'{verb} {argument}'.strip()}}}`", meaning, kind))
    return _table(("write", "becomes", "the text is then for"), rows)


def regions() -> str:
    """The markers that say what a budget may do."""
    same("markers", REGIONS, (word.removeprefix("gsd:") for word in holds.WORDS))
    rows = [(f"`<!-- gsd:{name}{more} -->`", meaning) for name, (more, meaning) in REGIONS.items()]
    return _table(("marker", "the text between it and `<!-- /gsd:... -->`"), rows)


TABLES: Mapping[str, Callable[[], str]] = {
    "head": head,
    "folders": folders,
    "frontmatter": frontmatter,
    "placeholders": placeholders,
    "regions": regions,
}


def render(template: str) -> str:
    """The whole page. Raises ValueError where template, this file and the code do not fit together."""
    names = re.findall(r"^@(.+)$", template, re.MULTILINE)
    same("tables of the template", names, TABLES)
    return re.sub(r"^@(.+)\n", lambda match: TABLES[match[1]](), template, flags=re.MULTILINE)


def _kinds(key: str) -> str:
    """Which kinds have a key, those that must first."""
    kinds = parse.KEYS[key]
    if set(kinds) == set(FOLDERS) and key != "description":
        return "all"
    must = [kind for kind in kinds if key == "description" and kind in parse.DESCRIBED]
    may = [kind for kind in kinds if kind not in must]
    return f"{', '.join(must)} (required); {', '.join(may)}" if must else ", ".join(may)


def _values(key: str) -> str:
    if key in parse.CHOICES:
        return ", ".join(f"`{value}`" for value in parse.CHOICES[key])
    if key in parse.LISTS:
        return "a list"
    return "anything" if key == "metadata" else "text"


def _table(names: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    from pages import table

    return table(names, rows)


def _template() -> str:
    with open(TEMPLATE, encoding="utf-8") as file:
        return file.read()


def main() -> int:
    """Check or write the page."""
    from pages import command

    return command("content.md", lambda: render(_template()), "generate_content.py")


if __name__ == "__main__":
    sys.exit(main())
