"""What is kept about an artifact beside its bytes: who stored it, when, and which tool it came from.

A record never enters a conversation, and it does not say whether the bytes are still there: that is found
out each time. `create` takes the owner from the trusted binding; `reconstruct` believes nothing it reads.
"""

from __future__ import annotations

from gsd_capabilities.artifacts import reference as references
from gsd_capabilities.artifacts.binding import Owner
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

SCHEMA = 1
DESCRIPTION_LENGTH = 500


class Record(NamedTuple):
    """One stored artifact of one owner.

    `path` is relative to the workspace; `created` is in seconds since 1970.
    """

    reference: str
    path: str
    size: int
    owner: Owner
    tool: str
    call: str
    description: str
    created: float
    schema: int = SCHEMA

    @property
    def digest(self) -> str:
        """The SHA-256 of the bytes."""
        return references.digest_of(self.reference)


def path_of(digest: str) -> str:
    """Where the bytes with this digest are, below whatever workspace, with `/`."""
    return f"{digest[:2]}/{digest[2:4]}/{digest}"


def create(
    digest: str, size: int, owner: Owner, tool: str = "", call: str = "", description: str = ""
) -> Record:
    """A new record, stamped now. Raises GsdError `bad_record`."""
    import time

    made = Record(
        references.PREFIX + digest, path_of(digest), size, owner, tool, call, description, time.time()
    )
    _check(made)
    return made


def dump(record: Record) -> bytes:
    """The record as one line of JSON without its line end."""
    import json

    return json.dumps({**record._asdict(), "owner": record.owner._asdict()}).encode()


def reconstruct(data: bytes) -> Record:
    """The record that was dumped as `data`, every field checked again. Raises GsdError `bad_record`."""
    import json

    try:
        table: Any = json.loads(data)
        owner = Owner(**table.pop("owner"))
        made = Record(owner=owner, **table)
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise _refused("it cannot be read") from error
    _check(made)
    return made


def usable(data: bytes | None, owner: Owner, digest: str) -> Record | None:
    """The record in `data`, if it lets this owner have these bytes. Raises GsdError `bad_record`."""
    record = None if data is None else reconstruct(data)
    if record is None or record.owner != owner or record.digest != digest:
        return None
    return record


def _check(made: Record) -> None:
    if type(made.schema) is not int or made.schema != SCHEMA:
        raise _refused("it is of another version")
    if not references.is_reference(made.reference):
        raise _refused("its reference is malformed")
    if made.path != path_of(made.reference.removeprefix(references.PREFIX)):
        raise _refused("its path is not the one that belongs to its digest")
    if type(made.size) is not int or made.size <= 0:
        raise _refused("its size is not positive")
    if not all(isinstance(part, str) and part for part in made.owner):
        raise _refused("its owner is incomplete")
    if not all(isinstance(text, str) for text in (made.tool, made.call, made.description)):
        raise _refused("its origin is no text")
    if len(made.description) > DESCRIPTION_LENGTH:
        raise _refused(f"its description is longer than {DESCRIPTION_LENGTH} characters")
    if type(made.created) not in (int, float) or not 0 <= made.created < float("inf"):
        raise _refused("its time is impossible")


def _refused(why: str) -> GsdError:
    return GsdError(f"this record of an artifact is refused: {why}", reason="bad_record")
