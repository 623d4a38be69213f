"""`gsd.toml`: what a project wants installed, committed with it."""

from __future__ import annotations

import re

from gsd_install.cli.args import PROFILES
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import NamedTuple
from gsd_install.version import VERSION

_KEYS = ("runtimes", "profile", "with", "content", "version")


class ProjectFile(NamedTuple):
    """`content` are folders relative to the project; `version` is a specifier for gsd-install."""

    runtimes: tuple[str, ...]
    profile: str | None
    surfaces: list[str] | None
    content: tuple[str, ...]


def read(file: str) -> ProjectFile:
    """Read and check a `gsd.toml`. Raises GsdError with the file, and the line where TOML knows it."""
    import tomllib

    try:
        with open(file, "rb") as handle:
            table = tomllib.load(handle)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        line = re.search(r"line (\d+)", str(error))
        raise GsdError(
            f"not TOML: {error}", reason="bad_toml", file=file, line=int(line[1]) if line else None
        ) from error
    unknown = sorted(set(table) - set(_KEYS))
    if unknown:
        raise GsdError(
            f"unknown key {unknown[0]!r}", reason="unknown_key", file=file, hint=f"known: {', '.join(_KEYS)}"
        )
    lists = {key: table.get(key, []) for key in ("runtimes", "with", "content")}
    for key, value in lists.items():
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise GsdError(f"{key} must be a list of names", reason="bad_value", file=file)
    if not lists["runtimes"]:
        raise GsdError("runtimes is missing", reason="bad_value", file=file, hint='add runtimes = ["claude"]')
    profile = table.get("profile")
    if profile is not None and profile not in PROFILES:
        raise GsdError(
            f"there is no install profile {profile!r}",
            reason="bad_value",
            file=file,
            hint=f"one of: {', '.join(PROFILES)}",
        )
    _require_version(str(table.get("version", "")), file)
    surfaces = lists["with"] if "with" in table else None
    return ProjectFile(tuple(lists["runtimes"]), profile, surfaces, tuple(lists["content"]))


def _require_version(specifier: str, file: str) -> None:
    if not specifier:
        return
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        matches = SpecifierSet(specifier).contains(VERSION, prereleases=True)
    except InvalidSpecifier as error:
        raise GsdError(f"version does not parse: {error}", reason="bad_value", file=file) from error
    if not matches:
        raise GsdError(
            f"this project wants gsd-install {specifier}, this is {VERSION}",
            reason="wrong_version",
            file=file,
            hint=f'run `pipx run --spec "gsd-install{specifier}" gsd-install`',
        )
