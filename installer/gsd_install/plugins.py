"""Runtime plugins: declared by distributions, loaded one by one, asked through pluggy."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import pluggy

from gsd_install import hookspecs
from gsd_install.declared import Declared, declared
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.runtime.model import Cap, Converter, Rewrite, Runtime
from gsd_install.runtime.validate import faults
from gsd_install.version import VERSION


class Plugin(NamedTuple):
    """Everything the plugins for one runtime say, merged."""

    runtime: Runtime
    caps: tuple[Cap, ...]
    rewrites: tuple[Rewrite, ...]
    converters: Mapping[str, Converter]
    distributions: tuple[str, ...]


class Plugins:
    """The runtimes that can be installed here. Only those that are asked for are imported."""

    def __init__(self, found: tuple[Declared, ...] | None = None) -> None:
        self._declared = declared() if found is None else found
        self._loaded: dict[str, Plugin] = {}
        self._manager = pluggy.PluginManager("gsd")
        self._manager.add_hookspecs(hookspecs)

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
        modules = [self._register(entry) for entry in entries]
        return self._merge(runtime_id, entries, modules)

    def _register(self, entry: Declared) -> Any:
        try:
            module = importlib.import_module(entry.module)
            if not self._manager.is_registered(module):
                self._manager.register(module, name=f"{entry.name} ({entry.distribution})")
            self._manager.check_pending()
        except Exception as error:
            raise _broken(entry, f"{type(error).__name__}: {error}") from error
        return module

    def _merge(self, runtime_id: str, entries: list[Declared], modules: list[Any]) -> Plugin:
        owner = next(entry for entry in entries if entry.name == runtime_id)
        try:
            [runtime] = self._ask("gsd_runtime", modules)
            caps = tuple(cap for answer in self._ask("gsd_caps", modules) for cap in answer)
            rewrites = tuple(rule for answer in self._ask("gsd_path_rewrites", modules) for rule in answer)
            converters = {
                name: make for answer in self._ask("gsd_converters", modules) for name, make in answer.items()
            }
        except Exception as error:
            raise _broken(owner, f"{type(error).__name__}: {error}") from error
        wrong = faults(runtime_id, runtime, caps, converters)
        if wrong:
            raise _broken(owner, "; ".join(wrong))
        _require_version(owner, runtime)
        return Plugin(runtime, strictest(caps), rewrites, converters, self.distributions(runtime_id))

    def _ask(self, hook: str, modules: list[Any]) -> list[Any]:
        others = [plugin for plugin in self._manager.get_plugins() if plugin not in modules]
        answers: list[Any] = self._manager.subset_hook_caller(hook, others)()
        return answers[::-1]


def strictest(caps: tuple[Cap, ...]) -> tuple[Cap, ...]:
    """One cap for each thing that is limited: the lowest."""
    lowest: dict[tuple[object, ...], Cap] = {}
    for cap in caps:
        key = (cap.kind, cap.field, cap.unit, cap.scope)
        if key not in lowest or cap.limit < lowest[key].limit:
            lowest[key] = cap
    return tuple(lowest.values())


def unknown_name(what: str, name: str, known: tuple[str, ...]) -> UsageError:
    """The error for a name that does not exist, with the nearest ones that do."""
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=3)
    if near:
        hint = f"did you mean {' or '.join(repr(match) for match in near)}?"
    else:
        hint = f"known: {', '.join(known)}" if known else f"no {what} is installed"
    return UsageError(f"there is no {what} {name!r}", reason=f"unknown_{what.replace(' ', '_')}", hint=hint)


def _broken(entry: Declared, why: str) -> GsdError:
    return GsdError(
        f"the plugin for {entry.name!r} from {entry.distribution!r} cannot be used: {why}",
        reason="plugin_broken",
        hint=f"update or uninstall {entry.distribution.split()[0]!r}; `gsd-install doctor` lists every plugin",
    )


def _require_version(entry: Declared, runtime: Runtime) -> None:
    if not runtime.requires:
        return
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        matches = SpecifierSet(runtime.requires).contains(VERSION, prereleases=True)
    except InvalidSpecifier as error:
        raise _broken(entry, f"its requires field does not parse: {error}") from error
    if not matches:
        raise _broken(entry, f"it requires gsd-install {runtime.requires}, this is {VERSION}")
