"""Runtime plugins: declared by distributions, loaded one by one, asked through pluggy."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, cast

import pluggy

from gsd_install import hookspecs
from gsd_install.declared import Declared, declared
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.runtime.model import Cap, Converter, Rewrite, Runtime
from gsd_install.runtime.validate import cap_faults, converter_faults, faults, rewrite_faults
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
        return self._merge(owners[0], [(entry, self._register(entry)) for entry in entries])

    def _register(self, entry: Declared) -> Any:
        if ":" in entry.module:
            raise _broken(entry, f"its entry point {entry.module!r} must name a module and nothing in it")
        module = None
        try:
            module = importlib.import_module(entry.module)
            if not self._manager.is_registered(module):
                self._manager.register(module, name=f"{entry.name} ({entry.distribution})")
            self._check_hooks(module)
        except (Exception, SystemExit) as error:
            if module is not None and self._manager.is_registered(module):
                self._manager.unregister(module)
            raise _broken(entry, _said(error)) from error
        return module

    def _check_hooks(self, module: Any) -> None:
        """Refuse a hook that nobody would call: misspelt, or without its marker."""
        known = [name for name in vars(hookspecs) if name.startswith("gsd_")]
        found = [caller.name for caller in self._manager.get_hookcallers(module) or ()]
        for name in found:
            if name not in known:
                raise GsdError(f"there is no hook {name!r}{_near(name, known)}")
        for name in known:
            if name not in found and callable(getattr(module, name, None)):
                raise GsdError(f"{name} is not marked with @hookimpl")

    def _merge(self, owner: Declared, loaded: list[tuple[Declared, Any]]) -> Plugin:
        runtime = self._runtime(owner, loaded)
        converters: dict[str, Converter] = {}
        for answer in self._answers("gsd_converters", loaded, converter_faults):
            clash = sorted(converters.keys() & answer)
            if clash:
                raise _broken(owner, f"two plugins of it bring a converter called {clash[0]!r}")
            converters |= answer
        wrong = faults(owner.name, runtime, converters)
        if wrong:
            raise _broken(owner, "; ".join(wrong))
        return Plugin(
            runtime,
            strictest(tuple(cap for caps in self._answers("gsd_caps", loaded, cap_faults) for cap in caps)),
            tuple(
                rule for rules in self._answers("gsd_path_rewrites", loaded, rewrite_faults) for rule in rules
            ),
            converters,
            self.distributions(owner.name),
        )

    def _runtime(self, owner: Declared, loaded: list[tuple[Declared, Any]]) -> Runtime:
        """The one runtime that is described; its version is looked at before the rest of the contract."""
        answers = [(entry, self._answer("gsd_runtime", entry, module)) for entry, module in loaded]
        given = [(entry, answer) for entry, answer in answers if answer is not None]
        for entry, _ in given:
            if entry is not owner:
                raise _broken(entry, f"it adds to {owner.name!r} and cannot describe a runtime of its own")
        if not given:
            raise _broken(owner, "it has no gsd_runtime")
        runtime = given[0][1]
        if isinstance(runtime, Runtime) and isinstance(runtime.requires, str):
            _require_version(owner, runtime)
        return cast("Runtime", runtime)

    def _answers(
        self, hook: str, loaded: list[tuple[Declared, Any]], check: Callable[[object], list[str]]
    ) -> Iterator[Any]:
        """What each module answers to a hook, in the order of their names."""
        for entry, module in loaded:
            answer = self._answer(hook, entry, module)
            wrong = [] if answer is None else check(answer)
            if wrong:
                raise _broken(entry, "; ".join(wrong))
            if answer is not None:
                yield answer

    def _answer(self, hook: str, entry: Declared, module: Any) -> Any:
        others = [plugin for plugin in self._manager.get_plugins() if plugin is not module]
        try:
            answers = self._manager.subset_hook_caller(hook, others)()
        except (Exception, SystemExit) as error:
            raise _broken(entry, f"{hook} failed: {_said(error)}") from error
        return answers[0] if answers else None


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


def _near(name: str, known: list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    return f", did you mean {near[0]!r}?" if near else ""


def _said(error: BaseException) -> str:
    return error.message if isinstance(error, GsdError) else f"{type(error).__name__}: {error}"


def _broken(entry: Declared, why: str) -> GsdError:
    return GsdError(
        f"the plugin for {entry.name!r} from {entry.distribution!r} cannot be used: {why}",
        reason="plugin_broken",
        hint=f"update or uninstall {entry.distribution.split()[0]!r}; gsd-install doctor lists every plugin",
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
