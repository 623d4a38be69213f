"""Where a scope keeps its files, its ledger and its machine facts."""

from __future__ import annotations

from gsd_install.apply.model import Location
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_install.emit.target import Target
    from gsd_install.runtime.model import Runtime
    from gsd_install.runtime.platform import Platform

NAME = "gsd-install"

# platformdirs' user_state_path("gsd-install", appauthor=False), which a test compares with this table.
# The table is here because the platform is a value (a home that is not the user's, Windows rules under
# test on Linux) and because importing platformdirs takes longer than planning an install.
_STATE = {
    "linux": ("XDG_STATE_HOME", ".local/state"),
    "macos": ("XDG_STATE_HOME", "Library/Application Support"),
    "windows": ("LOCALAPPDATA", "AppData/Local"),
}


def state_root(platform: Platform) -> str:
    """The directory for machine facts of every location of this user."""
    variable, default = _STATE[platform.os]
    path = platform.path
    base = platform.variable(variable)
    if base is None or not path.isabs(base):
        base = path.join(platform.home, *default.split("/"))
    return str(path.normpath(path.join(base, NAME)))


def global_location(platform: Platform) -> Location:
    """The user's home: payload in `GSD_HOME` or `~/.gsd`, ledger with the machine facts."""
    state = platform.path.join(state_root(platform), "global")
    return Location(
        scope="global",
        root=str(platform.path.normpath(platform.home)),
        payload=platform.expand(platform.variable("GSD_HOME") or "~/.gsd"),
        ledger=platform.path.join(state, "ledger.json"),
        state=state,
        platform=platform,
    )


def project_location(platform: Platform, project: str) -> Location:
    """One project: payload and ledger in its `.gsd`; machine facts under a digest of its real path."""
    root = platform.expand(project)
    payload = platform.path.join(root, ".gsd")
    return Location(
        scope="project",
        root=root,
        payload=payload,
        ledger=platform.path.join(payload, "ledger.json"),
        state=platform.path.join(state_root(platform), "projects", _fingerprint(platform, root)),
        platform=platform,
    )


def target_at(location: Location, runtime: Runtime, config_dir: str | None = None) -> Target:
    """The target of a runtime at a location; `config_dir` replaces the runtime's own directory."""
    from gsd_install.emit.target import target

    return target(
        runtime,
        location.scope,
        location.platform,
        base=location.root,
        payload=location.payload,
        config_dir=config_dir,
    )


def _fingerprint(platform: Platform, root: str) -> str:
    import hashlib

    real = platform.path.normcase(platform.path.realpath(root))
    return hashlib.sha256(real.encode("utf-8", "surrogatepass")).hexdigest()[:16]
