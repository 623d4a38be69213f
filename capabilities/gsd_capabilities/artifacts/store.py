"""The store of one project: where its bytes are, who asks, and who is told about decisions.

Bytes and records are in the bound workspace: the folder `.planning/artifacts`, or the object store that the
user's own settings name. The session and the log of decisions are always in the folder: they say what
happened on this machine. A project cannot choose the workspace, since content must not say where bytes go.
"""

from __future__ import annotations

import os

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.artifacts.binding import Bound, Owner
    from gsd_capabilities.artifacts.events import Event, Scope
    from gsd_capabilities.artifacts.folder import Folder
    from gsd_capabilities.artifacts.object_store import ObjectStore
    from gsd_capabilities.artifacts.offload import Instructions, Outcome, ToolResult
    from gsd_capabilities.companion.config import Config
    from gsd_capabilities.companion.project import Project

FOLDER = "artifacts"


class Store(NamedTuple):
    """The workspace of a project, and the folder with its session and its decisions."""

    root: str
    folder: Folder
    workspace: Folder | ObjectStore

    def bound(self) -> Bound:
        """Workspace and owner, found anew each time. Raises GsdError `bad_session`."""
        from gsd_capabilities.artifacts.binding import Bound

        return Bound(self.workspace, self.owner())

    def owner(self) -> Owner:
        """On whose behalf the workspace is used. Raises GsdError `bad_session`."""
        from gsd_capabilities.artifacts.binding import current

        return current(self.root, self.folder.root)

    def reporter(self) -> Scope:
        """Writes every decision of this process into the log of the project."""
        from gsd_capabilities.artifacts.events import Scope

        def keep(event: Event) -> None:
            self.folder.decide(event)

        return Scope(f"gsd-tools-{os.getpid()}-{os.urandom(4).hex()}", "gsd-tools", keep)


def of(project: Project, config: Config) -> Store:
    """The store of a project. Raises GsdError `no_fsspec`, `bad_store`."""
    from gsd_capabilities.artifacts.folder import Folder

    folder = Folder(os.path.join(project.shared, FOLDER))
    address = config.get("artifacts.store")
    if not isinstance(address, str):
        return Store(project.shared, folder, folder)
    from gsd_capabilities.artifacts.object_store import connect

    return Store(project.shared, folder, connect(address))


def kept(
    project: Project, environ: Mapping[str, str], content: ToolResult | Instructions, *, always: bool = False
) -> Outcome:
    """Offload one piece of content by the settings of the project; with `always`, whatever its size.

    Raises GsdError `store_failed`, and as `of` and `Offloader.offload` do.
    """
    from gsd_capabilities.artifacts.offload import Control, Offloader, Policy
    from gsd_capabilities.artifacts.reference import LENGTH
    from gsd_capabilities.companion.config import resolve

    config = resolve(project, environ)
    policy = Policy(LENGTH if always else threshold(config))
    if not project.exists:
        return Offloader(policy, None, None).offload(content, Control())
    store = of(project, config)
    scope = store.reporter()
    try:
        return Offloader(policy, store.bound, lambda: scope).offload(content, Control())
    except OSError as error:
        raise failed(error) from error


def failed(error: OSError) -> GsdError:
    """What the disk or the object store refused, as a known error."""
    return GsdError(
        f"the store of artifacts cannot be used: {error.strerror or error}",
        reason="store_failed",
        file=error.filename,
        hint=(
            "look at the folder artifacts below .planning: it must hold plain files and folders of yours;"
            " or at artifacts.store in your own settings, if you have that"
        ),
    )


def threshold(config: Config) -> int:
    """Above this many bytes a tool result is stored; the schema has checked it."""
    value = config.get("artifacts.threshold_bytes")
    if not isinstance(value, int):
        raise GsdError("artifacts.threshold_bytes is no number", reason="bad_value")
    return value
