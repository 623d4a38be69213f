"""The text of a workflow with exactly the sections this invocation needs.

What is printed is the installed body, byte for byte, with each pointer to a step file replaced by the text of
that file, or gone where the section does not apply. A line that a person has edited is no pointer any more
and stays.
"""

from __future__ import annotations

from gsd_capabilities.companion import init, payload
from gsd_capabilities.companion.request import Printed, Verb
from gsd_install.kernel import applicability
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gsd_capabilities.companion.init import Invocation
    from gsd_capabilities.companion.payload import Step
    from gsd_capabilities.companion.request import Request
    from gsd_install.kernel.fragment import Fragment


class Piece(NamedTuple):
    """Bytes of the result; `pointer` is the line they stand for, empty for the body itself."""

    id: str
    text: bytes
    pointer: bytes = b""


def render(request: Request) -> Printed:
    """Print a workflow for one invocation. Raises what `init.invocation` raises, and BudgetError."""
    root = payload.root(request.payload, request.cwd, request.environ)
    call = init.invocation(request, root)
    pieces = tuple(_pieces(call))
    limit = request.options.get("max-tokens")
    notes = (f"{call.workflow.problem}; every step file is to be read",) if call.workflow.problem else ()
    if limit is None:
        return Printed(b"".join(piece.text for piece in pieces), notes)
    return Printed(fitted(pieces, tokens(limit), call.workflow.path), notes)


def fitted(pieces: Sequence[Piece], limit: int, file: str) -> bytes:
    """The pieces within `limit` estimated tokens, less a margin: sections give way to their pointers.

    The body is never touched. Raises BudgetError with what it would take.
    """
    from gsd_install.kernel.compose import compose
    from gsd_install.kernel.measure import ERROR_PERCENT, estimated

    fragments = [
        _fragment(piece, file, leads=number == 0) for number, piece in enumerate(pieces) if piece.text
    ]
    made = compose(fragments, limit, estimated(), mode="optimise", margin=ERROR_PERCENT, note=None)
    return made.text.encode()


def tokens(limit: str) -> int:
    """The value of `--max-tokens`. Raises UsageError `bad_budget`."""
    if not (limit.isascii() and limit.isdigit()):
        message = f"--max-tokens takes a whole number, not {limit!r}"
        raise UsageError(message, reason="bad_budget", hint="--max-tokens 20000")
    return int(limit)


def _pieces(call: Invocation) -> Iterator[Piece]:
    """The body in its order, taken apart at its pointers."""
    steps = {step.pointer.rstrip("\r\n").encode(): step for step in call.workflow.steps or ()}
    gaps = 1
    kept: list[bytes] = []
    for line in payload.read(call.workflow.path).splitlines(keepends=True):
        step = steps.get(line.rstrip(b"\r\n"))
        if step is None:
            kept.append(line)
        elif applicability.applies(step.when, call.facts):
            yield Piece(f"gap-{gaps}", b"".join(kept))
            yield Piece(f"{step.id}@{gaps}", _standing_for(line, step), line)
            kept, gaps = [], gaps + 1
    yield Piece(f"gap-{gaps}", b"".join(kept))


def _standing_for(line: bytes, step: Step) -> bytes:
    """The text of a step file, which ends its line where the pointer ended its own."""
    text = payload.read(step.read)
    end = line[len(line.rstrip(b"\r\n")) :]
    return text if not end or not text or text.endswith((b"\n", b"\r")) else text + end


def _fragment(piece: Piece, file: str, *, leads: bool) -> Fragment:
    from gsd_install.kernel.fragment import extract, verbatim

    text = _decoded(piece.text, file)
    if piece.pointer:
        return extract(piece.id, text, piece.pointer.decode())
    return verbatim(piece.id, text, isolate=leads)


def _decoded(data: bytes, file: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise GsdError(
            "this text is not UTF-8, so its tokens cannot be counted",
            reason="not_text",
            file=file,
            hint="save it as UTF-8, or leave --max-tokens out",
        ) from error


VERBS: Mapping[str, Verb] = {
    "render": Verb(
        render,
        "render WORKFLOW [ARGS | -] [--max-tokens N]",
        values=frozenset({"max-tokens"}),
        passes=True,
    )
}
