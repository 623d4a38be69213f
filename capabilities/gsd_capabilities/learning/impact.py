"""What a proposal could do, read from the proposal itself: whoever proposed it can only claim more.

Low is what could change no machine and reach no network: Markdown alone, short, without commands, addresses,
words about secrets or text that a reader does not see, and unlike everything that is there already.
"""

from __future__ import annotations

import re

from gsd_capabilities.learning.limits import LOW_IMPACT_BYTES, OVERLAP_SHARE
from gsd_capabilities.learning.triggers import words
from gsd_install.kernel import frontmatter, markdown
from gsd_install.kernel.learned import SKILL
from gsd_install.kernel.learned_rules import documents
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from gsd_install.kernel.learned import Proposal

LOW, HIGH = "low", "high"
LEVELS = (LOW, HIGH)

_PLAIN_BLOCKS = frozenset({"text", "txt", "markdown", "md", "diff", "csv"})
_INDENTED = ("    ", "\t")
_SPAN = re.compile(r"`([^`\n]+)`")
_PROMPT = re.compile(r"^[ \t>]*[$#%][ \t]+\S", re.MULTILINE)
_COMMAND = re.compile(
    r"(?:bash|sh|zsh|fish|cmd|powershell|pwsh|python3?|node|deno|bun|npm|npx|pnpm|yarn|pip3?|pipx|uvx?|curl|wget"
    r"|ssh|scp|rsync|nc|git|gh|docker|podman|kubectl|terraform|make|cargo|go|brew|apt|apt-get|dnf|sudo|su|rm|mv"
    r"|cp|chmod|chown|dd|kill|eval|exec|source|export|crontab|systemctl|osascript|gsd-tools|gsd-install)(?:\s|$)",
    re.IGNORECASE,
)
_DANGEROUS = re.compile(
    r"\b(?:curl|wget|sudo|ssh|scp|eval|chmod|rm -\w+|(?:pip|npm|npx|brew|apt) install)\b", re.IGNORECASE
)
# Every repetition has a bound: a proposal that is nothing but dots is to take no longer than another one.
_ADDRESS = re.compile(
    r"[a-z][a-z0-9+.-]{0,20}://|\bwww\.|\b(?:\d{1,3}\.){3}\d{1,3}\b|\blocalhost\b|\bmailto:"
    r"|[\w.-]{1,64}@[\w-]{1,63}\.\w",
    re.IGNORECASE,
)
_SERVER = re.compile(r"\bmcp\b|mcp_?servers|\.mcp\.json", re.IGNORECASE)
_SECRET = re.compile(
    r"passw(?:or)?ds?\b|passphrase|secrets?\b|credentials?\b|tokens?\b|api[ _-]?keys?\b|private[ _-]?keys?\b"
    r"|\.env\b|\bid_(?:rsa|ed25519)\b|keychain|authorization\b|cookies?\b",
    re.IGNORECASE,
)


class Judged(NamedTuple):
    """`level` is low or high; `reasons` say why it is high."""

    level: str
    reasons: tuple[str, ...]


def judge(proposal: Proposal, claimed: str, known: Mapping[str, str]) -> Judged:
    """The impact of a proposal. `known` maps the names of what is there to descriptions, empty where unknown.

    Nothing claimed counts as high, and so does what the proposal shows by itself, whatever is claimed.
    """
    reasons = tuple(dict.fromkeys(_reasons(proposal, claimed, known)))
    return Judged(HIGH if reasons else LOW, reasons)


def _reasons(proposal: Proposal, claimed: str, known: Mapping[str, str]) -> Iterator[str]:
    if not claimed:
        yield "no impact is stated"
    elif claimed != LOW:
        yield "it is stated to be high"
    if proposal.kind != SKILL:
        yield f"it is of the kind {proposal.kind}"
    strange = next((path for path in proposal.files if not path.endswith(".md")), None)
    if strange is not None:
        yield f"it brings a file that is no Markdown: {strange}"
    for path, file in proposal.files.items():
        if file.executable or file.data.startswith(b"#!"):
            yield f"it brings a script: {path}"
    size = sum(len(file.data) for file in proposal.files.values())
    if size > LOW_IMPACT_BYTES:
        yield f"it is long: {size:,} bytes, over {LOW_IMPACT_BYTES:,}"
    for file in proposal.files.values():
        yield from _said(file.data.decode("utf-8", "replace"))
    yield from _overlaps(proposal, known)


def _said(text: str) -> Iterator[str]:
    """What the words of a proposal give away."""
    for what, found in (
        ("it holds commands", _commands(text)),
        ("it names an address", _first(_ADDRESS, text)),
        ("it speaks of MCP servers", _first(_SERVER, text)),
        ("it speaks of secrets", _first(_SECRET, text)),
        ("it holds text that is not shown", _hidden(text)),
    ):
        if found:
            yield f"{what}: {found}"


def _first(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match[0].strip() if match else ""


def _commands(text: str) -> str:
    """What somebody could run: in a code block, behind a prompt, or in a code span."""
    for line in markdown.scan(text):
        row = text[line.start : line.end]
        block = _block(row) if not line.inner else ""
        if block and not (line.kind == "fence" and block in _PLAIN_BLOCKS):
            return f"a code block of {block}"
        if line.kind != "fence" and row.startswith(_INDENTED) and _COMMAND.match(row.strip()):
            return row.strip()
    span = next((code for code in _SPAN.findall(text) if _COMMAND.match(code.strip())), "")
    return span or _first(_DANGEROUS, text) or _first(_PROMPT, _without_headings(text))


def _block(row: str) -> str:
    """The language of the code block that a row opens, in a list or a quotation too; empty for other rows."""
    bare = row.lstrip(" \t>*+-0123456789.)")
    if bare[:1] not in ("`", "~") or bare[:3] != bare[:1] * 3:
        return ""
    return bare.strip(" \t\r\n`~").lower() or "no language"


def _without_headings(text: str) -> str:
    rows = (text[line.start : line.end] for line in markdown.scan(text) if line.kind != "heading")
    return "".join(rows)


def _hidden(text: str) -> str:
    """An HTML comment, or a character that takes no room or turns the direction of reading."""
    if any(line.kind == "comment" for line in markdown.scan(text)) or "<!" in text:
        return "a comment"
    strange = next((one for one in text if not one.isprintable() and one not in "\n\r\t"), "")
    return f"U+{ord(strange):04X}" if strange else ""


def _overlaps(proposal: Proposal, known: Mapping[str, str]) -> Iterator[str]:
    for path, _, name in documents(proposal.name, proposal.files):
        about = description(proposal.files[path].data, f"{proposal.folder}/{path}")
        for other, said in known.items():
            if _share(set(name.split("-")), set(other.split("-"))) >= OVERLAP_SHARE:
                yield f"its name is like that of {other}"
            elif _share(words(about), words(said)) >= OVERLAP_SHARE:
                yield f"its description is like that of {other}"


def description(data: bytes, file: str) -> str:
    """The description in the frontmatter of a document, or empty. `file` is what errors name."""
    found = frontmatter.split(data.decode("utf-8", "replace"), file=file).fields.get("description", "")
    return found if isinstance(found, str) else ""


def _share(one: AbstractSet[str], other: AbstractSet[str]) -> float:
    return len(one & other) / len(one | other) if one and other else 0.0
