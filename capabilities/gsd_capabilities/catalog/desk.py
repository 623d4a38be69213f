"""Verbs of `gsd-tools`, run in this process and never through a shell."""

from __future__ import annotations

import io
import json
import logging
import os
import threading
from itertools import pairwise

from gsd_capabilities.catalog import disk
from gsd_capabilities.catalog.addresses import RefusedError
from gsd_capabilities.companion import project as projects
from gsd_capabilities.companion.main import Streams, run
from gsd_install.kernel.errors import BUG, DONE, GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Verbs whose words are what a person typed, not names of files.
_TYPED = frozenset({"init", "render"})
# Verbs that speak to an address, with a key of the environment: that a person names both is the only guard.
_OF_PEOPLE = frozenset({"agent"})
_OFFLINE = ("agent", "afford")
# Options whose value is a file and nothing else, also one that is yet to be written.
_FILES = frozenset({"--index", "--rules", "--session", "--source", "--template"})
# Options that list names, between commas, each of which may be a file.
_LISTS = frozenset({"--core", "--ref", "--session-ref"})


class Ran(NamedTuple):
    """What a verb printed, and its notes."""

    data: bytes
    notes: tuple[str, ...]


class Desk:
    """Runs verbs for one project, one at a time; `cwd` is where, `payload` and `runtime` may be empty."""

    def __init__(self, cwd: str, payload: str, runtime: str, environ: Mapping[str, str]) -> None:
        self.cwd, self.environ = cwd, environ
        self._payload, self._runtime = payload, runtime
        self._one_at_a_time = threading.Lock()

    def run(self, words: Sequence[str], stdin: str = "") -> Ran:
        """Run a verb with its words. Raises GsdError as the verb does, RefusedError for what is not run."""
        self._check(words)
        streams = Streams(io.BytesIO(_encoded(stdin)), io.BytesIO(), io.BytesIO())
        with self._one_at_a_time:
            code = run([*self._options(), *words], streams, self.environ, self.cwd)
        streams.stdout.seek(0)
        streams.stderr.seek(0)
        told = streams.stderr.read().decode(errors="replace")
        if code != DONE:
            raise _error(told, projects.find(self.cwd).root, bug=code == BUG)
        notes = tuple(line.removeprefix("gsd-tools: ") for line in told.splitlines() if line)
        return Ran(streams.stdout.read(), notes)

    def _options(self) -> list[str]:
        found = ["--json-errors"]
        if self._payload and os.path.isdir(self._payload):
            found += ["--payload", self._payload]
        if disk.host(self._payload, self._runtime) is not None:
            found += ["--runtime", self._runtime]
        return found

    def _check(self, words: Sequence[str]) -> None:
        if not words or words[0].startswith("-"):
            hint = 'words begin with a verb: ["state", "get"]'
            raise RefusedError("invalid_params", "no verb is named", hint=hint)
        if words[0] in _OF_PEOPLE and tuple(words[:2]) != _OFFLINE:
            hint = "a person starts it in a shell of their own"
            raise GsdError(f"{words[0]} is no verb for a client", reason="not_served", hint=hint)
        if any("\0" in word for word in words):
            raise RefusedError("invalid_params", "a word holds a NUL character", words[0])
        if words[0] not in _TYPED:
            for before, word in pairwise(words):
                self._check_word(before, word)

    def _check_word(self, before: str, word: str) -> None:
        """A word or the value of an option that is a file elsewhere is not handed on."""
        option, _, named = word.partition("=") if word.startswith("--") else (before, "", word)
        root = os.path.realpath(projects.find(self.cwd).root)
        given = [name.strip() for name in named.split(",")] if option in _LISTS else [named]
        given += [name.removeprefix("@") for name in given]  # an option may read its text from @FILE
        for name in filter(None, given):
            file = os.path.join(self.cwd, name)
            is_file = option in _FILES or _exists(file)
            if is_file and not disk.is_inside(os.path.join(file, "_"), root):
                hint = "pass the text itself, or a file of the project"
                raise RefusedError("traversal_refused", "this file is outside the project", word, hint=hint)


def _exists(file: str) -> bool:
    try:
        return os.path.lexists(file)
    except ValueError:  # surrogates and the like are no name of a file
        return False


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise RefusedError("invalid_params", "the input is no text", "stdin") from None


def _error(told: str, root: str, *, bug: bool) -> GsdError:
    """What a verb said was wrong, its file relative to the project.

    What went wrong inside of a verb is for the log, not for the client.
    """
    if bug:
        logging.getLogger(__name__).error("%s", told.rstrip())
        return RefusedError(
            "internal", "the verb failed in a way nobody foresaw", hint="see the server's log"
        )
    facts = json.loads(told)
    file = os.path.relpath(os.path.join(root, facts["file"] or ""), root)
    inside = file != os.curdir and not file.startswith(os.pardir)
    message = f"{file.replace(os.sep, '/')}: {facts['message']}" if inside else facts["message"]
    return GsdError(message, reason=facts["reason"], hint=facts["hint"])
