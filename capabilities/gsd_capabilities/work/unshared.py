"""What stands below `.planning/work` for this machine alone: git does not see it.

Conversations are private, and the rest tells of processes here. The ledger is what a project shares.
"""

from __future__ import annotations

import os

from gsd_capabilities.work import events
from gsd_install.kernel.files import make_folder, write_atomic
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_capabilities.companion.project import Project

RULES = "/.gitignore\n/heartbeat.json\n/packs/\n/running.json\n/sessions/\n"


def prepare(project: Project, file: str) -> None:
    """Make the folder of such a file, with rules for git unless somebody has some of their own there.

    Raises OSError.
    """
    rules = os.path.join(os.path.dirname(events.path(project)), ".gitignore")
    make_folder(os.path.dirname(rules))
    if not os.path.lexists(rules):
        write_atomic(rules, RULES.encode())
    make_folder(os.path.dirname(file))
