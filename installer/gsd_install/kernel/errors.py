"""What a user is told when something is wrong.

An error is raised where it is known, travels up untouched, and is printed once by the CLI.
"""

from __future__ import annotations

DONE, FAILED, USAGE, BUG, DRIFT, LOCKED, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130


class GsdError(Exception):
    """A known failure: what is wrong, where, and how to fix it.

    `reason` is a stable word for scripts (`--json`), `file` and `line` (1-based) say where,
    `hint` says what to do about it.
    """

    exit_code = FAILED

    def __init__(
        self,
        message: str,
        *,
        reason: str = "error",
        hint: str | None = None,
        file: str | None = None,
        line: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.reason = reason
        self.hint = hint
        self.file = file
        self.line = line

    @property
    def where(self) -> str | None:
        """`file:line`, as much of it as is known."""
        if self.file is None or self.line is None:
            return self.file
        return f"{self.file}:{self.line}"

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message


class UsageError(GsdError):
    """The command line asks for something that does not exist."""

    exit_code = USAGE


class LockedError(GsdError):
    """Another process is installing into the same place."""

    exit_code = LOCKED


class ManyErrors(GsdError):  # noqa: N818 - a plural says it better
    """Several independent failures, reported together so that one run shows them all."""

    def __init__(self, errors: tuple[GsdError, ...]) -> None:
        super().__init__("\n".join(str(error) for error in errors), reason="several")
        self.errors = errors
