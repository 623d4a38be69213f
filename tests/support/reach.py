"""From what a host discovers to every file it can be sent to: a walk over an installed tree.

The walk reads texts as an agent does: a path that stands in one is followed, and so is a workflow that a
line asks `gsd-tools render` for, the facts that one asks `gsd-tools query` for, and what features bring to a
point of the loop that one asks `gsd-tools loop` for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from typing import Any

from gsd_install.content.model import TIERS

_PATH = re.compile(r"(?<![\w./~-])(?:~/|/|\.?\w[\w.-]*/)[^\s`\"'()<>,;|*\\]+")
_RENDER = re.compile(r"bin/gsd-tools render ([a-z][a-z0-9-]*)")
_LOOP = re.compile(r"bin/gsd-tools loop ([a-z]+(?::[a-z]+)+)")
_FACTS = "bin/gsd-tools query context-predicates"
# Files of the project that the texts speak of; nobody installs them.
_OF_THE_PROJECT = frozenset({".gsd/ledger.json", ".github/pull_request_template.md"})


class Tree:
    """Installed files by the path that texts use for them.

    `payload` is the path of the shared folder, `tiers` are those of the features that take part. `left_out`
    are workflows of other features: a text may ask for one, and says what to do where there is none.
    """

    def __init__(
        self,
        files: Mapping[str, bytes],
        payload: str,
        tiers: tuple[str, ...] = TIERS,
        left_out: frozenset[str] = frozenset(),
    ) -> None:
        self.files, self.payload, self.tiers, self.left_out = files, payload, tiers, left_out

    def missing(self, start: Iterable[str]) -> set[str]:
        """What some text that can be reached from `start` leads to, and is not there."""
        return {path for path in self.reached(start) if not self._is_there(path)}

    def reached(self, start: Iterable[str]) -> set[str]:
        """Every path that can be reached from `start`, whether or not it is there."""
        found: set[str] = set()
        pending = list(start)
        while pending:
            path = pending.pop()
            if path not in found:
                found.add(path)
                pending += self._leads_to(self._text(path))
        return found

    def _text(self, path: str) -> str:
        return self.files.get(path, b"").decode(errors="replace")

    def _leads_to(self, text: str) -> Iterator[str]:
        for path in _paths(text):
            if path.startswith(self._roots) and path not in _OF_THE_PROJECT:
                yield path
        for name in _RENDER.findall(text):
            if name not in self.left_out:
                yield from self._rendered(name)
        for point in _LOOP.findall(text):
            yield from self._brought(point)
        if _FACTS in text:
            yield f"{self.payload}/{self._table['context']}"

    def _rendered(self, name: str) -> Iterator[str]:
        """The body of a workflow and its step files, by the table that the companion reads."""
        workflow = self._table["workflows"].get(name, {"path": f"workflows/{name}.md", "sections": ()})
        for path in (workflow["path"], *(section["read"] for section in workflow["sections"])):
            yield f"{self.payload}/{path}"

    def _brought(self, point: str) -> Iterator[str]:
        """What features have an agent read at a point of the loop."""
        for feature in self._table["capabilities"]:
            for hook in (*feature["steps"], *feature["contributions"]):
                if feature["tier"] in self.tiers and hook["point"] == point and hook.get("read"):
                    yield f"{self.payload}/{hook['read']}"

    @cached_property
    def _table(self) -> Any:
        return json.loads(self._text(f"{self.payload}/gsd/companion.json"))

    @cached_property
    def _roots(self) -> tuple[str, ...]:
        """The folders that something was installed to, as texts begin with them."""
        return tuple({path[: path.index("/", 2) + 1] for path in self.files if "/" in path[2:]})

    def _is_there(self, path: str) -> bool:
        return path in self.files or any(name.startswith(f"{path}/") for name in self.files)


@cache
def _paths(text: str) -> tuple[str, ...]:
    """Whatever looks like a path in a text."""
    return tuple(match[0].rstrip(".:/") for match in _PATH.finditer(text))
