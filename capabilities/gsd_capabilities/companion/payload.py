"""The payload root: where the installed texts are, and what the installer wrote down about them."""

from __future__ import annotations

import os

from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from gsd_capabilities.companion.request import Request

FOLDER = ".gsd"
MANIFEST = "companion.json"
FORMAT = 1


class Step(NamedTuple):
    """A section of a workflow: when it applies, its file, and the line that stands for it in the body."""

    id: str
    when: str
    read: str
    pointer: str


class Content(NamedTuple):
    """One installed content; `table` is what the installer wrote, None if that is damaged (`problem`)."""

    id: str
    root: str
    table: Mapping[str, Any] | None
    problem: str = ""

    @property
    def context(self) -> str | None:
        """The file in which the content states its predicates; None when it states none."""
        path = (self.table or {}).get("context")
        return _below(self, path) if path else None


class Workflow(NamedTuple):
    """One installed workflow. `steps` is None when nobody can say which sections it has (`problem`)."""

    id: str
    content: Content
    path: str
    steps: tuple[Step, ...] | None
    problem: str = ""

    @property
    def hint(self) -> str:
        """The argument hint of the command of the same name; empty where there is none."""
        table = self.content.table or {}
        command: Mapping[str, str] = table.get("commands", {}).get(self.id, {})
        return command.get("hint", "")


def root(passed: str | None, cwd: str, environ: Mapping[str, str]) -> str:
    """The payload root: as passed, else the nearest `.gsd/` from `cwd` up, else GSD_HOME, else `~/.gsd`.

    Raises GsdError `no_payload`.
    """
    if passed:
        return os.path.abspath(passed)
    for folder in _candidates(os.path.abspath(cwd), environ):
        if next(_manifests(folder), None):
            return folder
    raise GsdError(
        "nothing is installed here",
        reason="no_payload",
        hint="install first: gsd-install --runtime NAME; or name the place with GSD_HOME",
    )


def found(request: Request) -> str | None:
    """The payload root for a request; None where nothing is installed, as in a checkout."""
    try:
        return root(request.payload, request.cwd, request.environ)
    except GsdError as error:
        if error.reason != "no_payload":
            raise
        return None


def everywhere(environ: Mapping[str, str]) -> str:
    """The payload root of the user's own scope, whether or not it is there; empty where nobody has a home."""
    if own := environ.get("GSD_HOME"):
        return os.path.abspath(own)
    home = environ.get("HOME") or environ.get("USERPROFILE")
    return os.path.join(home, FOLDER) if home else ""


def spelled(payload: str, environ: Mapping[str, str]) -> str:
    """A payload root as the texts in it write it: `~/.gsd`, in a project `.gsd`, elsewhere absolute."""
    if not payload:
        return ""
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    if payload != everywhere(environ) and os.path.basename(payload) == FOLDER:
        return FOLDER
    inside = home and payload.startswith(os.path.join(home, ""))
    shown = "~" + payload[len(home.rstrip(os.sep)) :] if inside else payload
    return shown.replace(os.sep, "/")


def launcher(payload: str | None, environ: Mapping[str, str] | None = None) -> str:
    """How an agent starts the companion: by its path, for nothing says that PATH has the launcher.

    With `environ` the path stands as installed texts write it, which is what hosts are told to allow.
    """
    root = payload or ""
    return launched(root, root if environ is None else spelled(root, environ))


def launched(root: str, shown: str) -> str:
    """The launcher of the payload `root`, which texts write as `shown`; its bare name where there is none.

    A path with a blank is absolute, for a shell expands no `~` in quotes.
    """
    path = os.path.join(root, "bin", "gsd-tools")
    if not root or not os.path.isfile(path):
        return "gsd-tools"
    return f'"{path}"' if " " in shown else f"{shown}/bin/gsd-tools"


def contents(payload: str) -> tuple[Content, ...]:
    """The contents installed in a payload root, by id. Raises GsdError `no_payload` when there are none."""
    found = tuple(_content(payload, name) for name in _manifests(payload))
    if not found:
        hint = "install again: gsd-install upgrade"
        raise GsdError(f"no {MANIFEST} is here", reason="no_payload", file=payload, hint=hint)
    return found


