"""Settings a user of each host would have: above all where its model is, which here is the stub."""

from __future__ import annotations

import json
from pathlib import Path

# Stands in the settings for the stub's address, which is known only when it runs.
ADDRESS = "http://stub.invalid"

_CODEX = f"""\
# my own settings
model = "stub-model"
model_provider = "stub"

[model_providers.stub]
name = "stub"
base_url = "{ADDRESS}/v1"
wire_api = "responses"
env_key = "STUB_KEY"

[projects."PROJECT"]
trust_level = "trusted"
"""
_OPENCODE = {
    "model": "stub/stub-model",
    "provider": {
        "stub": {
            "npm": "@ai-sdk/openai-compatible",
            "name": "Stub",
            "options": {"baseURL": f"{ADDRESS}/v1", "apiKey": "none"},
            "models": {"stub-model": {"name": "Stub"}},
        }
    },
}
# What it adds itself, when it starts, to a file that does not say.
_KILO = _OPENCODE | {"permission": {"bash": "allow"}}
_GEMINI = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"enableAutoUpdate": False},
    "privacy": {"usageStatisticsEnabled": False},
}
_QWEN = {"security": {"auth": {"selectedType": "openai"}}, "privacy": {"usageStatisticsEnabled": False}}
_PI = {
    "providers": {
        "stub": {
            "baseUrl": f"{ADDRESS}/v1",
            "api": "openai-completions",
            "apiKey": "none",
            "models": [{"id": "stub-model"}],
        }
    }
}

_KIMI = f"""\
default_model = "stub"
telemetry = false

[providers.stub]
type = "openai"
base_url = "{ADDRESS}/v1"
api_key = "none"

[models.stub]
provider = "stub"
model = "stub-model"
max_context_size = 100000
"""
_DROID = {
    "customModels": [
        {
            "model": "stub-model",
            "displayName": "Stub",
            "baseUrl": f"{ADDRESS}/v1",
            "apiKey": "none",
            "provider": "generic-chat-completion-api",
            "maxOutputTokens": 1000,
        }
    ]
}
_CONTINUE = f"""\
name: stub
version: 1.0.0
schema: v1
models:
  - name: stub
    provider: openai
    model: stub-model
    apiBase: {ADDRESS}/v1
    apiKey: none
    roles: [chat]
"""
_VIBE = f"""\
active_model = "stub"
enable_update_checks = false
enable_telemetry = false

[[providers]]
name = "stub"
api_base = "{ADDRESS}/v1"
api_key_env_var = "STUB_KEY"

[[models]]
name = "stub-model"
provider = "stub"
alias = "stub"
"""


def write(host: str, home: Path, project: Path) -> None:
    """Put the settings of a host into a home."""
    files = {
        "codex": {".codex/config.toml": _CODEX.replace("PROJECT", str(project))},
        "opencode": {".config/opencode/opencode.json": json.dumps(_OPENCODE, indent=2)},
        "gemini": {".gemini/settings.json": json.dumps(_GEMINI, indent=2)},
        "qwen": {".qwen/settings.json": json.dumps(_QWEN, indent=2)},
        "kilo": {".config/kilo/kilo.json": json.dumps(_KILO, indent=2)},
        "kimi-code": {".kimi-code/config.toml": _KIMI},
        "droid": {".factory/settings.json": json.dumps(_DROID, indent=2)},
        "continue": {".continue/config.yaml": _CONTINUE},
        "mistral-vibe": {".vibe/config.toml": _VIBE},
        "pi": {".pi/agent/models.json": json.dumps(_PI, indent=2)},
    }.get(host, {})
    for path, text in files.items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(text, encoding="utf-8")
