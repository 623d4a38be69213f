from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install import hookspecs
from gsd_install.declared import Declared, declared
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.packing import pack_plugins
from gsd_install.plugins import PACKED, Plugin, Plugins, strictest
from gsd_install.runtime import Cap, Form, Home, Place, Rewrite, Runtime, hookimpl, inline
from gsd_install.version import VERSION

SHIPPED = Path(str(find_spec("gsd_runtimes").submodule_search_locations[0]))  # type: ignore[union-attr, index]
PLACE = Place("command", "commands/{name}.md", (inline,))
RUNTIME = Runtime("acme", "Acme", Home("~/.acme"), ".acme", (PLACE,))

Modules = Callable[..., Plugins]


@pytest.fixture
def plugins(monkeypatch: pytest.MonkeyPatch) -> Modules:
    """Plugins made of hooks: `plugins(acme={"gsd_runtime": f}, ...)`; `__` in a name is a dot."""

    def make(**modules: dict[str, object]) -> Plugins:
        found = []
        for number, (name, content) in enumerate(modules.items()):
            module = ModuleType(f"made_{number}")
            vars(module).update(content)
            monkeypatch.setitem(sys.modules, module.__name__, module)
            entry_name = name.replace("__", ".")
            found.append(Declared(entry_name, module.__name__, f"dist-{entry_name} 1.0"))
        return Plugins(tuple(sorted(found)))

    return make


def hook(name: str, answer: Callable[[], object] | object) -> dict[str, object]:
    """A module's hook that answers with a value, or with what a function gives."""

    def implementation() -> object:
        return answer() if callable(answer) else answer

    implementation.__name__ = name
    return {name: hookimpl(implementation)}


def runtime(**changes: Any) -> dict[str, object]:
    return hook("gsd_runtime", RUNTIME._replace(**changes))


def refused(plugins: Plugins, name: str = "acme") -> GsdError:
    with pytest.raises(GsdError) as caught:
        plugins.get(name)
    return caught.value


def test_a_plugin_is_what_its_hooks_answer(plugins: Modules) -> None:
    def shout(_: object) -> str:
        return ""

    cap, rule = Cap("command", 10), Rewrite("a", "b")
    made = plugins(
        acme={
            **runtime(places=(PLACE._replace(forms=(Form("loud"),)),)),
            **hook("gsd_caps", (cap,)),
            **hook("gsd_path_rewrites", (rule,)),
            **hook("gsd_converters", {"loud": shout}),
        }
    )
    found = made.get("acme")
    assert found.runtime.places[0].forms == (Form("loud"),)
    assert found[1:] == ((cap,), (rule,), {"loud": shout}, ("dist-acme 1.0",), "")
    assert made.get("acme") is found


def test_only_gsd_runtime_is_needed(plugins: Modules) -> None:
    assert plugins(acme=runtime()).get("acme") == Plugin(RUNTIME, (), (), {}, ("dist-acme 1.0",))


def test_an_answer_of_none_is_no_answer(plugins: Modules) -> None:
    nothing = {**hook("gsd_caps", None), **hook("gsd_converters", None), **hook("gsd_path_rewrites", None)}
    assert plugins(acme={**runtime(), **nothing}).get("acme").caps == ()


def test_ids_are_sorted_and_hold_no_overlay(plugins: Modules) -> None:
    made = plugins(zeta={}, alpha={}, alpha__x={}, lost__x={})
    assert made.ids() == ("alpha", "zeta")
    assert made.distributions("alpha") == ("dist-alpha 1.0", "dist-alpha.x 1.0")


def test_a_name_nobody_declares_is_a_usage_error_with_the_nearest(plugins: Modules) -> None:
    made = plugins(claude={}, codex={})
    error = refused(made, "claud")
    assert isinstance(error, UsageError)
    assert (error.reason, error.exit_code) == ("unknown_runtime", 2)
    assert error.hint == "did you mean 'claude'?"
    assert refused(made, "zzz").hint == "known: claude, codex"
    assert refused(Plugins(()), "zzz").hint == "no runtime is installed"
    assert refused(plugins(lost__x={}), "lost").reason == "unknown_runtime"


