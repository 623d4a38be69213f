"""The command line of `gsd-tools`.

    gsd-tools [--cwd DIR] [--pick PATH] [--json-errors] [--runtime ID] VERB ...

A verb is one word or two. Its module is imported only when it is asked for, and nothing else is.
"""

from __future__ import annotations

import io
import os
import sys

from gsd_capabilities.companion.output import bug, printed, told
from gsd_capabilities.companion.request import Faulty, Request
from gsd_install.kernel.errors import BUG, DONE, FAILED, INTERRUPTED, GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from typing import IO

    from gsd_capabilities.companion.request import Verb

_OWN = "gsd_capabilities.companion"
_PLANNING = f"{_OWN}.planning_verbs:VERBS"
_WORK = "gsd_capabilities.work.verbs:VERBS"
_LEARNING = "gsd_capabilities.learning.verbs:VERBS"
_PREDICATES = "gsd_capabilities.predicates.verbs:VERBS"

# The first word of a verb, and where the verbs that begin with it are.
TABLE: Mapping[str, str] = {
    "init": f"{_OWN}.init:VERBS",
    "render": f"{_OWN}.render:VERBS",
    "review-prompt": f"{_OWN}.review_prompt:VERBS",
    "state": _PLANNING,
    "phase": _PLANNING,
    "validate": _PLANNING,
    "commit": _PLANNING,
    "check": f"{_OWN}.checks:VERBS",
    "drift": "gsd_capabilities.drift.verbs:VERBS",
    "config": f"{_OWN}.config_verbs:VERBS",
    "loop": f"{_OWN}.loop:VERBS",
    "query": _PREDICATES,
    "predicates": _PREDICATES,
    "artifact": "gsd_capabilities.artifacts.verbs:VERBS",
    "context": "gsd_capabilities.context.verbs:VERBS",
    "hook": "gsd_capabilities.hooks.verbs:VERBS",
    "packs": "gsd_capabilities.packs.verbs:VERBS",
    "prefix": "gsd_capabilities.prefix.verbs:VERBS",
    "memory": "gsd_capabilities.memory.verbs:VERBS",
    "task": _WORK,
    "review": _WORK,
    "deliverable": _WORK,
    "message": _WORK,
    "learn": _LEARNING,
    "skill": _LEARNING,
    "agent": "gsd_capabilities.harness.verbs:VERBS",
}
# These serve an agent of our own, and are installed for no host.
_OF_THE_PACKAGE = frozenset({"agent", "packs", "prefix"})
_PACKAGE_HINT = "the gsd-tools of the Python package has it: pipx install gsd-install"
_VALUES = frozenset({"cwd", "pick", "runtime", "payload"})
_FLAGS = frozenset({"json-errors", "help"})
_HELP = frozenset({"-h", "--help"})
_ALL_USAGE = "gsd-tools [--cwd DIR] [--pick PATH] [--json-errors] [--runtime ID] VERB ..."


class Streams(NamedTuple):
    """Where the command reads and writes, as bytes."""

    stdin: IO[bytes]
    stdout: IO[bytes]
    stderr: IO[bytes]


class _Answer(NamedTuple):
    """What to print, and the exit code."""

    data: bytes
    notes: tuple[str, ...] = ()
    code: int = DONE


class _Parsed(NamedTuple):
    options: dict[str, str]
    words: tuple[str, ...]


def console() -> int:
    """Entry point of the console script and of the launchers."""
    # A host may start us without a standard input.
    stdin = sys.stdin.buffer if sys.stdin else io.BytesIO()
    streams = Streams(stdin, sys.stdout.buffer, sys.stderr.buffer)
    try:
        return run(sys.argv[1:], streams, os.environ)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has gone; the interpreter would complain once more when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE


