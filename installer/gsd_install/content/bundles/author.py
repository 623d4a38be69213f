"""The host that bundles are written for: how its plugins are laid out and what its words are for our own.

https://docs.claude.com/en/docs/claude-code: plugins-reference, plugin-marketplaces, slash-commands,
sub-agents, skills, hooks, settings. This is the one place that knows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# Its folders, in the home and in a project, and the instructions that a project has for it.
HOME, PROJECT, INSTRUCTIONS = "~/.claude", ".claude", "CLAUDE.md"

# What stands for the root of a plugin, in its texts and its manifests.
ROOT, ROOT_VARIABLE = "${CLAUDE_PLUGIN_ROOT}", "CLAUDE_PLUGIN_ROOT"

MANIFEST = ".claude-plugin/plugin.json"
MARKETPLACE = ".claude-plugin/marketplace.json"
SERVERS = ".mcp.json"
HOOKS = "hooks/hooks.json"

# The events of the host that bundles are written for, by our names of them.
EVENTS: Mapping[str, str] = MappingProxyType(
    {
        "SessionStart": "session-start",
        "SessionEnd": "session-end",
        "UserPromptSubmit": "prompt",
        "PreToolUse": "pre-tool",
        "PostToolUse": "post-tool",
        "Stop": "stop",
        "PreCompact": "pre-compact",
    }
)

# Its tools, as actions.
ACTIONS: Mapping[str, str] = MappingProxyType(
    {
        "Read": "read",
        "NotebookRead": "read",
        "Write": "write",
        "Edit": "edit",
        "MultiEdit": "edit",
        "NotebookEdit": "edit",
        "Grep": "search",
        "Glob": "find",
        "LS": "find",
        "Bash": "run",
        "WebFetch": "fetch",
        "WebSearch": "web",
        "AskUserQuestion": "ask",
        "Task": "dispatch",
        "Agent": "dispatch",
        "TodoWrite": "todo",
        "TodoRead": "todo",
    }
)

# Keys that mean something to the host a bundle was written for, and something else, or an error, elsewhere.
SPOKEN_FOR = frozenset(
    {
        "agent",
        "allowed-tools",
        "argument-hint",
        "arguments",
        "background",
        "color",
        "context",
        "disable-model-invocation",
        "disallowed-tools",
        "disallowedTools",
        "effort",
        "hooks",
        "isolation",
        "maxTurns",
        "mcpServers",
        "memory",
        "mode",
        "model",
        "name",
        "description",
        "paths",
        "permissionMode",
        "shell",
        "skills",
        "tools",
        "user-invocable",
        "when_to_use",
    }
)