def test_two_distributions_that_declare_one_runtime_clash_and_neither_wins(plugins: Modules) -> None:
    plugins(a=runtime(), b=runtime())
    both = Plugins((Declared("acme", "made_0", "one 1.0"), Declared("acme", "made_1", "two 2.0")))
    error = refused(both)
    assert error.reason == "plugin_clash"
    assert "'one 1.0' and 'two 2.0'" in error.message
    assert error.hint == "uninstall one of them"


def test_a_clash_takes_no_other_runtime_down(plugins: Modules) -> None:
    plugins(a=runtime(), b=runtime(id="beta"))
    found = [("acme", "made_0", "one 1"), ("acme", "made_0", "two 2"), ("beta", "made_1", "three 3")]
    both = Plugins(tuple(Declared(*row) for row in found))
    assert refused(both).reason == "plugin_clash"
    assert both.get("beta").runtime.id == "beta"


def raising(error: BaseException) -> Callable[[], object]:
    def answer() -> object:
        raise error

    return answer


@pytest.mark.case("PL-01", "PL-03")
@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("raise ImportError('no native lib')", "ImportError: no native lib"),
        ("import something_that_is_nowhere", "something_that_is_nowhere"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("1 / 0", "ZeroDivisionError"),
        ("def", "SyntaxError"),
        ("from gsd_install.runtime import NoSuchName", "NoSuchName"),
    ],
)
def test_a_plugin_that_does_not_import_is_named_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, why: str
) -> None:
    (tmp_path / "bad_rt.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    made = Plugins((Declared("bad", "bad_rt", "bad-rt 1.0"), *declared()))
    for _ in range(2):
        error = refused(made, "bad")
        assert error.reason == "plugin_broken"
        assert "'bad'" in error.message
        assert "'bad-rt 1.0'" in error.message
        assert why in error.message
        assert "uninstall 'bad-rt'" in str(error.hint)
    assert made.get("codex").runtime.id == "codex"
    sys.modules.pop("bad_rt", None)


@pytest.mark.case("PL-03")
def test_an_entry_point_whose_module_is_gone_is_named() -> None:
    error = refused(Plugins((Declared("gone", "gone_rt", "gone-rt 1.0"),)), "gone")
    assert "'gone-rt 1.0'" in error.message
    assert "gone_rt" in error.message


def test_an_entry_point_that_names_an_object_is_told_to_name_a_module() -> None:
    error = refused(Plugins((Declared("gone", "gone_rt:plugin", "gone-rt 1.0"),)), "gone")
    assert "must name a module" in error.message


@pytest.mark.parametrize("name", ["gsd_runtime", "gsd_caps", "gsd_path_rewrites", "gsd_converters"])
@pytest.mark.parametrize("error", [ValueError("oh"), SystemExit(1)])
def test_a_hook_that_fails_is_named(plugins: Modules, name: str, error: BaseException) -> None:
    found = refused(plugins(acme={**runtime(), **hook(name, raising(error))}))
    assert found.reason == "plugin_broken"
    assert f"{name} failed: {type(error).__name__}" in found.message


def test_a_hook_that_is_interrupted_stops_the_command(plugins: Modules) -> None:
    with pytest.raises(KeyboardInterrupt):
        plugins(acme=hook("gsd_runtime", raising(KeyboardInterrupt()))).get("acme")


@pytest.mark.case("PL-07")
@pytest.mark.parametrize("requires", [">=99", "<0.0.1", "==77.1"])
def test_a_plugin_for_another_version_is_named_with_both(plugins: Modules, requires: str) -> None:
    future = {**runtime(id="future", requires=requires), **hook("gsd_caps", "a shape of tomorrow")}
    made = plugins(acme=runtime(), future=future)
    error = refused(made, "future")
    assert f"requires gsd-install {requires}, this is {VERSION}" in error.message
    assert "'dist-future 1.0'" in error.message
    assert made.get("acme").runtime == RUNTIME


@pytest.mark.case("PL-07")
@pytest.mark.parametrize("requires", ["", f"=={VERSION}", ">=0.0.1", f"~={VERSION}"])
def test_a_plugin_for_this_version_or_any_is_used(plugins: Modules, requires: str) -> None:
    assert plugins(acme=runtime(requires=requires)).get("acme").runtime.requires == requires


def test_a_requires_that_is_no_specifier_is_named(plugins: Modules) -> None:
    assert "requires" in refused(plugins(acme=runtime(requires="new"))).message


@pytest.mark.case("PL-09")
def test_a_misspelt_hook_is_named_with_the_nearest_known(plugins: Modules) -> None:
    """Refused and not only warned about: the limits it meant to declare would not be kept."""
    made = plugins(acme={**runtime(), **hook("gsd_cap", ())}, beta=runtime(id="beta"))
    for _ in range(2):
        assert "there is no hook 'gsd_cap', did you mean 'gsd_caps'?" in refused(made).message
    assert made.get("beta").runtime.id == "beta"


@pytest.mark.case("PL-09")
def test_names_that_only_look_like_hooks_are_left_alone(plugins: Modules) -> None:
    names = {"gsd_version": 1, "gsd_helpers": ModuleType("gsd_helpers"), "gsd_path_rewrites": "a constant"}
    assert plugins(acme={**runtime(), **names}).get("acme").rewrites == ()


@pytest.mark.parametrize("name", ["gsd_runtime", "gsd_caps", "gsd_converters"])
def test_a_hook_without_its_marker_is_named_since_nobody_would_call_it(plugins: Modules, name: str) -> None:
    assert (
        f"{name} is not marked with @hookimpl"
        in refused(plugins(acme={**runtime(), name: lambda: ()})).message
    )


def test_a_hook_with_a_parameter_that_does_not_exist_is_named(plugins: Modules) -> None:
    @hookimpl
    def gsd_caps(version: str) -> tuple[Cap, ...]:
        return (Cap("command", len(version)),)

    made = plugins(acme={**runtime(), "gsd_caps": gsd_caps}, beta=runtime(id="beta"))
    for _ in range(2):
        assert "version" in refused(made).message
    assert made.get("beta").caps == ()


@pytest.mark.case("PL-08")
@pytest.mark.parametrize("answer", ["x", 0, 5, (), [], {}, {"id": "acme"}, RUNTIME.home, Runtime, object()])
def test_what_is_no_runtime_is_named_by_its_type(plugins: Modules, answer: object) -> None:
    error = refused(plugins(acme=hook("gsd_runtime", lambda: answer)))
    assert error.reason == "plugin_broken"
    assert f"gsd_runtime returned {type(answer).__name__}, not Runtime" in error.message


def test_a_plugin_that_describes_nothing_is_named(plugins: Modules) -> None:
    assert "it has no gsd_runtime" in refused(plugins(acme={})).message
    assert "it has no gsd_runtime" in refused(plugins(acme=hook("gsd_runtime", None))).message


@pytest.mark.case("PL-08")
@pytest.mark.parametrize(
    ("name", "answer", "why"),
    [
        ("gsd_caps", 5, "gsd_caps returned int, not a tuple of Cap"),
        ("gsd_caps", Cap("command", 5), "gsd_caps returned Cap, not a tuple of Cap"),
        ("gsd_caps", (5,), "gsd_caps returned int where Cap belongs"),
        ("gsd_caps", (Cap("command", 0),), "has the limit 0"),
        ("gsd_caps", (Cap("command", True),), "cap.limit is bool"),
        ("gsd_caps", (Cap("commands", 5),), "cap.kind cannot be 'commands'"),  # type: ignore[arg-type]
        ("gsd_caps", (Cap("command", 5, unit="kb"),), "cap.unit cannot be 'kb'"),  # type: ignore[arg-type]
        ("gsd_caps", (Cap("command", 5, on_excess="cut"),), "cap.on_excess cannot be 'cut'"),  # type: ignore[arg-type]
        ("gsd_path_rewrites", (("a", "b"),), "gsd_path_rewrites returned tuple where Rewrite belongs"),
        ("gsd_path_rewrites", {"a": "b"}, "gsd_path_rewrites returned dict"),
        ("gsd_converters", ("loud",), "gsd_converters returned tuple, not a mapping"),
        ("gsd_converters", {"loud": "x"}, "gsd_converters: 'loud' is no function"),
    ],
)
def test_an_answer_of_the_wrong_shape_is_named_with_its_hook(
    plugins: Modules, name: str, answer: object, why: str
) -> None:
    assert why in refused(plugins(acme={**runtime(), **hook(name, lambda: answer)})).message


def test_an_overlay_lowers_a_cap_and_the_strictest_wins(plugins: Modules) -> None:
    made = plugins(
        acme={**runtime(), **hook("gsd_caps", (Cap("command", 900), Cap("agent", 5)))},
        acme__lower=hook("gsd_caps", (Cap("command", 700), Cap("agent", 9))),
        acme__more=hook("gsd_caps", (Cap("command", 800), Cap("skill", 7, field="name"))),
    )
    found = made.get("acme")
    assert set(found.caps) == {Cap("command", 700), Cap("agent", 5), Cap("skill", 7, field="name")}
    assert found.distributions == ("dist-acme 1.0", "dist-acme.lower 1.0", "dist-acme.more 1.0")


def test_an_overlay_adds_rewrites_and_converters_after_those_of_the_runtime(plugins: Modules) -> None:
    made = plugins(
        acme={
            **runtime(places=(PLACE._replace(forms=(Form("new"),)),)),
            **hook("gsd_path_rewrites", (Rewrite("a", "b"),)),
        },
        acme__x={**hook("gsd_path_rewrites", (Rewrite("c", "d"),)), **hook("gsd_converters", {"new": str})},
    )
    assert made.get("acme").rewrites == (Rewrite("a", "b"), Rewrite("c", "d"))
    assert set(made.get("acme").converters) == {"new"}


def test_an_overlay_that_is_broken_is_the_one_that_is_named(plugins: Modules) -> None:
    for content, why in (
        (runtime(), "cannot describe a runtime of its own"),
        (hook("gsd_caps", (5,)), "gsd_caps returned int"),
        (hook("gsd_caps", raising(ValueError("oh"))), "ValueError: oh"),
        (hook("gsd_cups", ()), "there is no hook 'gsd_cups'"),
    ):
        error = refused(plugins(acme=runtime(), acme__x=content))
        assert "'dist-acme.x 1.0'" in error.message
        assert why in error.message


def test_two_converters_of_one_name_clash(plugins: Modules) -> None:
    made = plugins(
        acme={**runtime(), **hook("gsd_converters", {"a": str})}, acme__x=hook("gsd_converters", {"a": repr})
    )
    assert "two plugins of it bring a converter called 'a'" in refused(made).message


def test_an_overlay_of_one_runtime_says_nothing_about_another(plugins: Modules) -> None:
    made = plugins(
        acme=runtime(),
        acme__x=hook("gsd_caps", (Cap("command", 1),)),
        acme2={**runtime(id="acme2"), **hook("gsd_caps", (Cap("command", 2),))},
    )
    assert made.get("acme2").caps == (Cap("command", 2),)
    assert made.get("acme").caps == (Cap("command", 1),)


@pytest.mark.case("PL-05")
def test_each_hook_is_called_once_for_ours_and_for_strangers_alike(plugins: Modules) -> None:
    calls: list[str] = []

    def noted(name: str, answer: object) -> dict[str, object]:
        def note() -> object:
            calls.append(name)
            return answer

        return hook(name, note)

    answers: dict[str, object] = {
        "gsd_runtime": RUNTIME,
        "gsd_caps": (),
        "gsd_path_rewrites": (),
        "gsd_converters": {},
    }
    content: dict[str, object] = {}
    for name, answer in answers.items():
        content |= noted(name, answer)
    made = plugins(acme=content, acme__same=content)
    Plugins((Declared("acme", "made_0", "d 1"),)).get("acme")
    assert sorted(calls) == sorted(name for name in vars(hookspecs) if name.startswith("gsd_"))
    calls.clear()
    with pytest.raises(GsdError):
        made.get("acme")
    assert calls == ["gsd_runtime", "gsd_runtime"]


def test_a_module_that_two_names_point_at_is_asked_for_each(plugins: Modules) -> None:
    plugins(acme=runtime())
    made = Plugins((Declared("acme", "made_0", "d 1"), Declared("beta", "made_0", "d 1")))
    assert made.get("acme").runtime.id == "acme"
    assert "declared as 'beta' but its runtime has the id 'acme'" in refused(made, "beta").message


def test_only_the_plugin_that_is_asked_for_is_imported() -> None:
    code = (
        "import sys; from gsd_install.plugins import Plugins; plugins = Plugins(); ids = plugins.ids();"
        "before = {m for m in sys.modules if m.startswith('gsd_runtimes')};"
        "plugins.get('codex'); after = sorted(m for m in sys.modules if m.startswith('gsd_runtimes'));"
        "print(len(ids), *before, '|', *after)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    count, _, after = done.stdout.partition(" ")
    assert int(count) >= 4
    imported = after.split()
    assert imported[0] == "|"
    # None at all where its answers are packed.
    assert set(imported[1:]) <= {"gsd_runtimes", "gsd_runtimes.codex"}


def test_loading_a_plugin_needs_no_heavy_module() -> None:
    code = "import sys; from gsd_install.plugins import Plugins; Plugins().get('codex'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {
        "packaging",
        "importlib_metadata",
        "dataclasses",
        "difflib",
        "tomllib",
        "yaml",
        "rich",
        "platformdirs",
    }
    assert heavy.isdisjoint(done.stdout.split())


@pytest.mark.parametrize("runtime_id", [entry.name for entry in declared()])
def test_every_runtime_of_this_environment_keeps_the_contract(runtime_id: str) -> None:
    assert Plugins().get(runtime_id).runtime.id == runtime_id.partition(".")[0]


@pytest.fixture
def packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The shipped plugin modules in a package of their own, with their pack, as in a wheel."""
    folder = tmp_path / "packed_runtimes"
    shutil.copytree(SHIPPED, folder, ignore=shutil.ignore_patterns("__pycache__", PACKED))
    monkeypatch.syspath_prepend(tmp_path)
    entry_points = {entry.name: entry.module for entry in _copies(folder)}
    (folder / PACKED).write_bytes(pack_plugins(entry_points, str(folder)))
    _forget()
    yield folder
    _forget()


def _copies(folder: Path) -> tuple[Declared, ...]:
    names = sorted(path.stem for path in folder.glob("*.py") if path.stem != "__init__")
    return tuple(
        Declared(name.rstrip("_").replace("_", "-"), f"packed_runtimes.{name}", "copies 1.0")
        for name in names
    )


def _forget() -> None:
    for name in [name for name in sys.modules if name.startswith("packed_runtimes")]:
        del sys.modules[name]


def _ordered(value: object) -> object:
    """A value in which the order of mappings counts, and whether something is a list or a tuple."""
    if isinstance(value, Mapping):
        return [(key, _ordered(item)) for key, item in value.items()]
    if isinstance(value, (tuple, list)):
        return type(value).__name__, [_ordered(item) for item in value]
    return type(value).__name__, value


def test_packed_plugins_are_the_ones_that_answer_and_are_not_imported(packed: Path) -> None:
    found = _copies(packed)
    assert len(found) >= 4
    plugins = Plugins(found)
    answers = {entry.name: plugins.get(entry.name) for entry in found}
    assert not [name for name in sys.modules if name.startswith("packed_runtimes.")]
    (packed / PACKED).unlink()
    asked = Plugins(found)
    for name, plugin in answers.items():
        if not plugin.converters:
            assert plugin.digest
            assert _ordered(plugin._replace(digest="")) == _ordered(asked.get(name))


def test_a_plugin_that_changed_since_it_was_packed_is_asked(packed: Path) -> None:
    module = packed / "codex.py"
    module.write_text(
        module.read_text(encoding="utf-8").replace('title="Codex"', 'title="Changed"'), encoding="utf-8"
    )
    assert Plugins(_copies(packed)).get("codex").runtime.title == "Changed"


def test_a_plugin_that_changed_and_kept_its_size_is_asked(packed: Path) -> None:
    module = packed / "codex.py"
    text = module.read_text(encoding="utf-8")
    module.write_text(text.replace('title="Codex"', 'title="Cedox"'), encoding="utf-8")
    assert Plugins(_copies(packed)).get("codex").runtime.title == "Cedox"


def test_a_plugin_that_is_younger_than_its_pack_is_still_the_packed_one(packed: Path) -> None:
    module = packed / "codex.py"
    module.write_bytes(module.read_bytes())
    assert Plugins(_copies(packed)).get("codex").digest


def test_a_packed_plugin_with_an_overlay_is_asked_together_with_it(packed: Path, plugins: Modules) -> None:
    plugins(windsurf__x=hook("gsd_caps", (Cap("command", 900),)))
    made = Plugins((*_copies(packed), Declared("windsurf.x", "made_0", "overlay 1.0")))
    assert Cap("command", 900) in made.get("windsurf").caps
    assert made.get("windsurf").distributions == ("copies 1.0", "overlay 1.0")


@pytest.mark.case("PL-07")
def test_a_packed_plugin_that_requires_a_version_is_asked_whether_it_is_this_one(packed: Path) -> None:
    module = packed / "codex.py"
    source = module.read_text(encoding="utf-8").replace('title="Codex"', 'title="Codex", requires=">=0"')
    module.write_text(source, encoding="utf-8")
    (packed / PACKED).write_bytes(pack_plugins({"codex": "packed_runtimes.codex"}, str(packed)))
    text = (packed / PACKED).read_text(encoding="utf-8")
    assert '">=0"' in text
    (packed / PACKED).write_text(text.replace('">=0"', '">=99"'), encoding="utf-8")
    _forget()
    assert Plugins(_copies(packed)).get("codex").runtime.requires == ">=0"


def test_a_pack_that_is_damaged_is_named(packed: Path) -> None:
    (packed / PACKED).write_text("{")
    error = refused(Plugins(_copies(packed)), "codex")
    assert (error.reason, error.file) == ("plugin_broken", str(packed / PACKED))
    assert "reinstall" in str(error.hint)


def test_a_plugin_with_converters_of_its_own_is_not_packed(tmp_path: Path, plugins: Modules) -> None:
    plugins(acme={**runtime(), **hook("gsd_converters", {"loud": str})})
    assert json.loads(pack_plugins({"acme": "made_0"}, str(tmp_path)))["modules"] == {}


def test_a_plugin_that_breaks_the_contract_cannot_be_packed(tmp_path: Path, plugins: Modules) -> None:
    plugins(acme=runtime(places=()))
    with pytest.raises(GsdError, match="no places"):
        pack_plugins({"acme": "made_0"}, str(tmp_path))


CAPS = st.lists(
    st.builds(
        Cap,
        st.sampled_from(["command", "agent"]),
        st.integers(1, 4),
        on_excess=st.sampled_from(["refuse", "shrink", "warn"]),
        unit=st.sampled_from(["bytes", "lines"]),
        scope=st.sampled_from([None, "global", "project"]),
        field=st.sampled_from([None, "name"]),
    ),
    max_size=6,
)
SEVERITY = ("warn", "shrink", "refuse")


def _treatment(caps: tuple[Cap, ...], probe: Cap, size: int) -> int:
    """How severely a text of `size` is treated where `probe` would apply; 0 when it may pass."""
    same = [cap for cap in caps if (cap.kind, cap.unit, cap.field) == (probe.kind, probe.unit, probe.field)]
    over = [cap for cap in same if cap.scope in (None, probe.scope) and size > cap.limit]
    return max((1 + SEVERITY.index(cap.on_excess) for cap in over), default=0)


@given(CAPS)
@settings(max_examples=300)
def test_the_strictest_caps_treat_every_text_as_all_of_them_would(caps: list[Cap]) -> None:
    kept = strictest(tuple(caps))
    for probe in caps:
        for scope in ("global", "project"):
            for size in range(1, 7):
                placed = probe._replace(scope=scope)
                assert _treatment(kept, placed, size) == _treatment(tuple(caps), placed, size)
    assert strictest(kept) == kept
    assert set(kept) <= set(caps)
