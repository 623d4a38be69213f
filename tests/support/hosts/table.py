"""The hosts that stand as witnesses: where each comes from, pinned, and which runtime plugin it proves."""

from __future__ import annotations

from typing import NamedTuple

KINDS = ("skill", "command", "agent", "instructions", "hook")


class Host(NamedTuple):
    """`package` and `version` name it in the registry, `binary` is its program there: a name, or a path
    below `node_modules`.

    `kinds` are what it confirms in a listing of its own or in what it sends to the model; `unseen` says of
    the others why there is nothing to confirm. `newer_node`: it needs the node that is fetched along.
    `python`: the oldest that runs one from PyPI.
    """

    id: str
    package: str
    version: str
    binary: str
    kinds: tuple[str, ...]
    unseen: tuple[tuple[str, str], ...]
    newer_node: bool = False
    registry: str = "npm"
    python: tuple[int, int] = (3, 11)


NODE = ("node", "24.21.0")

_AS_SKILLS = "they are installed as skills"
_NO_WAY = "no hook of ours is installed: it gives a script no way to reach the model"
_ACCOUNT = "it shows none without an account"

HOSTS = (
    Host(
        "claude",
        "@anthropic-ai/claude-code",
        "2.1.332",
        "claude",
        ("skill", "command", "agent", "instructions", "hook"),
        (),
    ),
    Host(
        "codex",
        "@openai/codex",
        "0.171.0",
        "codex",
        ("skill", "agent", "instructions"),
        (
            ("command", _AS_SKILLS),
            ("hook", "it runs a hook only when its user has trusted it"),
        ),
    ),
    Host(
        "opencode",
        "opencode-ai",
        "1.18.33",
        "opencode",
        ("skill", "command", "agent", "instructions"),
        (("hook", "its hooks are JavaScript plugins; none is installed"),),
    ),
    Host(
        "gemini",
        "@google/gemini-cli",
        "0.61.0",
        "gemini",
        ("skill", "command", "agent", "instructions"),
        (("hook", _NO_WAY),),
    ),
    Host(
        "qwen",
        "@qwen-code/qwen-code",
        "0.24.4",
        "qwen",
        ("skill", "command", "agent", "instructions", "hook"),
        (),
        newer_node=True,
    ),
    Host(
        "copilot",
        "@github/copilot",
        "1.0.102",
        "copilot",
        ("skill", "agent", "instructions"),
        (
            ("command", _AS_SKILLS),
            ("hook", _NO_WAY),
        ),
    ),
    Host(
        "pi",
        "@earendil-works/pi-coding-agent",
        "1.6.0",
        "pi",
        ("skill", "command", "instructions"),
        (
            ("agent", "it has none"),
            ("hook", "its hooks are TypeScript extensions; none is installed"),
        ),
        newer_node=True,
    ),
    Host(
        "augment",
        "@augmentcode/auggie",
        "0.36.0",
        "auggie",
        ("skill", "command"),
        (
            ("agent", _ACCOUNT),
            ("instructions", _ACCOUNT),
            ("hook", _ACCOUNT),
        ),
    ),
    Host(
        "kilo",
        "@kilocode/cli-linux-x64",
        "7.7.9",
        "@kilocode/cli-linux-x64/bin/kilo",
        ("skill", "command", "agent", "instructions"),
        (("hook", "its hooks are JavaScript plugins; none is installed"),),
    ),
    Host(
        "kimi-code",
        "@moonshot-ai/kimi-code",
        "2.1.0",
        "kimi",
        ("skill", "agent", "instructions"),
        (
            ("command", _AS_SKILLS),
            ("hook", _NO_WAY),
        ),
        newer_node=True,
    ),
    Host(
        "droid",
        "droid",
        "0.215.0",
        "droid",
        ("skill", "agent", "instructions", "hook"),
        (("command", _AS_SKILLS),),
    ),
    Host(
        "continue",
        "@continuedev/cli",
        "1.5.47",
        "cn",
        ("skill", "instructions"),
        (
            ("command", _AS_SKILLS),
            ("agent", "it has none"),
            ("hook", "none that this program runs is documented"),
        ),
    ),
    Host(
        "qoder",
        "@qoder-ai/qodercli",
        "1.1.52",
        "qodercli",
        ("skill", "command", "agent"),
        (
            ("instructions", _ACCOUNT),
            ("hook", _ACCOUNT),
        ),
    ),
    Host(
        "mistral-vibe",
        "mistral-vibe",
        "3.0.2",
        "vibe",
        ("skill", "instructions"),
        (
            ("command", _AS_SKILLS),
            ("agent", "it has none"),
            ("hook", "it has none"),
        ),
        registry="pypi",
        python=(3, 12),
    ),
    Host(
        "hermes",
        "hermes-agent",
        "0.19.0",
        "hermes",
        ("skill",),
        (
            ("command", _AS_SKILLS),
            ("agent", "it has none"),
            ("instructions", "it has no file of its own for them"),
            ("hook", "it runs a hook only when its user has allowed it"),
        ),
        registry="pypi",
    ),
)
BY_ID = {host.id: host for host in HOSTS}
