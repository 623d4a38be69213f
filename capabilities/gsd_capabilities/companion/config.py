"""The settings that hold here: defaults, then the user's, then the project's, then those of one call.

A layer replaces a setting whole: lists and objects are not mixed. An unknown key, and a personal one in a
project's file, is named and has no effect; a value of the wrong type is an error. A file that cannot be
read is reported and never written.
"""

from __future__ import annotations

import os
import sys

from gsd_capabilities.companion import config_schema
from gsd_capabilities.companion.config_schema import SCHEMA as SCHEMA
from gsd_capabilities.companion.project import require
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gsd_capabilities.companion.config_schema import Key
    from gsd_capabilities.companion.config_text import Member
    from gsd_capabilities.companion.project import Project

FILE = "config.json"
DEFAULT, USER, PROJECT, FLAGS = "default", "user", "project", "flags"


class Config:
    """Settings with where each comes from.

    `unknown` holds (key, `file:line`) of keys that do not exist, and (key, file) of personal ones in the
    file of a project.
    """

    __slots__ = ("_sources", "_values", "schema", "unknown")

    def __init__(
        self,
        values: dict[str, object],
        sources: dict[str, str],
        unknown: tuple[tuple[str, str], ...],
        schema: Mapping[str, Key] = SCHEMA,
    ) -> None:
        self._values, self._sources, self.unknown, self.schema = values, sources, unknown, schema

    def get(self, key: str) -> object:
        """The value of a setting. Raises GsdError `unknown_key`."""
        config_schema.known(key, self.schema)
        return self._values[key]

    def source(self, key: str) -> str:
        """`default`, `user`, `project` or `flags`. Raises GsdError `unknown_key`."""
        config_schema.known(key, self.schema)
        return self._sources.get(key, DEFAULT)


def resolve(
    project: Project,
    environ: Mapping[str, str],
    flags: Mapping[str, object] | None = None,
    schema: Mapping[str, Key] = SCHEMA,
) -> Config:
    """The settings of `project`. Raises GsdError `bad_config`, `bad_value` or `unknown_key` (of a flag).

    `schema` are the settings that there are, those of capabilities included (features.schema).
    """
    values: dict[str, object] = {name: key.default for name, key in schema.items()}
    sources: dict[str, str] = {}
    unknown: list[tuple[str, str]] = []
    user = user_file(environ)
    for source, path in ((USER, user), (PROJECT, project_file(project))):
        found = _layer(path, project.shown(path), unknown, schema) if path else {}
        if source == PROJECT:
            for name in [name for name in found if schema[name].personal]:
                del found[name]
                unknown.append((name, project.shown(project_file(project))))
        values.update(found)
        sources.update(dict.fromkeys(found, source))
    for name, value in (flags or {}).items():
        config_schema.check(name, value, schema)
        values[name], sources[name] = value, FLAGS
    wrong = config_schema.check_together(values)
    if wrong:
        blamed = {sources.get(name) for name in config_schema.TOGETHER}
        files = ((FLAGS, None), (PROJECT, project.shown(project_file(project))), (USER, user))
        file = next(file for source, file in files if source in blamed)
        raise GsdError(wrong, reason="bad_value", file=file, hint="change one of the two")
    return Config(values, sources, tuple(unknown), schema)


def project_file(project: Project) -> str:
    """The settings of the project, shared by its workstreams."""
    return os.path.join(project.shared, FILE)


def user_file(environ: Mapping[str, str]) -> str | None:
    """The settings of the user for all projects; None when nothing says where the home is."""
    if sys.platform == "win32":
        folder = environ.get("APPDATA", "")
    else:
        folder = environ.get("XDG_CONFIG_HOME", "")
        home = environ.get("HOME", "")
        # A relative path is to be ignored: https://specifications.freedesktop.org/basedir-spec/latest/
        if not os.path.isabs(folder):
            folder = os.path.join(home, ".config") if home else ""
    return os.path.join(folder, "gsd", FILE) if os.path.isabs(folder) else None


