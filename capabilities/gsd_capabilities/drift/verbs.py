"""The verbs that ask whether the map of the code base still matches the tree.

gsd-tools drift map       everything that differs, as JSON
gsd-tools drift check     holds, or is an error that names the first differences: for gates
"""

from __future__ import annotations

from gsd_capabilities.companion import project as projects
from gsd_capabilities.companion.request import Verb
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.companion.request import Request
    from gsd_capabilities.drift.compare import Drift

_SHOWN = 5


def _map(request: Request) -> object:
    found = _found(request)
    return {
        "holds": found.holds,
        "files": found.files,
        "named": found.named,
        "gone": [{"file": each.file, "line": each.line, "path": each.path} for each in found.gone],
        "unnamed": list(found.unnamed),
        "undated": list(found.undated),
    }


def _check(request: Request) -> object:
    found = _found(request)
    if not found.holds:
        hint = "gsd-tools drift map lists everything; map-codebase brings the map up to date"
        raise GsdError(_message(found), reason="drift", hint=hint)
    return {"holds": True, "files": found.files, "named": found.named}


def _message(found: Drift) -> str:
    said = [f"{each.file}:{each.line} names {each.path}, which is gone" for each in found.gone]
    said += [f"{path} is new and no file of the map names it" for path in found.unnamed]
    more = len(said) - _SHOWN
    return "; ".join(said[:_SHOWN]) + (f"; and {more} more" if more > 0 else "")


def _found(request: Request) -> Drift:
    from gsd_capabilities.drift.compare import drift

    return drift(projects.require(projects.find(request.cwd)))


VERBS: Mapping[str, Verb] = {
    "drift map": Verb(_map, "drift map"),
    "drift check": Verb(_check, "drift check"),
}
