"""Ask runtime plugins through pluggy, and hold them to the contract of `hookspecs`."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from typing import cast

import pluggy

from gsd_install import hookspecs
from gsd_install.declared import Declared
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.runtime.model import Cap, Converter, Rewrite, Runtime
from gsd_install.runtime.validate import cap_faults, converter_faults, faults, rewrite_faults
from gsd_install.version import VERSION

if TYPE_CHECKING:
    from typing import Any

Answers = tuple[Runtime, tuple[Cap, ...], tuple[Rewrite, ...], Mapping[str, Converter]]


class Asking:
    """One plugin manager; plugins are registered when their runtime is asked for."""

    def __init__(self) -> None:
        self._manager = pluggy.PluginManager("gsd")
        self._manager.add_hookspecs(hookspecs)

    def ask(self, owner: Declared, entries: list[Declared]) -> Answers:
        """What the plugins of one runtime answer to every hook; `owner` is the one that describes it.

        Raises GsdError (reason `plugin_broken`) naming the distribution that breaks the contract.
        """
        return self._merge(owner, [(entry, self._register(entry)) for entry in entries])

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
            # Before 1.7 pluggy keeps what it has just refused.
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

    def _merge(self, owner: Declared, loaded: list[tuple[Declared, Any]]) -> Answers:
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
        caps = tuple(cap for caps in self._answers("gsd_caps", loaded, cap_faults) for cap in caps)
        rewrites = (
            rule for rules in self._answers("gsd_path_rewrites", loaded, rewrite_faults) for rule in rules
        )
        return runtime, caps, tuple(rewrites), converters

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