def config_set(project: Project, name: str, value: object, schema: Mapping[str, Key] = SCHEMA) -> bool:
    """Put one setting into the project's file, every other byte unchanged; whether anything differs.

    Raises GsdError as `resolve` does, and LockedError.
    """
    from gsd_capabilities.companion import config_text

    config_schema.check(name, value, schema)
    if schema[name].personal:
        raise GsdError(
            f"{name} is not a setting of a project",
            reason="personal_setting",
            hint="write it into your own: gsd/config.json in $XDG_CONFIG_HOME, ~/.config or %APPDATA%",
        )
    path = tuple(name.split("."))
    return _changed(project, name, lambda text: config_text.change(text, path, value), {name: value}, schema)


def config_reset(project: Project, name: str, schema: Mapping[str, Key] = SCHEMA) -> bool:
    """Take one setting out of the project's file, so that the default applies; as `config_set` otherwise."""
    from gsd_capabilities.companion import config_text

    config_schema.known(name, schema)
    path = tuple(name.split("."))
    return _changed(project, name, lambda text: config_text.remove(text, path), {}, schema)


def _changed(
    project: Project,
    name: str,
    change: Callable[[str], str],
    new: Mapping[str, object],
    schema: Mapping[str, Key],
) -> bool:
    from gsd_capabilities.companion import guard, planning_text

    path = project_file(project)
    with guard.locked(require(project)):
        if not os.path.exists(path):
            if not new:
                return False
            planning_text.create(project, path, change('{\n  "version": 1\n}\n'))
            return True

        def checked(text: str) -> str:
            file = project.shown(path)
            _parsed(text, file, [], schema, allow=name)
            after = change(text)
            values = {key: row.default for key, row in schema.items()} | _parsed(after, file, [], schema)
            wrong = config_schema.check_together(values)
            if wrong:
                raise GsdError(wrong, reason="bad_value", file=file, hint="nothing was changed")
            return after

        return planning_text.edit(project, path, checked)


def _layer(
    path: str, shown: str, unknown: list[tuple[str, str]], schema: Mapping[str, Key]
) -> dict[str, object]:
    data = _bytes(path, shown)
    if data is None:
        return {}
    try:
        return _parsed(data.decode(), shown, unknown, schema)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _damaged(GsdError("this is not UTF-8", line=line), shown) from None


def _bytes(path: str, shown: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _damaged(GsdError((error.strerror or str(error)).lower()), shown) from error


def _parsed(
    text: str,
    shown: str,
    unknown: list[tuple[str, str]],
    schema: Mapping[str, Key],
    *,
    allow: str | None = None,
) -> dict[str, object]:
    """The settings in `text`; the value of `allow` may be wrong, because it is about to be replaced."""
    from gsd_capabilities.companion import config_text
    from gsd_capabilities.companion.planning_text import line_at

    try:
        whole = config_text.parse(text)
    except GsdError as error:
        raise _damaged(error, shown) from None
    found: dict[str, object] = {}

    def is_group(name: str) -> bool:
        return config_schema.is_group(name, schema)

    for name, member in config_text.leaves(whole, is_group):
        line = line_at(text, member.start)
        if is_group(name):
            hint = _hint(name, schema)
            raise GsdError(f"{name} must be an object", reason="bad_value", file=shown, line=line, hint=hint)
        if name not in schema:
            unknown.append((name, f"{shown}:{line}"))
        elif name != allow:
            found[name] = _checked(name, member, shown, line, schema)
    return found


def _checked(name: str, member: Member, shown: str, line: int, schema: Mapping[str, Key]) -> object:
    try:
        config_schema.check(name, member.value, schema)
    except GsdError as error:
        error.file, error.line = shown, line
        raise
    return member.value


def _hint(group: str, schema: Mapping[str, Key]) -> str:
    keys = (key.removeprefix(f"{group}.") for key in schema if key.startswith(f"{group}."))
    return f"it holds: {', '.join(keys)}"


def _damaged(error: GsdError, shown: str) -> GsdError:
    hint = f"repair the file by hand, or look for its last good version: git log --oneline -3 -- {shown}"
    return GsdError(error.message, reason="bad_config", file=shown, line=error.line, hint=hint)
