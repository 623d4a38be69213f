"""The hosts that stand as witnesses: where each comes from, pinned, and which runtime plugin it proves."""

from __future__ import annotations

from typing import NamedTuple

KINDS = (
    "skill",
    "command",
    "agent",
    "instructions",
    "hook",
    "mcp",
    "read body",
    "run gsd-tools",
    "inject",
    "doctor --live",
)


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
_NO_TURN = "no way to give it the stub for a model is known"
_NO_SERVER = "no server of ours is installed"
_UNSEEN = "it was not seen to start its servers"
_NO_LISTING = "it lists nothing without an account or a model"
_NO_SNIPPET = "no snippet that it runs in a command is known"

HOSTS = (
    Host(
        "claude",
        "@anthropic-ai/claude-code",
        "2.1.332",
        "claude",
        (
            "skill",
            "command",
            "agent",
            "instructions",
            "hook",
            "read body",
            "run gsd-tools",
            "inject",
            "doctor --live",
            "mcp",
        ),
        (),
    ),
    Host(
        "codex",
        "@openai/codex",
        "0.171.0",
        "codex",
        ("skill", "agent", "instructions", "read body", "run gsd-tools", "doctor --live", "mcp"),
        (
            ("command", _AS_SKILLS),
            ("hook", "it runs a hook only when its user has trusted it"),
            ("inject", _AS_SKILLS),
        ),
    ),
    Host(
        "opencode",
        "opencode-ai",
        "1.18.33",
        "opencode",
        ("skill", "command", "agent", "instructions", "read body", "run gsd-tools", "doctor --live", "mcp"),
        (
            ("hook", "its hooks are JavaScript plugins; none is installed"),
            ("inject", "a backtick among the arguments would end the snippet"),
        ),
    ),
    Host(
        "gemini",
        "@google/gemini-cli",
        "0.61.0",
        "gemini",
        (
            "skill",
            "command",
            "agent",
            "instructions",
            "read body",
            "run gsd-tools",
            "inject",
            "doctor --live",
            "mcp",
        ),
        (("hook", "what a session hook adds keeps a typed command from being one; none is installed"),),
    ),
    Host(
        "qwen",
        "@qwen-code/qwen-code",
        "0.24.4",
        "qwen",
        (
            "skill",
            "command",
            "agent",
            "instructions",
            "hook",
            "read body",
            "run gsd-tools",
            "doctor --live",
            "mcp",
        ),
        (("inject", "`$ARGUMENTS` among the arguments would end the quotes around them"),),
        newer_node=True,
    ),
    Host(
        "copilot",
        "@github/copilot",
        "1.0.102",
        "copilot",
        ("skill", "agent", "instructions", "hook", "doctor --live", "mcp"),
        (
            ("command", _AS_SKILLS),
            ("read body", "it asks before it reads outside the project; no setting of it says otherwise"),
            ("run gsd-tools", "it asks before it runs a line; no setting of it says otherwise"),
            ("inject", _AS_SKILLS),
        ),
    ),
    Host(
        "pi",
        "@earendil-works/pi-coding-agent",
        "1.6.0",
        "pi",
        ("skill", "command", "instructions", "read body", "run gsd-tools", "doctor --live"),
        (
            ("agent", "it has none"),
            ("hook", "its hooks are TypeScript extensions; none is installed"),
            ("inject", _NO_SNIPPET),
            ("mcp", "it has none"),
        ),
        newer_node=True,
    ),
    Host(
        "augment",
        "@augmentcode/auggie",
        "0.36.0",
        "auggie",
        ("skill", "command", "doctor --live"),
        (
            ("agent", _ACCOUNT),
            ("instructions", _ACCOUNT),
            ("hook", _ACCOUNT),
            ("read body", _ACCOUNT),
            ("run gsd-tools", _ACCOUNT),
            ("inject", _NO_SNIPPET),
            ("mcp", _ACCOUNT),
        ),
    ),
    Host(
        "kilo",
        "@kilocode/cli-linux-x64",
        "7.7.9",
        "@kilocode/cli-linux-x64/bin/kilo",
        ("skill", "command", "agent", "instructions", "read body", "run gsd-tools", "doctor --live", "mcp"),
        (
            ("hook", "its hooks are JavaScript plugins; none is installed"),
            ("inject", "none is installed: it is built on OpenCode"),
        ),
    ),
    Host(
        "kimi-code",
        "@moonshot-ai/kimi-code",
        "2.1.0",
        "kimi",
        ("skill", "agent", "instructions", "read body", "run gsd-tools", "mcp"),
        (
            ("command", _AS_SKILLS),
            ("hook", _NO_WAY),
            ("inject", _AS_SKILLS),
            ("doctor --live", _NO_LISTING),
        ),
        newer_node=True,
    ),
    Host(
        "droid",
        "droid",
        "0.215.0",
        "droid",
        ("skill", "agent", "instructions", "hook", "read body", "run gsd-tools"),
        (
            ("command", _AS_SKILLS),
            ("inject", _AS_SKILLS),
            ("mcp", _UNSEEN),
            ("doctor --live", _NO_LISTING),
        ),
    ),
    Host(
        "continue",
        "@continuedev/cli",
        "1.5.47",
        "cn",
        ("skill", "instructions", "read body", "run gsd-tools"),
        (
            ("command", _AS_SKILLS),
            ("agent", "it has none"),
            ("hook", "none that this program runs is documented"),
            ("inject", _AS_SKILLS),
            ("mcp", _UNSEEN),
            ("doctor --live", _NO_LISTING),
        ),
    ),
    Host(
        "cline",
        "cline",
        "3.0.65",
        "cline",
        ("skill", "agent", "instructions", "read body", "run gsd-tools"),
        (
            ("command", _AS_SKILLS),
            ("hook", "a hook of it is a program by the name of its event; none is installed"),
            ("inject", _AS_SKILLS),
            ("mcp", _UNSEEN),
            ("doctor --live", _NO_LISTING),
        ),
    ),
    Host(
        "qoder",
        "@qoder-ai/qodercli",
        "1.1.52",
        "qodercli",
        ("skill", "command", "agent", "doctor --live"),
        (
            ("instructions", _ACCOUNT),
            ("hook", _ACCOUNT),
            ("read body", _ACCOUNT),
            ("run gsd-tools", _ACCOUNT),
            ("inject", _NO_SNIPPET),
            ("mcp", _ACCOUNT),
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
            (
                "read body",
                "it asks before it reads outside the project; a rule of ours changed nothing",
            ),
            ("run gsd-tools", "a list of allowed lines would replace the one it has, so none is installed"),
            ("inject", _AS_SKILLS),
            ("mcp", _NO_SERVER),
            ("doctor --live", _NO_LISTING),
        ),
        registry="pypi",
        python=(3, 12),
    ),
    Host(
        "hermes",
        "hermes-agent",
        "0.19.0",
        "hermes",
        ("skill", "doctor --live"),
        (
            ("command", _AS_SKILLS),
            ("agent", "it has none"),
            ("instructions", "it has no file of its own for them"),
            ("hook", "it runs a hook only when its user has allowed it"),
            ("read body", _NO_TURN),
            ("run gsd-tools", _NO_TURN),
            ("inject", _AS_SKILLS),
            ("mcp", _UNSEEN),
        ),
        registry="pypi",
    ),
)
BY_ID = {host.id: host for host in HOSTS}
