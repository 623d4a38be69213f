"""One runtime in one scope on one machine: where its files go and how their paths are written in text."""

from __future__ import annotations

from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple
from gsd_install.runtime.model import Home, Place, Runtime
from gsd_install.runtime.platform import Platform

if TYPE_CHECKING:
    from gsd_install.runtime.words import Scope


class Target(NamedTuple):
    """All paths are absolute. `own` is the runtime's directory, `base` the home or the project.

    `payload` holds the shared texts. `configured` is the `--config-dir` that replaced the runtime's
    usual directory, or None.
    """

    runtime: Runtime
    scope: Scope
    platform: Platform
    base: str
    own: str
    payload: str
    configured: str | None = None

    def resolve(self, path: str) -> str:
        """The absolute path of a `Place` path: relative to `own`, `~/` to the home, `./` to the project."""
        if path.startswith(("~/", "./")):
            return self.below(self.base, path[2:])
        return self.below(self.own, path)

    def below(self, folder: str, path: str) -> str:
        """The absolute path of a POSIX path below a directory; plugins and content hold no `..` in theirs."""
        separator = "\\" if self.platform.os == "windows" else "/"
        joined = folder if folder.endswith(separator) else folder + separator
        return joined + (path.replace("/", separator) if separator != "/" else path)

    def root_of(self, path: str) -> str:
        """The directory that an absolute path of this target must stay inside."""
        for root in (self.base, self.payload, self.own):
            if _inside(path, root, self.platform):
                return root
        return self.own

    def spell(self, path: str) -> str:
        """An absolute path as an agent reads it.

        `~/...` in global scope, relative to the project in project scope, absolute only outside both.
        Forward slashes everywhere: every host takes them, on Windows too.
        """
        text = path
        if _inside(path, self.base, self.platform):
            rest = path[len(self.base.rstrip("/\\")) + 1 :]
            text = (f"~/{rest}" if rest else "~") if self.scope == "global" else rest or "."
        return text.replace("\\", "/") if self.platform.os == "windows" else text

    def launcher(self, name: str) -> str:
        """A launcher of the companion as an agent types it."""
        return self.spell(self.below(self.payload, f"bin/{name}"))

    def places(self, kind: str) -> tuple[Place, ...]:
        """The places of a kind in this scope."""
        return tuple(p for p in self.runtime.places if p.kind == kind and p.scope in (None, self.scope))

    def cross_read(self, name: str) -> tuple[str, ...]:
        """Where other hosts' copies of a skill stand that this host lists too."""
        start = "~/" if self.scope == "global" else "./"
        patterns = [path for path in self.runtime.cross_reads if path.startswith(start)]
        return tuple(self.resolve(path.replace("{name}", name)) for path in patterns)


def target(
    runtime: Runtime,
    scope: Scope,
    platform: Platform,
    *,
    base: str,
    payload: str,
    config_dir: str | None = None,
) -> Target:
    """The target of a runtime; `config_dir` replaces its own directory."""
    if config_dir is not None:
        own = platform.expand(config_dir)
    elif scope == "project":
        own = str(platform.path.normpath(platform.path.join(base, runtime.project)))
    else:
        own = home_of(runtime.home, platform)
    return Target(runtime, scope, platform, base, own, payload, config_dir)


def home_of(home: Home, platform: Platform) -> str:
    """A runtime's user-wide directory on this machine, by the order that `Home` documents."""
    for variable in home.env:
        value = platform.variable(variable)
        if value:
            return platform.expand(value)
    for variable, folder in home.parents:
        value = platform.variable(variable)
        # The XDG base directory specification: a relative path here is invalid and to be ignored.
        if value and (value.startswith("~") or platform.path.isabs(value)):
            return str(platform.path.normpath(platform.path.join(platform.expand(value), folder)))
    default = {"windows": home.windows, "macos": home.macos}.get(platform.os) or home.path
    return platform.expand(default)


def _inside(path: str, root: str, platform: Platform) -> bool:
    if platform.os == "windows":
        path, root = path.lower().replace("/", "\\"), root.lower().replace("/", "\\")
        return path == root or path.startswith(root.rstrip("\\") + "\\")
    return path.startswith(root if root.endswith("/") else root + "/") or path == root
