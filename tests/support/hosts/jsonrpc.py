"""Drive a host that speaks JSON-RPC, one message a line, on its standard input and output."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self


class Session:
    """One running host. Answers are matched by id; whatever else it says is kept in `notes`."""

    def __init__(self, command: Sequence[str], *, cwd: Path, environ: Mapping[str, str]) -> None:
        self.notes: list[dict[str, Any]] = []
        self._number = 0
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._process = subprocess.Popen(
            list(command),
            cwd=cwd,
            env=dict(environ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        threading.Thread(target=self._listen, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()

    def tell(self, message: Mapping[str, Any]) -> None:
        """Send one message as it is."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def notify(self, method: str) -> None:
        """Send a notification."""
        self.tell({"jsonrpc": "2.0", "method": method, "params": {}})

    def call(self, method: str, params: Mapping[str, Any], seconds: float = 60) -> Any:
        """The result of one request. Raises RuntimeError for an error, queue.Empty for silence."""
        self._number += 1
        self.tell({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        for message in self.heard(seconds):
            if message.get("id") == self._number and ("result" in message or "error" in message):
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
        raise RuntimeError(f"{method}: the host ended")

    def heard(self, seconds: float) -> Iterator[dict[str, Any]]:
        """Messages as they come, until the host ends. Raises queue.Empty after `seconds` of silence."""
        while (line := self._lines.get(timeout=seconds)) is not None:
            try:
                message = json.loads(line)
            except ValueError:
                continue
            self.notes.append(message)
            yield message

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)
