"""Before a commit: no files of secrets, no planning files where they are not committed, a findable message.

The rules are those of the references `commits` and `state-rules`. A file whose name says that it holds
secrets and a planning file that must not be committed are a veto; a message of another form is advice, and
only while a phase is executed.
"""

from __future__ import annotations

import re

from gsd_capabilities.hooks.envelopes import Answer
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.hooks.event import Asked

SUBJECT_CHARACTERS = 72
_TYPES = "feat|fix|test|refactor|perf|docs|build|ci|chore|revert"
_SUBJECT = re.compile(rf"(?:{_TYPES})(\([^()\s]+\))?!?: \S")
_ALL = frozenset({"-A", "--all", ".", "./", ":/"})
_WORK = re.compile(r"^Work: \S+\s*\Z", re.MULTILINE)
_OTHER = ("Merge ", "Revert ", "fixup! ", "squash! ", "amend! ")
_HEREDOC = re.compile(r"\$\(cat <<-?\s*['\"]?(\w+)['\"]?\n(.*?)\n\s*\1\s*\)?", re.DOTALL)


class _Commit(NamedTuple):
    messages: tuple[str, ...]
    everything: bool


def answer(asked: Asked) -> Answer | None:
    """A veto, advice on the message, or None. Raises GsdError `git_failed` or `no_git`."""
    if "commit" not in asked.command:
        return None
    commit, added = _found(asked.command)
    project = asked.project
    if commit is None or not project.exists:
        return None
    why = _refused(project, asked, commit, added)
    if why:
        return Answer("deny", why)
    advice = _advice(project, commit)
    return Answer("context", advice) if advice else None


def message_fault(message: str) -> str:
    """What is wrong with a message, by the project's form; empty when nothing is."""
    subject = message.strip().partition("\n")[0]
    if subject.startswith(_OTHER):
        return ""
    match = _SUBJECT.match(subject)
    if len(subject) > SUBJECT_CHARACTERS:
        return f"its subject has {len(subject)} characters, of {SUBJECT_CHARACTERS}"
    if _WORK.search(message):
        return ""
    if match is None:
        return "its subject is not `type(scope): what is different now`"
    return "" if match[1] else "its subject has no scope, by which other steps find it"


def _found(line: str) -> tuple[_Commit | None, list[str]]:
    """The commit in a command line, and what stands behind `git add` before it."""
    from gsd_capabilities.hooks.shell import commands

    added: list[str] = []
    for program, *words in commands(line):
        if program.rpartition("/")[2] not in ("git", "git.exe"):
            continue
        verb, rest = _verb(words)
        if verb == "add":
            added += rest
        if verb == "commit":
            return _commit(rest), added
    return None, added


def _verb(words: list[str]) -> tuple[str, list[str]]:
    """The verb of a git command, behind its own options."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in ("-C", "-c", "--git-dir", "--work-tree") else 1
    return (words[at], words[at + 1 :]) if at < len(words) else ("", [])


def _commit(words: list[str]) -> _Commit:
    messages, everything = [], False
    for at, word in enumerate(words):
        short = re.fullmatch(r"-([A-Za-z]*)m(.*)", word, re.DOTALL)
        if word.startswith("--message="):
            messages.append(word.partition("=")[2])
        elif word == "--message" or (short and not short[2]):
            messages += words[at + 1 : at + 2]
        elif short:
            messages.append(short[2])
        everything |= word in ("-a", "--all") or bool(short and "a" in short[1])
    return _Commit(tuple(_text(message) for message in messages), everything)


def _text(message: str) -> str:
    """What a message that comes from a heredoc says."""
    match = _HEREDOC.match(message)
    return match[2] if match else message


def _refused(project: Project, asked: Asked, commit: _Commit, added: list[str]) -> str:
    from gsd_capabilities.companion import config
    from gsd_capabilities.hooks.secrets import is_secret

    names = [*_listed(project, "diff", "--cached", "--name-only", "--diff-filter=d"), *added]
    if commit.everything or not _ALL.isdisjoint(added):
        names += _listed(project, "diff", "--name-only", "--diff-filter=d")
    if not _ALL.isdisjoint(added):
        names += _listed(project, "ls-files", "--others", "--exclude-standard")
    secret = next((name for name in names if is_secret(name)), None)
    if secret is not None:
        return f"this commit would hold {secret}, which may hold secrets: git restore --staged {secret}"
    planning = next((name for name in names if name.startswith(f"{project.shown(project.shared)}/")), None)
    if planning and config.resolve(project, asked.environ).get("planning.commit") is False:
        return f"this commit would hold {planning}, and planning.commit is false here: unstage it"
    return ""


def _listed(project: Project, *arguments: str) -> list[str]:
    from gsd_capabilities.companion import commits

    return [*filter(None, commits.git(project, *arguments, "-z").split("\0"))]


def _advice(project: Project, commit: _Commit) -> str:
    from gsd_capabilities.companion import planning_text, state

    if not commit.messages or planning_text.read_optional(project, project.path(state.FILE)) is None:
        return ""
    fields = state.read(project)
    fault = message_fault("\n\n".join(commit.messages))
    if fields.get("status") != "executing" or not fault:
        return ""
    number = fields.get("phase", "")
    whole, dot, part = number.partition(".")
    scope = f"{int(whole):02d}{dot}{part}" if whole.isascii() and whole.isdigit() else number or "03"
    return (
        f"The message of this commit is not of the project's form: {fault}. While a phase is executed it is "
        f"`feat({scope}-01): ...` for a task of its first plan; where the project has a form of its own, the "
        f"last line is `Work: {scope}-01`."
    )