def workflow(payload: str, name: str) -> Workflow:
    """The workflow called `name`, or `content:name` where several contents have one.

    Raises UsageError `unknown_workflow` or `ambiguous_workflow`.
    """
    wanted, _, bare = name.rpartition(":")
    here = [content for content in contents(payload) if wanted in ("", content.id)]
    found = [made for content in here if (made := _workflow(content, bare))]
    if len(found) == 1:
        return found[0]
    if found:
        spelled = ", ".join(f"{made.content.id}:{bare}" for made in found)
        message = f"several contents have a workflow {bare!r}"
        raise UsageError(message, reason="ambiguous_workflow", hint=f"write one of {spelled}")
    raise UsageError(f"there is no workflow {name!r}", reason="unknown_workflow", hint=_nearest(here, bare))


def host(payload: str, runtime: str | None) -> Mapping[str, Any] | None:
    """What is known about a runtime; None when none is named. Raises UsageError `unknown_runtime`."""
    if runtime is None:
        return None
    folder = os.path.join(payload, "hosts")
    names = sorted(name.removesuffix(".json") for name in _listed(folder) if name.endswith(".json"))
    if runtime not in names:
        hint = f"installed are {', '.join(names)}" if names else "none is installed"
        raise UsageError(f"runtime {runtime!r} is not installed", reason="unknown_runtime", hint=hint)
    return _json(os.path.join(folder, f"{runtime}.json"))


def read(path: str) -> bytes:
    """The bytes of an installed text. Raises GsdError `missing_text`."""
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except OSError as error:
        hint = "install again: gsd-install upgrade"
        raise GsdError(
            f"cannot be read: {error.strerror}", reason="missing_text", file=path, hint=hint
        ) from error


def _candidates(cwd: str, environ: Mapping[str, str]) -> Iterator[str]:
    folder, below = cwd, ""
    while folder != below:
        yield os.path.join(folder, FOLDER)
        folder, below = os.path.dirname(folder), folder
    if own := everywhere(environ):
        yield own


def _manifests(payload: str) -> Iterator[str]:
    """Names of the contents that have a manifest, sorted."""
    for name in sorted(_listed(payload)):
        if os.path.isfile(os.path.join(payload, name, MANIFEST)):
            yield name


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _content(payload: str, name: str) -> Content:
    try:
        table = _json(os.path.join(payload, name, MANIFEST))
    except GsdError as error:
        return Content(name, payload, None, str(error))
    return Content(name, payload, table)


def _json(path: str) -> Mapping[str, Any]:
    """A table the installer wrote. Raises GsdError `bad_manifest`."""
    import json

    hint = "install again: gsd-install upgrade"
    try:
        with open(path, "rb") as stream:
            table = json.loads(stream.read())
    except (OSError, ValueError) as error:
        raise GsdError(f"cannot be read: {error}", reason="bad_manifest", file=path, hint=hint) from error
    if not isinstance(table, dict) or table.get("format", FORMAT) != FORMAT:
        raise GsdError(f"is not of format {FORMAT}", reason="bad_manifest", file=path, hint=hint)
    return table


def _workflow(content: Content, name: str) -> Workflow | None:
    """The workflow called `name`; without its steps where the installer's table is no help."""
    entry = None if content.table is None else content.table.get("workflows", {}).get(name)
    if entry is not None:
        return _described(content, name, entry)
    path = _default_path(content, name)
    if content.table is None and os.path.basename(name) == name and os.path.isfile(path):
        return Workflow(name, content, path, None, content.problem)
    return None


def _described(content: Content, name: str, entry: Mapping[str, Any]) -> Workflow:
    try:
        path = _below(content, entry["path"])
        steps = tuple(
            Step(row["id"], row["when"], _below(content, row["read"]), row["pointer"])
            for row in entry["sections"]
        )
    except (KeyError, TypeError, AttributeError) as error:
        problem = f"{_table_path(content)}: the entry of {name!r} is damaged: {error}"
        return Workflow(name, content, _default_path(content, name), None, problem)
    gone = [step.read for step in steps if not os.path.isfile(step.read)]
    if gone:
        return Workflow(name, content, path, None, f"{gone[0]}: this step file is gone")
    return Workflow(name, content, path, steps)


def _default_path(content: Content, name: str) -> str:
    return os.path.join(content.root, "content", content.id, "workflows", f"{name}.md")


def _table_path(content: Content) -> str:
    return os.path.join(content.root, content.id, MANIFEST)


def _below(content: Content, path: str) -> str:
    return os.path.join(content.root, *path.split("/"))


def _nearest(here: list[Content], name: str) -> str:
    import difflib

    known = sorted({known for content in here for known in (content.table or {}).get("workflows", {})})
    close = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"there are {', '.join(known)}"
