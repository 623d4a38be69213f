"""The hosts that stand as witnesses: where each comes from, pinned, and which runtime plugin it proves."""

from __future__ import annotations

from typing import NamedTuple


class Host(NamedTuple):
    """`package` and `version` name it in the registry, `binary` is its program there: a name, or
    a path below `node_modules`.

    `kinds` are what it shows in a listing of its own or sends to the model; `unseen` says of the others why
    they cannot be observed. `newer_node`: it needs the node that is fetched along.
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

HOSTS = (
    Host("claude", "@anthropic-ai/claude-code", "2.1.332", "claude",
         ("skill", "command", "agent", "instructions", "hook"), ()),
    Host("codex", "@openai/codex", "0.171.0", "codex",
         ("skill", "agent", "instructions"), (("command", "it has none; they are installed as skills"),)),
    Host("opencode", "opencode-ai", "1.18.33", "opencode",
         ("skill", "command", "agent", "instructions"), ()),
    Host("gemini", "@google/gemini-cli", "0.61.0", "gemini",
         ("skill", "command", "agent", "instructions"), ()),
    Host("qwen", "@qwen-code/qwen-code", "0.24.4", "qwen",
         ("skill", "command", "agent", "instructions"), (), newer_node=True),
    Host("copilot", "@github/copilot", "1.0.102", "copilot",
         ("skill", "agent", "instructions"), (("command", "it has none; they are installed as skills"),)),
    Host("pi", "@earendil-works/pi-coding-agent", "1.6.0", "pi",
         ("skill", "command", "instructions"), (("agent", "it has none"),), newer_node=True),
    Host("augment", "@augmentcode/auggie", "0.36.0", "auggie",
         ("skill", "command"), (("agent", "it lists none without an account"),)),
    Host("kilo", "@kilocode/cli-linux-x64", "7.7.9", "@kilocode/cli-linux-x64/bin/kilo",
         ("skill", "command", "agent", "instructions"), ()),
    Host("kimi-code", "@moonshot-ai/kimi-code", "2.1.0", "kimi",
         ("skill", "agent", "instructions"), (("command", "it has none"),), newer_node=True),
    Host("droid", "droid", "0.215.0", "droid",
         ("skill", "agent", "instructions"), (("command", "they are installed as skills"),)),
    Host("continue", "@continuedev/cli", "1.5.47", "cn",
         ("skill",), (("agent", "it has none"), ("command", "they are installed as skills"))),
    Host("qoder", "@qoder-ai/qodercli", "1.1.52", "qodercli",
         ("skill", "command", "agent"), ()),
    Host("mistral-vibe", "mistral-vibe", "3.0.2", "vibe",
         ("skill", "instructions"), (("agent", "it has none"),), registry="pypi", python=(3, 12)),
    Host("hermes", "hermes-agent", "0.19.0", "hermes",
         ("skill",), (("agent", "it has none"),), registry="pypi"),
)  # fmt: skip
BY_ID = {host.id: host for host in HOSTS}
