"""A home or a project on disk, and short ways to install into it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from gsd_install.apply.drift import check
from gsd_install.apply.ledger import Ledger, load
from gsd_install.apply.location import global_location, project_location
from gsd_install.apply.model import Desired, Edit, File, Finding, Location, Options
from gsd_install.apply.plan import Plan, plan
from gsd_install.apply.transaction import Outcome, execute
from gsd_install.runtime.platform import Platform
from gsd_install.testing.trees import Tree, snapshot

UNIT = "claude:gsd"
NOTHING = Options()


class Box:
    """`base` holds everything, `root` is what is installed into; machine facts lie in `home`."""

    def __init__(self, base: Path, scope: Literal["global", "project"] = "global", name: str = "box") -> None:
        self.base = base
        self.home = base / f"{name}-home"
        self.home.mkdir(exist_ok=True)
        self.root = self.home
        platform = Platform("linux", str(self.home), {}, str(self.home))
        if scope == "project":
            self.root = base / name
            self.root.mkdir(exist_ok=True)
            self.location: Location = project_location(platform, str(self.root))
        else:
            self.location = global_location(platform)

    def path(self, name: str) -> str:
        return str(self.root / name)

    def file(self, name: str, text: str | bytes = "ours\n", *owners: str, x: bool = False) -> File:
        data = text.encode() if isinstance(text, str) else text
        return File(self.path(name), data, x, str(self.root), owners or (UNIT,))

    def edit(
        self, name: str, pointer: str, value: Any, *owners: str, form: Literal["jsonc", "block"] = "jsonc"
    ) -> Edit:
        return Edit(
            self.path(name), form, tuple(pointer.split("/")), value, str(self.root), owners or (UNIT,)
        )

    def desired(self, *items: File | Edit, units: Iterable[str] = (), removed: Iterable[str] = ()) -> Desired:
        named = {owner for item in items for owner in item.owners} | set(units)
        files = tuple(item for item in items if isinstance(item, File))
        edits = tuple(item for item in items if isinstance(item, Edit))
        return Desired({unit: {"v": 1} for unit in sorted(named)}, frozenset(removed), files, edits)

    def plan(self, *items: File | Edit, options: Options = NOTHING, units: Iterable[str] = ()) -> Plan:
        return plan(self.location, self.desired(*items, units=units or (UNIT,)), options)

    def install(
        self, *items: File | Edit, options: Options = NOTHING, units: Iterable[str] = ()
    ) -> tuple[Plan, Outcome]:
        named = {owner for item in items for owner in item.owners} | set(units)
        return self.run(self.desired(*items, units=named or (UNIT,)), options)

    def uninstall(self, *units: str) -> tuple[Plan, Outcome]:
        removed = units or tuple(self.ledger().units)
        return self.run(self.desired(removed=removed))

    def run(self, desired: Desired, options: Options = NOTHING) -> tuple[Plan, Outcome]:
        return execute(self.location, lambda: plan(self.location, desired, options), wait=0)

    def check(self, *items: File | Edit) -> tuple[Finding, ...]:
        return check(self.location, self.desired(*items) if items else None)

    def ledger(self) -> Ledger:
        return load(self.location)

    def tree(self) -> Tree:
        """Everything below `base`, machine facts included."""
        return snapshot(self.base)

    def read(self, name: str) -> str:
        return (self.root / name).read_bytes().decode()

    def write(self, name: str, text: str | bytes, mode: int | None = None) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        if mode is not None:
            path.chmod(mode)
        return path

    def there(self, name: str) -> bool:
        return os.path.lexists(self.root / name)


def actions(result: Plan | tuple[Plan, Outcome]) -> dict[str, str]:
    """Action by path relative to the root, of every operation that is not `unchanged`."""
    found = result if isinstance(result, Plan) else result[0]
    root = found.location.root + os.sep
    return {
        item.path.removeprefix(root): item.action for item in found.operations if item.action != "unchanged"
    }


def drift(findings: Iterable[Finding], box: Box) -> dict[str, str]:
    """Drift by path relative to the root."""
    return {finding.path.removeprefix(f"{box.root}{os.sep}"): finding.drift for finding in findings}
