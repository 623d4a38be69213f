"""Ask a host on this machine what it has loaded: start its program, read the names it lists, end it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple
from gsd_install.runtime.model import Ask

if TYPE_CHECKING:
    import subprocess
    from typing import IO, Any

SECONDS = 60.0  # the slowest host seen took 20 on a busy machine
_PAUSE, _LINGER = 0.02, 2.0
# Nothing else of the environment is handed on: no key of an account, no variable that names another home.
_KEPT = ("PATH", "PATHEXT", "LANG", "LC_ALL", "SYSTEMROOT", "COMSPEC")


class Heard(NamedTuple):
    """What one run of a host printed, and what kept it from answering, if anything did."""

    text: str
    problem: str


def heard(program: str, asks: Sequence[Ask], home: str, *, seconds: float) -> Heard:
    """Run `program` once with the words that all of `asks` share, in `home`, for at most `seconds`.

    It is ended as soon as a line of what it prints answers, for hosts that would go on to talk to a model. It
    prints to a file: some end before a pipe has taken more than the 64 KiB that it holds.
    """
    import tempfile

    with tempfile.TemporaryDirectory(prefix="gsd-heard-", ignore_cleanup_errors=True) as folder:
        out = tempfile.NamedTemporaryFile(dir=folder, delete=False)  # noqa: SIM115 - it goes with the folder
        with out, open(out.name, "rb") as printed:
            return _heard(_started(program, asks[0], home, out), printed, asks, home, seconds)


def _started(program: str, ask: Ask, home: str, out: IO[bytes]) -> subprocess.Popen[bytes]:
    import subprocess

    return subprocess.Popen(
        [program, *(word.replace("{home}", home) for word in ask.words)],
        cwd=home,
        env=_environment(home, ask.environ),
        stdin=subprocess.PIPE,
        stdout=out,
        stderr=subprocess.PIPE,
        start_new_session=os.name != "nt",
    )


def _heard(
    process: subprocess.Popen[bytes], printed: IO[bytes], asks: Sequence[Ask], home: str, seconds: float
) -> Heard:
    import threading

    said: list[str] = []
    errors = threading.Thread(target=_read_errors, args=(process, said), daemon=True)
    errors.start()
    _say(process, asks[0].said, home)
    lines: list[str] = []
    late = not _read(process, printed, lines, asks, seconds)
    _end(process)
    errors.join(5)
    _close(process)
    return Heard("".join(lines), _problem(process.returncode, said, late=late, seconds=seconds))


def names(ask: Ask, text: str) -> frozenset[str]:
    """The names that what a host printed lists, as they are spelled in a path."""
    found = _by_path(ask.path, text) if ask.path else _by_pattern(ask.pattern, text)
    return frozenset(name.rpartition(":")[2].lstrip("/") for name in found)


def _read(
    process: subprocess.Popen[bytes],
    printed: IO[bytes],
    lines: list[str],
    asks: Sequence[Ask],
    seconds: float,
) -> bool:
    """Read lines until one answers or the host has ended; whether that was in time."""
    import time

    last = time.monotonic() + seconds
    heard_at, rest = time.monotonic(), b""
    while True:
        running, now = process.poll() is None, time.monotonic()
        more = printed.read()
        heard_at = now if more or running else heard_at
        ended, late = not running and _is_over(process, now - heard_at), now > last
        *whole, rest = (rest + more).splitlines(keepends=True) or [b""]
        if ended or late or rest.endswith(b"\n"):
            whole, rest = [*whole, rest], b""
        for line in whole:
            lines.append(line.decode("utf-8", "replace"))
            if _answers(lines[-1], asks):
                return True
        if ended or late:
            return ended
        time.sleep(_PAUSE)


def _is_over(process: subprocess.Popen[bytes], silent: float) -> bool:
    """Whether nothing more will be printed: what a host started may go on for a while, or for ever."""
    return os.name == "nt" or silent > _LINGER or not _has_group(process.pid)


def _answers(line: str, asks: Sequence[Ask]) -> bool:
    return line.startswith("{") and any(ask.path and names(ask, line) for ask in asks)


def _read_errors(process: subprocess.Popen[bytes], said: list[str]) -> None:
    said.extend(line.decode("utf-8", "replace").strip() for line in process.stderr or ())


def _say(process: subprocess.Popen[bytes], lines: Sequence[str], home: str) -> None:
    """Hand over what it is told; the input of one that is told something stays open while it answers."""
    import contextlib

    told = "".join(line.replace("{home}", home) + "\n" for line in lines)
    # One that has ended by now says why with its exit code and its last words.
    with contextlib.suppress(OSError):
        if process.stdin and told:
            process.stdin.write(told.encode())
            process.stdin.flush()
        elif process.stdin:
            process.stdin.close()


def _close(process: subprocess.Popen[bytes]) -> None:
    import contextlib

    for stream in (process.stdin, process.stderr):
        with contextlib.suppress(OSError):  # what it did not read is nobody's any more
            if stream is not None:
                stream.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End it with all it has started."""
    import contextlib
    import signal

    with contextlib.suppress(ProcessLookupError):
        if os.name == "nt":
            process.kill()
        elif process.poll() is None or _has_group(process.pid):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _has_group(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _problem(code: int, said: Sequence[str], *, late: bool, seconds: float) -> str:
    if late:
        return f"it gave no answer within {seconds:g} seconds and was ended"
    last = next((line for line in reversed(said) if line), "")
    return f"it ended with exit code {code}: {last}" if code > 0 else ""


def _environment(home: str, more: Mapping[str, str]) -> dict[str, str]:
    """A clean environment with `home` for a home."""
    kept = {key: value for key, value in os.environ.items() if key.upper() in _KEPT}
    own = {
        "HOME": home,
        "USERPROFILE": home,
        "APPDATA": os.path.join(home, "AppData", "Roaming"),
        "LOCALAPPDATA": os.path.join(home, "AppData", "Local"),
        "XDG_CONFIG_HOME": os.path.join(home, ".config"),
        "XDG_DATA_HOME": os.path.join(home, ".local", "share"),
        "XDG_CACHE_HOME": os.path.join(home, ".cache"),
        "XDG_STATE_HOME": os.path.join(home, ".local", "state"),
        "TERM": "dumb",
        "NO_COLOR": "1",
    }
    return {**kept, **own, **more}


def _by_pattern(pattern: str, text: str) -> Iterator[str]:
    import re

    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    return (match[1] for match in re.finditer(pattern, plain, re.MULTILINE))


def _by_path(path: tuple[str, ...], text: str) -> Iterator[str]:
    for document in _documents(text):
        yield from _at(document, path)


def _documents(text: str) -> Iterator[Any]:
    """Every JSON document that begins a line, whatever else stands between them."""
    import json

    decoder = json.JSONDecoder()
    place = 0
    while place < len(text):
        if text[place] in "{[":
            try:
                document, place = decoder.raw_decode(text, place)
            except ValueError:
                document = None
            else:
                yield document
        place = text.find("\n", place) + 1 or len(text)


def _at(value: Any, path: tuple[str, ...]) -> Iterator[str]:
    """The strings at a path in a document; none where it leads nowhere."""
    if not path:
        if isinstance(value, str):
            yield value
        return
    step, rest = path[0], path[1:]
    if step == "@" and isinstance(value, dict):
        yield from (key for key in value if not rest)
    elif step == "*" and isinstance(value, list):
        for item in value:
            yield from _at(item, rest)
    elif isinstance(value, dict) and step in value:
        yield from _at(value[step], rest)
