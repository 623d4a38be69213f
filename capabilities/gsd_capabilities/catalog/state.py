"""The planning files of a project, one at a time, and nothing beside them."""

from __future__ import annotations

import os

from gsd_capabilities.catalog import disk
from gsd_capabilities.catalog.addresses import RefusedError, leaves
from gsd_capabilities.companion import project as projects
from gsd_capabilities.companion.guard import locked
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.files import write_atomic
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_capabilities.companion.project import Project

_STORE = "artifacts"
_RELATIVE = "name it relative to .planning, for example STATE.md"


def read(cwd: str, path: str) -> bytes:
    """The bytes of a planning file. Raises RefusedError, GsdError `no_project`."""
    file = _file(projects.require(projects.find(cwd)), path)
    try:
        return disk.read(file)
    except (FileNotFoundError, NotADirectoryError):
        raise RefusedError("unknown_resource", "there is no such planning file", path) from None
    except OSError as error:
        raise RefusedError("read_failed", f"this cannot be read: {error.strerror}", path) from error


def write(cwd: str, path: str, content: str) -> int:
    """Put text into a planning file, whole; how many bytes that is.

    Raises RefusedError, GsdError `no_project` and `kept`, LockedError.
    """
    project = projects.require(projects.find(cwd))
    try:
        data = content.encode()
    except UnicodeEncodeError:
        raise RefusedError("invalid_params", "the content is no text", path) from None
    with locked(project):
        file = _file(project, path)
        _require_free(project, file, path)
        if os.path.isdir(file) or not os.path.isdir(os.path.dirname(file)):
            what = "this is a folder" if os.path.isdir(file) else "its folder is not there"
            raise RefusedError("unknown_resource", what, path, hint="gsd_invoke_command makes phases")
        try:
            write_atomic(file, data)
        except OSError as error:
            message = f"this cannot be written: {error.strerror}"
            raise RefusedError("read_failed", message, path) from error
    return len(data)


def _require_free(project: Project, file: str, path: str) -> None:
    """Raise GsdError `kept` for a file that only verbs change."""
    if projects.kept(os.path.relpath(file, os.path.realpath(project.shared))):
        hint = "gsd_invoke_command has the verbs for memory, tasks, deliverables and skills"
        message = f"{path} is changed by verbs of its own, and the agent's role by people"
        raise GsdError(message, reason="kept", hint=hint)


def _file(project: Project, path: str) -> str:
    """The file with every link followed. Raises RefusedError for one that is not below `.planning`."""
    inner = path.replace("\\", "/").removeprefix(f"{projects.FOLDER}/")
    if not inner.strip("/") or leaves(inner):
        raise RefusedError("traversal_refused", "this is no planning file", path, hint=_RELATIVE)
    root, planning = os.path.realpath(project.root), os.path.realpath(project.shared)
    file = os.path.realpath(os.path.join(planning, *inner.split("/")))
    if not (disk.is_inside(planning, root) and disk.is_inside(file, planning)):
        raise RefusedError("traversal_refused", "this leads out of the planning files", path, hint=_RELATIVE)
    if os.path.relpath(file, planning).split(os.sep)[0].casefold() == _STORE:
        hint = "gsd_artifact_get reads an artifact; results become artifacts by themselves"
        raise RefusedError("traversal_refused", "the store of artifacts is no planning file", path, hint=hint)
    return file
