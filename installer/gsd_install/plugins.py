"""Runtime plugins: declared by distributions, loaded one by one, asked through pluggy."""

from __future__ import annotations

import os
from collections.abc import Mapping

from gsd_install.declared import Declared, declared
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple
from gsd_install.runtime.model import Cap, Converter, Rewrite, Runtime

if TYPE_CHECKING:
    from typing import Any

# In the package of a distribution's plugin modules: what they answered when it was built.
PACKED = "plugins.json"


class Plugin(NamedTuple):
    """Everything the plugins for one runtime say, merged.

    `digest` is that of the module file where its answers were read from a pack, else empty.
    """

    runtime: Runtime
    caps: tuple[Cap, ...]
    rewrites: tuple[Rewrite, ...]
    converters: Mapping[str, Converter]
    distributions: tuple[str, ...]
    digest: str = ""


class Plugins:
    """The runtimes that can be installed here. Only those that are asked for are loaded.

    A plugin module whose answers were packed when its distribution was built, and that is still the same
    file, is not even imported: asking it takes longer than installing what it says.
    """

    def __init__(self, found: tuple[Declared, ...] | None = None) -> None:
        self._declared = declared() if found is None else found
        self._loaded: dict[str, Plugin] = {}
        self._packs: dict[str, _Pack] = {}
        self._asking: Any = None

    def ids(self) -> tuple[str, ...]:
        """Every declared runtime id, sorted."""
        return tuple(sorted({entry.name for entry in self._declared if "." not in entry.name}))

    def distributions(self, runtime_id: str) -> tuple[str, ...]:
        """Who declares this runtime or adds to it."""
        return tuple(entry.distribution for entry in self._for(runtime_id))

    def get(self, runtime_id: str) -> Plugin:
        """The merged plugin of one runtime.

        Raises UsageError for an id nobody declares, and GsdError naming the distribution for one that
        clashes, does not import, does not keep to the contract or needs another version.
        """
        if runtime_id not in self._loaded:
            self._loaded[runtime_id] = self._load(runtime_id)
        return self._loaded[runtime_id]

    def _for(self, runtime_id: str) -> list[Declared]:
        return [entry for entry in self._declared if entry.name.partition(".")[0] == runtime_id]

    def _load(self, runtime_id: str) -> Plugin:
        entries = self._for(runtime_id)
        owners = [entry for entry in entries if entry.name == runtime_id]
        if not owners:
            raise unknown_name("runtime", runtime_id, self.ids())
        if len(owners) > 1:
            names = " and ".join(repr(entry.distribution) for entry in owners)
            raise GsdError(
                f"two installed distributions declare the runtime {runtime_id!r}: {names}",
                reason="plugin_clash",
                hint="uninstall one of them",
            )
        packed = self._packed(owners[0]) if len(entries) == 1 else None
        if packed is not None:
            digest, (runtime, caps, rewrites) = packed
            return Plugin(runtime, caps, rewrites, {}, (owners[0].distribution,), digest)
        if self._asking is None:
            from gsd_install.asking import Asking

            self._asking = Asking()
        runtime, caps, rewrites, converters = self._asking.ask(owners[0], entries)
        return Plugin(runtime, strictest(caps), rewrites, converters, self.distributions(runtime_id))

    def _packed(self, entry: Declared) -> tuple[str, tuple[Any, ...]] | None:
        """Digest, and runtime, caps and rewrites as packed for this very module file; None where not.

        Nor for a plugin that requires a version of gsd-install, which may be another one by now.
        """
        package, _, name = entry.module.rpartition(".")
        if package not in self._packs:
            self._packs[package] = _read_pack(package)
        pack = self._packs[package]
        packed = pack.modules.get(name)
        if packed is None or not pack.is_whole(name):
            return None
        found: tuple[Any, ...] = pack.answers.get(packed[2])
        return None if found[0].requires else (packed[0], found)


class _Pack:
    """The packed plugins of a package in `folder`; `modules` are digest, size and answers by name."""

    __slots__ = ("_folder", "_written", "answers", "modules")

    def __init__(self, folder: str = "", stored: Any = None, written: int = 0) -> None:
        from gsd_install.runtime.packed import Unpacker

        self._folder, self._written = folder, written
        self.modules: Mapping[str, Any] = stored["modules"] if stored else {}
        self.answers = Unpacker(stored["rows"] if stored else ())

    def is_whole(self, name: str) -> bool:
        """Whether a module is the file that was packed.

        As with a .pyc, size and time are enough: one that is older than the pack came with it.
        """
        digest, size, _ = self.modules[name]
        file = f"{self._folder}/{name}.py"
        found = os.stat(file)
        if found.st_size != size:
            return False
        if found.st_mtime_ns < self._written:
            return True
        import hashlib

        with open(file, "rb") as source:
            return bool(hashlib.sha256(source.read()).hexdigest() == digest)


def _read_pack(package: str) -> _Pack:
    """The pack of a top-level package, without importing the package."""
    import json
    from importlib.util import find_spec

    spec = find_spec(package) if package and "." not in package else None
    folders = list(spec.submodule_search_locations or ()) if spec else []
    if not folders or not os.path.exists(f"{folders[0]}/{PACKED}"):
        return _Pack()
    with open(f"{folders[0]}/{PACKED}", "rb") as file:
        written = os.fstat(file.fileno()).st_mtime_ns
        data = file.read()
    try:
        return _Pack(folders[0], json.loads(data), written)
    except (ValueError, KeyError, TypeError) as error:
        raise GsdError(
            f"the packed plugins do not parse: {error}",
            reason="plugin_broken",
            file=f"{folders[0]}/{PACKED}",
            hint="reinstall the distribution that holds them",
        ) from error


_SEVERITY = ("warn", "shrink", "refuse")


def strictest(caps: tuple[Cap, ...]) -> tuple[Cap, ...]:
    """The caps that still say something when all of them hold.

    Of two on the same thing the lower one wins, unless it is also the milder one: then both stay.
    """
    return tuple(
        cap for at, cap in enumerate(caps) if not any(_covers(caps, other, at) for other in range(len(caps)))
    )


def _covers(caps: tuple[Cap, ...], other: int, at: int) -> bool:
    """Whether the cap at `other` makes the one at `at` superfluous."""
    one, two = caps[other], caps[at]
    if other == at or (one.kind, one.field, one.unit) != (two.kind, two.field, two.unit):
        return False
    if one.scope not in (None, two.scope) or one.limit > two.limit:
        return False
    milder = _SEVERITY.index(one.on_excess) < _SEVERITY.index(two.on_excess)
    same = (one.limit, one.on_excess, one.scope) == (two.limit, two.on_excess, two.scope)
    return not milder and (not same or other < at)


def unknown_name(what: str, name: str, known: tuple[str, ...]) -> UsageError:
    """The error for a name that does not exist, with the nearest ones that do."""
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=3)
    if near:
        hint = f"did you mean {' or '.join(repr(match) for match in near)}?"
    else:
        hint = f"known: {', '.join(known)}" if known else f"no {what} is installed"
    return UsageError(f"there is no {what} {name!r}", reason=f"unknown_{what.replace(' ', '_')}", hint=hint)
