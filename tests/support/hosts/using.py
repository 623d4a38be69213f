"""Make a host use what was installed: read a text, run the launcher, take hostile arguments."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from support.hosts.reading import Asker
from support.hosts.speaking import TURNS

LINE = "~/.gsd/bin/gsd-tools init plan-phase 1"
COMMAND = "/gsd-plan-phase"
# Stands in for the launcher: prints its arguments and what it reads, as hexadecimal digits.
RECORDER = """\
#!/bin/sh
hex() { od -An -v -tx1 | tr -d ' \\n'; }
printf 'RECORDED<'
if [ "$3" = - ]; then hex; else printf %s "$3" | hex; fi
printf '>\\n'
"""
RECORDED = re.compile("RECORDED<([0-9a-f]*)>")


class Used(NamedTuple):
    """`told` is what the model was told in a turn in which it read a text and ran the launcher.

    `left` are the tools of calls that the host did not offer. `prompt` is all the model was told when a
    command was typed. `received` are the hostile arguments and, of each, what reached the launcher: None
    where it was not run. `executed` are those whose canary appeared.
    """

    told: str
    left: list[str]
    prompt: str
    received: list[tuple[str, str | None]]
    executed: list[str]


def use(host: str, ask: Asker, *, injects: bool) -> Used:
    """Have a host use what was installed; `injects` where it runs a snippet while it expands a command."""
    text = ask.home / ".gsd" / "content" / "gsd" / "workflows" / "plan-phase.md"
    ask.stub.calls[:] = [TURNS[host].read.call(str(text)), TURNS[host].run.call(LINE)]
    told = _told(host, ask, "say hi")
    left, ask.stub.calls[:] = [call.name for call in ask.stub.calls], []
    if not injects:
        return Used(told, left, "", [], [])
    return Used(told, left, _told(host, ask, f"{COMMAND} 1"), *_hostile(host, ask))


def _told(host: str, ask: Asker, prompt: str) -> str:
    turn = TURNS[host]
    ask.stub.bodies.clear()
    ask.run(*turn.spoken(str(ask.home), prompt), **turn.variables(ask.stub.url))
    return ask.stub.sent


def hostile(canary: Path) -> tuple[str, ...]:
    """Arguments that would make the file `canary`, were any of them executed."""
    make = f"touch {canary}"
    return (
        f"3 don't, isn't $({make}) ; {make} ; ` {make} `",
        f"' ; {make} ; ' && {make} || \"{make}\" | {make} & {make}",
        f"1 }} {{ !{{{make}}} é 日本 $ARGUMENTS' ; {make} ; ' {{{{args}}}} !`{make}`",
        f"a\nGSD\nEOF\n{make}\n'\n{make}\n\"",
    )


def _hostile(host: str, ask: Asker) -> tuple[list[tuple[str, str | None]], list[str]]:
    launcher = ask.home / ".gsd" / "bin" / "gsd-tools"
    canary = ask.home / "CANARY"
    ours, received, executed = launcher.read_bytes(), [], []
    launcher.write_text(RECORDER, encoding="utf-8")
    for arguments in hostile(canary):
        found = RECORDED.search(_told(host, ask, f"{COMMAND} {arguments}"))
        received.append((arguments, bytes.fromhex(found[1]).decode() if found else None))
        if canary.exists():
            executed.append(arguments)
            canary.unlink()
    launcher.write_bytes(ours)
    return received, executed