def run(argv: Sequence[str], streams: Streams, environ: Mapping[str, str], cwd: str | None = None) -> int:
    """Run one command line and return its exit code: 0, 1 known error, 2 usage, 3 bug, 5 locked."""
    as_json = "--json-errors" in argv[: _verb_at(argv)]
    try:
        data, notes, code = _answer(argv, streams, environ, cwd or os.getcwd())
    except GsdError as error:
        streams.stderr.write(told(error, as_json=as_json))
        streams.stderr.flush()
        return error.exit_code
    except Exception as error:  # noqa: BLE001 - the last resort: a bug, told as one
        streams.stderr.write(bug(error, as_json=as_json))
        streams.stderr.flush()
        return BUG
    for note in notes:
        streams.stderr.write(f"gsd-tools: {note}\n".encode(errors="replace"))
    streams.stderr.flush()
    streams.stdout.write(data)
    streams.stdout.flush()
    return code


def _answer(argv: Sequence[str], streams: Streams, environ: Mapping[str, str], cwd: str) -> _Answer:
    at = _verb_at(argv)
    options, _ = parse(argv[:at], _VALUES, _FLAGS)
    first, second = (*argv[at : at + 2], "", "")[:2]
    if "help" in options or first == "-h":
        return _Answer(_help(TABLE))
    if second in _HELP and first in TABLE and first not in _load(first):
        return _Answer(_help((first,)))
    verb, rest = _found(argv[at:])
    parsed = parse(rest, verb.values, verb.flags | {"help"}, passes=verb.passes, hint=verb.usage)
    if "help" in parsed.options or (parsed.words[:1] == ("-h",) and not verb.passes):
        return _Answer(f"gsd-tools {verb.usage}\n".encode())
    request = Request(
        words=parsed.words,
        options=parsed.options,
        cwd=_directory(cwd, options.get("cwd")),
        payload=options.get("payload"),
        environ=environ,
        stdin=streams.stdin.read,
        runtime=options.get("runtime"),
        terminal=streams.stdout.isatty(),
    )
    result = verb.run(request)
    faulty = isinstance(result, Faulty)
    whole = result.answer if isinstance(result, Faulty) else result
    data, notes = printed(_picked(whole, options["pick"]) if "pick" in options else whole)
    if verb.spills:
        data, *more = _spilled(data, request)
        notes = (*notes, *more)
    return _Answer(data, notes, FAILED if faulty else DONE)


def ask(argv: Sequence[str], request: Request, *, stdin: bytes = b"") -> object:
    """What a verb answers for the caller of another one; `--pick PATH` may stand before it.

    Raises what the verb raises, and UsageError.
    """
    at = _verb_at(argv)
    options, _ = parse(argv[:at], frozenset({"pick"}), frozenset())
    verb, rest = _found(argv[at:])
    parsed = parse(rest, verb.values, verb.flags, passes=verb.passes, hint=verb.usage)
    result = verb.run(request._replace(words=parsed.words, options=parsed.options, stdin=lambda: stdin))
    if "pick" not in options:
        return result
    from gsd_capabilities.companion.pick import pick

    return pick(result, options["pick"])


def parse(
    words: Sequence[str],
    values: frozenset[str],
    flags: frozenset[str],
    *,
    passes: bool = False,
    hint: str = _ALL_USAGE,
) -> _Parsed:
    """Tell options from words. The first of two options of one name counts; `--` ends them.

    With `passes`, an option nobody knows is a word, and so is `--` with what follows it. Raises UsageError
    `unknown_option`, `missing_value` or `unexpected_value`.
    """
    options: dict[str, str] = {}
    rest: list[str] = []
    left = iter(words)
    for word in left:
        name, equals, value = word.removeprefix("--").partition("=")
        if word == "--":
            rest += [word, *left] if passes else left
        elif not word.startswith("--") or (passes and name not in values | flags):
            rest.append(word)
        elif name in flags and equals:
            raise UsageError(f"--{name} takes no value", reason="unexpected_value", hint=hint)
        elif name in flags:
            options.setdefault(name, "")
        elif name in values:
            options.setdefault(name, value if equals else _next(left, name, hint))
        else:
            raise UsageError(f"there is no option --{name}", reason="unknown_option", hint=hint)
    return _Parsed(options, tuple(rest))


