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


def write(host: str, home: Path, project: Path) -> None:
    """Put the settings of a host into a home."""
    files = {
        "codex": {".codex/config.toml": _CODEX.replace("PROJECT", str(project))},
        "opencode": {".config/opencode/opencode.json": json.dumps(_OPENCODE, indent=2)},
        "gemini": {".gemini/settings.json": json.dumps(_GEMINI, indent=2)},
        "qwen": {".qwen/settings.json": json.dumps(_QWEN, indent=2)},
        "pi": {".pi/agent/models.json": json.dumps(_PI, indent=2)},
    }.get(host, {})
    for path, text in files.items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(text, encoding="utf-8")
