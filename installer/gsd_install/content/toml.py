"""A TOML table whose values are asked for one by one, each checked."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_HINTS = {NAME.pattern: "use small letters, digits and single hyphens"}


class Table:
    """One table: `where` names it in messages (`step "x"`), `file` is where it stands.

    Every method raises GsdError `bad_value` or `unknown_key` with the file and the key.
    """

    def __init__(self, values: object, where: str, file: str) -> None:
        if not isinstance(values, dict):
            raise GsdError(f"{where} is not a table", reason="bad_value", file=file, hint=f"write [{where}]")
        self.values: dict[str, Any] = values
        self.where = where
        self.file = file

    def known(self, keys: Iterable[str]) -> None:
        """Refuse a key that is not among `keys`."""
        allowed = tuple(keys)
        unknown = sorted(set(self.values) - set(allowed))
        if unknown:
            raise GsdError(
                f"{self.where} has no key {unknown[0]!r}",
                reason="unknown_key",
                file=self.file,
                hint=f"known: {', '.join(allowed)}",
            )

    def text(self, key: str, default: str | None = None) -> str:
        """A text that is not blank; `default` where the key is missing, if there is one."""
        value = self.values.get(key, default)
        if value is None or (key in self.values and not (isinstance(value, str) and value.strip())):
            raise self.bad(f"{key} is missing or not text", f'write {key} = "..."')
        return str(value)

    def matched(self, key: str, pattern: re.Pattern[str], hint: str = "") -> str:
        """A text that `pattern` matches as a whole."""
        value = self.values.get(key)
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise self.bad(f"{key} cannot be {value!r}", hint or _HINTS.get(pattern.pattern, ""))
        return value

    def name(self, key: str) -> str:
        """An id: small letters, digits and single hyphens."""
        return self.matched(key, NAME)

    def word(self, key: str, choices: tuple[str, ...], default: str | None = None) -> str:
        """One of the words that may stand here."""
        value = self.values.get(key, default)
        if value not in choices:
            raise self.bad(f"{key} cannot be {value!r}", f"it is one of {', '.join(choices)}")
        return str(value)

    def flag(self, key: str, *, default: bool) -> bool:
        """True or false."""
        value = self.values.get(key, default)
        if not isinstance(value, bool):
            raise self.bad(f"{key} cannot be {value!r}", "write true or false")
        return value

    def names(self, key: str, pattern: re.Pattern[str] = NAME, hint: str = "") -> tuple[str, ...]:
        """A list of different texts that `pattern` matches."""
        value = self.values.get(key, [])
        if not isinstance(value, list):
            raise self.bad(f"{key} is not a list", f'write {key} = ["..."]')
        for item in value:
            if not isinstance(item, str) or not pattern.fullmatch(item):
                raise self.bad(f"{key} cannot hold {item!r}", hint or _HINTS.get(pattern.pattern, ""))
        if len(set(value)) < len(value):
            raise self.bad(f"{key} names something twice", "delete one of the two")
        return tuple(value)

    def tables(self, key: str) -> tuple[Table, ...]:
        """An array of tables: `[[key]]`."""
        value = self.values.get(key, [])
        if not isinstance(value, list):
            raise self.bad(f"{key} is not an array of tables", f"write [[{key}]]")
        return tuple(Table(item, f"{key} {at}", self.file) for at, item in enumerate(value, 1))

    def only_one(self, keys: tuple[str, ...]) -> str:
        """The one of `keys` that stands here."""
        found = [key for key in keys if key in self.values]
        if len(found) != 1:
            said = " and ".join(found) if found else "none of them"
            raise self.bad(f"takes exactly one of {', '.join(keys)}, not {said}", "keep one of them")
        return found[0]

    def bad(self, message: str, hint: str) -> GsdError:
        """The error for something in this table."""
        return GsdError(f"{self.where}: {message}", reason="bad_value", file=self.file, hint=hint or None)


def parsed(data: bytes, where: str, file: str) -> Table:
    """A whole file. Raises GsdError `bad_toml` with the line."""
    import tomllib

    try:
        return Table(tomllib.loads(data.decode("utf-8-sig")), where, file)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        at = re.search(r"line (\d+)", str(error))
        raise GsdError(
            f"not TOML: {error}", reason="bad_toml", file=file, line=int(at[1]) if at else None
        ) from error