def _next(left: Iterator[str], name: str, hint: str) -> str:
    value = next(left, None)
    if value is None:
        raise UsageError(f"--{name} needs a value", reason="missing_value", hint=hint)
    return value


def _verb_at(argv: Sequence[str]) -> int:
    """Where the options of `gsd-tools` itself end."""
    at = 0
    while at < len(argv) and argv[at].startswith("--"):
        at += 2 if argv[at].removeprefix("--") in _VALUES else 1
    return min(at, len(argv))


def _found(argv: Sequence[str]) -> tuple[Verb, Sequence[str]]:
    """The verb, one word or two, and what stands behind it. Raises UsageError `unknown_verb`."""
    first = argv[0] if argv else ""
    if first not in TABLE:
        message = f"there is no verb {first!r}" if first else "no verb is named"
        raise UsageError(message, reason="unknown_verb", hint=_nearest(first, TABLE))
    verbs = _load(first)
    for count in (2, 1):
        name = " ".join(argv[:count])
        if name in verbs:
            return verbs[name], argv[count:]
    group = [known.partition(" ")[2] for known in verbs if known.partition(" ")[0] == first]
    if len(argv) < 2 or argv[1].startswith("-"):
        raise UsageError(f"{first!r} needs a second word", reason="unknown_verb", hint=_all(first, group))
    name = " ".join(argv[:2])
    hint = _nearest(argv[1], group, first)
    raise UsageError(f"there is no verb {name!r}", reason="unknown_verb", hint=hint)


def _nearest(wanted: str, known: Collection[str], before: str = "") -> str:
    import difflib

    close = difflib.get_close_matches(wanted, known, n=1)
    return f"did you mean {' '.join(filter(None, (before, close[0])))!r}?" if close else _all(before, known)


def _all(before: str, known: Collection[str]) -> str:
    if not before:
        return f"there are {', '.join(known)}"
    return f"{before} {' | '.join(known)}; gsd-tools {before} --help says more"


def _load(first: str) -> Mapping[str, Verb]:
    """The verbs of a module. Raises GsdError `missing_capability` where its code is not installed."""
    from importlib import import_module

    module, _, attribute = TABLE[first].partition(":")
    try:
        verbs: Mapping[str, Verb] = getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        raise GsdError(
            f"the verb {first!r} needs the capability {module.split('.')[1]!r}, which is not installed",
            reason="missing_capability",
            hint=_PACKAGE_HINT if first in _OF_THE_PACKAGE else "install again with it: gsd-install upgrade",
        ) from error
    return verbs


def _directory(cwd: str, wanted: str | None) -> str:
    folder = os.path.abspath(os.path.join(cwd, wanted or ""))
    if not os.path.isdir(folder):
        raise UsageError("there is no such folder", reason="no_folder", file=folder, hint="--cwd DIR")
    return folder


def _picked(result: object, path: str) -> object:
    from gsd_capabilities.companion.pick import pick

    found = pick(result, path)
    return f"{found}\n" if isinstance(found, str) else found


def _spilled(data: bytes, request: Request) -> tuple[bytes, *tuple[str, ...]]:
    from gsd_capabilities.companion.spill import LIMIT, spilled

    return spilled(data, request) if len(data) > LIMIT else (data,)


def _help(names: Iterable[str]) -> bytes:
    """The verbs that begin with one of `names` and are installed, each with its usage."""
    usages: dict[str, str] = {}
    for first in names:
        try:
            verbs = _load(first).items()
            usages |= {name: verb.usage for name, verb in verbs if name.partition(" ")[0] == first}
        except GsdError as error:
            usages[first] = f"{first}: {error}"
    return "\n".join([_ALL_USAGE, "", *(f"  {usage}" for usage in usages.values()), ""]).encode()
