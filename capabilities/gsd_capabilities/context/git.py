"""What changed in the working directory: the status, and the diff or, where that is long, its figures."""

from __future__ import annotations

import re

from gsd_capabilities.context.sections import section
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gsd_capabilities.context.sections import Section

    # Output of git with these arguments; None where it fails.
    Git = Callable[[Sequence[str]], str | None]

_FILE = re.compile(r"diff --git (?:\"?a/.*\"? )\"?b/(.*?)\"?$")


class Changes(NamedTuple):
    """The section about the changes, if any; the paths that changed; why there is no section."""

    section: Section | None
    paths: tuple[str, ...]
    absent: str = ""


def runner(folder: str) -> Git:
    """Git itself, in `folder`, without hooks into the user's pager, colours or external differ."""

    def run(arguments: Sequence[str]) -> str | None:
        import subprocess

        command = ["git", "-C", folder, "-c", "core.quotepath=off", "--no-optional-locks", *arguments]
        try:
            done = subprocess.run(command, capture_output=True, check=False)
        except FileNotFoundError:
            return None
        return None if done.returncode else done.stdout.decode("utf-8", "replace")

    return run


def changes(git: Git, diff_lines: int) -> Changes:
    """What git sees; a diff of more than `diff_lines` lines becomes a list of files with their figures."""
    status = git(["status", "--porcelain", "--untracked-files=all"])
    if status is None:
        return Changes(None, (), "not a git repository, or no git")
    if not status.strip():
        return Changes(None, (), "nothing changed")
    options = ["diff", "--no-color", "--no-ext-diff", "--no-renames"]
    # A repository without a commit has nothing to compare with but its index.
    diff = git([*options, "HEAD"]) or git([*options, "--cached"]) or ""
    paths = tuple(row[3:].strip('"').rpartition(" -> ")[2] for row in status.splitlines())
    shown = diff if len(diff.splitlines()) <= diff_lines else figures(diff)
    text = f"```text\n{status.rstrip()}\n```"
    if shown.strip():
        fence = _fence(shown)
        text += f"\n\n{fence}diff\n{shown.rstrip()}\n{fence}"
    return Changes(section("git", "git", text, source="`git diff HEAD`"), paths)


def figures(diff: str) -> str:
    """One line for each file of a diff: its path, lines added, lines removed."""
    rows: list[list[str | int]] = []
    inside = False
    for line in diff.split("\n"):
        header = _FILE.match(line)
        if header:
            rows.append([header[1], 0, 0])
            inside = False
        elif line.startswith("@@"):
            inside = True
        elif rows and inside and line[:1] in ("+", "-"):
            rows[-1][1 if line[0] == "+" else 2] += 1  # type: ignore[operator]
    return "\n".join(f"{path} (+{added}/-{removed})" for path, added, removed in rows)


def _fence(text: str) -> str:
    """A fence longer than any in the text."""
    longest = max((len(run) for run in re.findall("`{3,}", text)), default=2)
    return "`" * (longest + 1)
