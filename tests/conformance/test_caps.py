"""The cap check of the kit against installers that treat caps wrongly, and one that treats them right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.gsd_defects import DOCS, SOUND
from gsd_install.content.model import Document
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.measure import measure
from gsd_install.plugins import Plugin, Plugins
from gsd_install.runtime import Cap
from gsd_install.runtime.platform import Platform
from gsd_install.testing import caps, sized
from gsd_install.testing.emission import Case, Reply, Uncapped

BODY = Cap("command", 500, source=DOCS)
WARNED = BODY._replace(on_excess="warn")
LINES = Cap("agent", 40, unit="lines", source=DOCS)
TOKENS = Cap("skill", 300, unit="tokens", source=DOCS)
NAME = Cap("skill", 30, unit="characters", field="name", source=DOCS)
SHRUNK = Cap("skill", 200, unit="characters", on_excess="shrink", field="description", source=DOCS)
LISTED = Cap("skill", 3_000, unit="characters", on_excess="refuse", field="listing", source=DOCS)
CHAIN = Cap("rule", 700, field="chain", source=DOCS)

# What an installer makes of a text and its description, given the cap and how much of it there is.
Installer = Callable[[Cap, int, str, str], Reply]


def placed(text: str, *warnings: str) -> Reply:
    return Reply(text, text, warnings, None)


def refused(reason: str = "over_cap", hint: str | None = "shorten it", file: str | None = "x.md") -> Reply:
    return Reply("", "", (), GsdError("it does not fit", reason=reason, hint=hint, file=file))


def right(cap: Cap, size: int, text: str, description: str) -> Reply:
    if size <= cap.limit:
        return placed(text)
    if cap.on_excess == "warn":
        return placed(text, f"{size} is over {cap.limit:,}")
    if cap.on_excess == "refuse":
        return refused()
    kept = description[: cap.limit].rpartition(" ")[0]
    return placed(
        text.replace(description, kept), f"cut from {size:,} to {len(kept)}, the limit is {cap.limit}"
    )


def ignoring(cap: Cap, size: int, text: str, description: str) -> Reply:
    return placed(text)


def cutting(cap: Cap, size: int, text: str, description: str) -> Reply:
    return placed(text[: cap.limit])


def timid(cap: Cap, size: int, text: str, description: str) -> Reply:
    return refused()


def meddling(cap: Cap, size: int, text: str, description: str) -> Reply:
    return placed(text.upper()) if size <= cap.limit else refused()


def crying(cap: Cap, size: int, text: str, description: str) -> Reply:
    return placed(text, "watch out") if size <= cap.limit else refused()


def without_reason(cap: Cap, size: int, text: str, description: str) -> Reply:
    return placed(text) if size <= cap.limit else refused(reason="error")


def without_hint(cap: Cap, size: int, text: str, description: str) -> Reply:
    return placed(text) if size <= cap.limit else refused(hint=None)


def without_file(cap: Cap, size: int, text: str, description: str) -> Reply:
    return placed(text) if size <= cap.limit else refused(file=None)


def silent(cap: Cap, size: int, text: str, description: str) -> Reply:
    return right(cap, size, text, description)._replace(warnings=())


def butchering(cap: Cap, size: int, text: str, description: str) -> Reply:
    reply = right(cap, size, text, description)
    kept = description[: cap.limit - 3]
    return reply if size <= cap.limit else placed(text.replace(description, kept), *reply.warnings)


@pytest.mark.parametrize("cap", [BODY, WARNED, LINES, TOKENS, NAME, SHRUNK, LISTED, CHAIN], ids=str)
def test_an_installer_that_keeps_caps_is_not_faulted(
    cap: Cap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _faults(cap, right, tmp_path, monkeypatch) == []


@pytest.mark.parametrize(
    ("cap", "installer", "says"),
    [
        (BODY, ignoring, "just over: it is placed with 501 bytes"),
        (LINES, ignoring, "just over: it is placed with 41 lines"),
        (TOKENS, ignoring, "tokens"),
        (NAME, ignoring, "just over: it is placed with 31 characters"),
        (SHRUNK, ignoring, "just over: it is placed with 201 characters"),
        (LISTED, ignoring, "just over: it is placed with 3,001 characters"),
        (CHAIN, ignoring, "just over: it is placed with 701 bytes"),
        (BODY, cutting, "words of its text are nowhere"),
        (CHAIN, cutting, "words of its text are nowhere"),
        (BODY, timid, "at: it keeps every cap and is refused"),
        (LISTED, timid, "at: it keeps every cap and is refused"),
        (WARNED, timid, "far over: it is refused, which"),
        (BODY, meddling, "one under: it keeps every cap and is changed"),
        (BODY, crying, "at: it keeps every cap and is warned about"),
        (BODY, without_reason, "it is refused for another reason than its size"),
        (BODY, without_hint, "its refusal gives no hint"),
        (BODY, without_file, "its refusal names no file"),
        (WARNED, silent, "no warning names the limit"),
        (SHRUNK, silent, "no warning names both sizes"),
        (SHRUNK, butchering, "it is cut inside a word"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_an_installer_that_does_not_is(
    cap: Cap, installer: Installer, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert says in "\n".join(_faults(cap, installer, tmp_path, monkeypatch))


def test_a_sum_may_be_refused_without_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _faults(LISTED, without_file, tmp_path, monkeypatch) == []


def test_a_cap_of_the_other_scope_or_of_nothing_placed_is_not_tried(tmp_path: Path) -> None:
    scoped = BODY._replace(scope="project")
    assert caps.applicable(_case(tmp_path, scoped, Cap("reference", 10), SHRUNK)) == (SHRUNK,)


def _faults(cap: Cap, installer: Installer, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    def emitted(case: Case, documents: tuple[Document, ...], *, uncapped: bool = False) -> Reply:
        text, description = _text(documents[0]), str(documents[0].meta["description"])
        if uncapped:
            return placed(text)
        return installer(cap, _size(cap, documents, text), text, description)

    monkeypatch.setattr(caps, "emitted", emitted)
    monkeypatch.setattr(sized, "emitted", emitted)
    return caps.faults(_case(folder, cap))


def _text(document: Document) -> str:
    return f"{document.meta['description']}\n{''.join(map(str, document.sections[0].parts))}"


def _size(cap: Cap, documents: tuple[Document, ...], text: str) -> int:
    if cap.field == "listing":
        return sum(measure(f"kit-{item.id}{item.meta['description']}", cap.unit) for item in documents)
    values = {"name": f"kit-{documents[0].id}", "description": str(documents[0].meta["description"])}
    return measure(values.get(cap.field or "", text), cap.unit)


def _case(folder: Path, *limits: Cap) -> Case:
    plugin = Plugin(SOUND, limits, (), {}, ("gsd-defects",))
    platform = Platform("linux", str(folder), {}, str(folder / "project"))
    return Case(Plugins(()), Uncapped(()), plugin, "global", platform)
