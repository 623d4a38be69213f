"""How each host is made to take one turn with its model, which is the stub: words, variables, its tools.

No turn here passes a flag that grants permissions: what a host may do is what its user's settings and the
installed files say.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from support.hosts.protocols import Call


class Tool(NamedTuple):
    """A tool of a host, and the arguments of a call of it with `{}` where the path or the line goes."""

    name: str
    arguments: Mapping[str, Any]

    def call(self, value: str) -> Call:
        """A call of it."""
        text = json.dumps(self.arguments).replace("{}", json.dumps(value)[1:-1])
        return Call(self.name, json.loads(text))


class Turn(NamedTuple):
    """`words` hold `{prompt}` and may hold `{home}`, values of `environ` `{url}`.

    The tools are those that read a file and that run a line in a shell.
    """

    words: tuple[str, ...]
    environ: Mapping[str, str]
    read: Tool
    run: Tool

    def spoken(self, home: str, prompt: str) -> list[str]:
        """The words with a home and a prompt in them."""
        return [prompt if word == "{prompt}" else word.replace("{home}", home) for word in self.words]

    def variables(self, url: str) -> dict[str, str]:
        """The variables with the stub's address in them."""
        return {key: value.replace("{url}", url) for key, value in self.environ.items()}


_DESCRIBED = {"description": "what a person would be shown"}

TURNS: dict[str, Turn] = {
    "claude": Turn(
        ("-p", "{prompt}", "--output-format", "stream-json", "--verbose"),
        {
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "ANTHROPIC_API_KEY": "sk-ant-none",
            "ANTHROPIC_BASE_URL": "{url}",
        },
        Tool("Read", {"file_path": "{}"}),
        Tool("Bash", {"command": "{}"} | _DESCRIBED),
    ),
    "codex": Turn(
        ("exec", "--skip-git-repo-check", "{prompt}"),
        {"STUB_KEY": "none"},
        Tool("exec_command", {"cmd": "cat {}"}),
        Tool("exec_command", {"cmd": "{}"}),
    ),
    "opencode": Turn(
        ("run", "{prompt}", "--format", "json", "--pure"),
        {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"},
        Tool("read", {"filePath": "{}"}),
        Tool("bash", {"command": "{}"} | _DESCRIBED),
    ),
    "kilo": Turn(
        ("run", "{prompt}", "--format", "json", "--pure"),
        {"KILO_DISABLE_AUTOUPDATE": "1", "KILO_DISABLE_MODELS_FETCH": "1"},
        Tool("read", {"filePath": "{}"}),
        Tool("bash", {"command": "{}"} | _DESCRIBED),
    ),
    "gemini": Turn(
        ("-m", "gemini-2.5-pro", "-p", "{prompt}", "-o", "stream-json", "--skip-trust"),
        {
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GEMINI_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": "{url}",
        },
        Tool("read_file", {"file_path": "{}"}),
        Tool("run_shell_command", {"command": "{}"}),
    ),
    "qwen": Turn(
        ("-p", "{prompt}", "-o", "stream-json"),
        {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": "{url}/v1", "OPENAI_MODEL": "stub-model"},
        Tool("read_file", {"file_path": "{}"}),
        Tool("run_shell_command", {"command": "{}", "is_background": False}),
    ),
    "copilot": Turn(
        ("-p", "{prompt}", "--output-format", "json"),
        {
            "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false",
            "COPILOT_PROVIDER_BASE_URL": "{url}/v1",
            "COPILOT_PROVIDER_API_KEY": "none",
            "COPILOT_MODEL": "gpt-5",
        },
        Tool("view", {"path": "{}"}),
        Tool("bash", {"command": "{}"} | _DESCRIBED),
    ),
    "pi": Turn(
        ("--provider", "stub", "--model", "stub-model", "-p", "{prompt}"),
        {"PI_OFFLINE": "1"},
        Tool("read", {"path": "{}"}),
        Tool("bash", {"command": "{}"}),
    ),
    "mistral-vibe": Turn(
        ("--trust", "-p", "{prompt}"),
        {"MISTRAL_API_KEY": "none", "STUB_KEY": "none"},
        Tool("read_file", {"path": "{}"}),
        Tool("bash", {"command": "{}"}),
    ),
    "kimi-code": Turn(
        ("-p", "{prompt}", "--output-format", "stream-json"),
        {},
        Tool("Read", {"path": "{}"}),
        Tool("Bash", {"command": "{}"}),
    ),
    "droid": Turn(
        ("exec", "-m", "custom:Stub-0", "-o", "stream-json", "{prompt}"),
        {"FACTORY_API_KEY": "fk-none"},
        Tool("Read", {"file_path": "{}"}),
        Tool("Execute", {"command": "{}", "summary": "x", "riskLevel": "low", "riskLevelReason": "x"}),
    ),
    "continue": Turn(
        ("--config", "{home}/.continue/config.yaml", "-p", "{prompt}"),
        {"CONTINUE_TELEMETRY_ENABLED": "0"},
        Tool("Read", {"filepath": "{}"}),
        Tool("Bash", {"command": "{}"}),
    ),
    "cline": Turn(
        ("--json", "--timeout", "60", "{prompt}"),
        {"CLINE_TELEMETRY_DISABLED": "1"},
        Tool("read_files", {"files": [{"path": "{}"}]}),
        Tool("run_commands", {"commands": ["{}"]}),
    ),
}
