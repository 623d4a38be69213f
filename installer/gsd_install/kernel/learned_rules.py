"""What may be learned: what every host accepts of a skill or an agent, and no words for the installer.

The rules on names and descriptions are the part that all hosts of skills have in common: small letters,
digits and single hyphens, at most 64 characters, a description of 1 to 1,024, UTF-8 without a byte-order
mark.
"""

from __future__ import annotations

import re

from gsd_install.kernel import frontmatter
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.learned import AGENT, ID, SKILL, TEAM, kind_of
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gsd_install.kernel.frontmatter import Frontmatter
    from gsd_install.kernel.learned import File

NAME_MOST, DESCRIPTION_MOST = 64, 1_024
KEYS = {
    SKILL: ("description", "title", "name", "license", "compatibility", "metadata"),
    AGENT: ("description", "title", "tools", "access", "effort"),
}
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_PART = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9_-])?")
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
_OURS = ("{gsd:", "<!-- gsd:", "<!-- /gsd:")


def check(name: str, files: Mapping[str, File]) -> None:
    """Raise GsdError for the first thing that is wrong with a proposal; `file` names one of its files."""
    check_name(name)
    kind = kind_of(files)
    _check_paths(kind, files)
    for path, document, member in documents(name, files):
        _check_document(document, member, path, files[path].data)


def check_name(name: str) -> None:
    """Raise GsdError `bad_name` for what no host could call a skill, or no folder of some system."""
    most = NAME_MOST - len(f"{ID}-")
    if not _NAME.fullmatch(name) or len(name) > most:
        hint = f"use small letters, digits and single hyphens, at most {most} characters"
        raise GsdError(f"{name!r} is not a name", reason="bad_name", hint=hint)
    if _RESERVED.fullmatch(name):
        hint = "use another one, or one with a second word"
        raise GsdError(f"Windows keeps the name {name!r} for itself", reason="bad_name", hint=hint)


def documents(name: str, files: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """The documents of a proposal: the path, the kind and the id of each."""
    files = tuple(files)
    kind = kind_of(files)
    if kind == TEAM:
        yield from ((path, AGENT, path.removesuffix(".md")) for path in files)
    else:
        yield ("SKILL.md" if kind == SKILL else "AGENT.md"), kind, name


def _check_paths(kind: str, files: Mapping[str, File]) -> None:
    if not files:
        raise GsdError("there is no file in it", reason="empty_proposal", hint="a skill is a SKILL.md")
    seen: dict[str, str] = {}
    for path in files:
        other = seen.setdefault(path.casefold(), path)
        if other != path:
            _refuse(f"{other!r} and {path!r} are one file on some systems", "bad_path", path, "rename one")
        for part in path.split("/"):
            if not _PART.fullmatch(part) or _RESERVED.fullmatch(part):
                hint = "use letters, digits and - _ . and no name that Windows keeps for itself"
                _refuse(f"{part!r} is not a name of a file on every system", "bad_path", path, hint)
        if path.endswith("/SKILL.md"):
            _refuse("a skill stands one folder deep", "bad_path", path, "propose it by itself")
    if kind == AGENT and len(files) > 1:
        extra = next(path for path in files if path != "AGENT.md")
        _refuse("an agent is one file", "bad_path", extra, "leave the others out")
    for path in files if kind == TEAM else ():
        if not path.endswith(".md") or not _NAME.fullmatch(path.removesuffix(".md")):
            hint = "a skill has a SKILL.md, an agent an AGENT.md, a team one <name>.md for each member"
            _refuse("this is no document of a skill, an agent or a team", "bad_path", path, hint)


def _check_document(kind: str, name: str, path: str, data: bytes) -> None:
    check_name(name)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise GsdError(
            "this is not UTF-8", reason="encoding", file=path, line=line, hint="save it as UTF-8"
        ) from None
    if text.startswith("\ufeff"):
        _refuse("a byte-order mark stands before the frontmatter", "encoding", path, "save it without one")
    front = frontmatter.split(text, file=path)
    _check_fields(kind, name, path, front)
    if not front.body.strip():
        _refuse("there is no text below the frontmatter", "empty_document", path, "say what to do")
    for number, row in enumerate(text.splitlines(), 1):
        ours = next((word for word in _OURS if word in row), None)
        if ours:
            hint = "write the words themselves"
            _refuse(f"{ours!r} is for content of the installer", "bad_placeholder", path, hint, number)


def _check_fields(kind: str, name: str, path: str, front: Frontmatter) -> None:
    for key in front.fields:
        if key not in KEYS[kind]:
            hint = f"known: {', '.join(KEYS[kind])}"
            _refuse(f"{kind} documents have no key {key!r}", "unknown_key", path, hint, front.lines[key])
    given = front.fields.get("description")
    if not isinstance(given, str) or not 0 < len(given.strip()) <= DESCRIPTION_MOST or "\n" in given:
        hint = f"one line of 1 to {DESCRIPTION_MOST:,} characters: what it does and when to use it"
        _refuse("the description is missing or too long", "no_description", path, hint, 1)
    if front.fields.get("name", name) != name:
        hint = "delete the line: the folder is what names a skill"
        _refuse(f"the name in it is not {name!r}", "skill_name", path, hint, front.lines["name"])


def _refuse(message: str, reason: str, file: str, hint: str, line: int | None = None) -> None:
    raise GsdError(message, reason=reason, file=file, line=line, hint=hint)
