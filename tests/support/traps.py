"""A Claude plugin with everything in it that some host rejects, cuts or reads differently."""

from __future__ import annotations

import json
from pathlib import Path

PLUGIN = "Acme Tools"
PREFIX = "acme-tools"
LONG_NAME = "a-skill-with-a-name-that-is-much-longer-than-the-sixty-four-characters-a-host-takes"
_PREFIX_OF_LATIN = b"caf\xe9 \xff\xfe"

_HOOKS = {
    "hooks": {
        "SessionStart": [
            {"hooks": [{"type": "command", "command": '"${CLAUDE_PLUGIN_ROOT}"/scripts/hello.sh start'}]}
        ],
        "PreToolUse": [
            {
                "matcher": "Write|Edit",
                "hooks": [{"type": "command", "command": "python3 ${CLAUDE_PLUGIN_ROOT}/hooks/guard.py"}],
            }
        ],
        "BogusEvent": [{"hooks": [{"type": "command", "command": "true"}]}],
    }
}
_SERVERS = {
    "mcpServers": {
        "acme": {"command": "node", "args": ["${CLAUDE_PLUGIN_ROOT}/servers/acme.js"], "env": {"A": "1"}},
        "remote": {"type": "http", "url": "https://mcp.example.test/"},
    }
}
_REFERENCES = """\
Read ${CLAUDE_PLUGIN_ROOT}/references/style.md and @~/.claude/commands/git/commit.md first.
Run `python3 "${CLAUDE_PLUGIN_ROOT}/scripts/lint.py" $ARGUMENTS` and then `/acme-tools:git:commit`.
Settings are in ~/.claude/settings.json, $HOME/.claude/x and "${HOME}/.claude"; rules in CLAUDE.md.
Leave ~/.claude.json, ~/.claude-backup/old.md, ~/.claudette/notes and /srv/.claude/x alone.
See https://example.test/plan and https://example.test/.claude/skills/tidy/SKILL.md, not /planning or a/plan.
Then /plan, (`/plan`) and **/plan**. The tidy skill is acme-tools:tidy. First $1, then $2.
{gsd:path nowhere.md} is text, and so is {{gsd:.
"""

TEXTS: dict[str, str] = {
    ".claude-plugin/plugin.json": json.dumps({"name": PLUGIN, "version": "1.2.3"}),
    ".mcp.json": json.dumps(_SERVERS),
    "hooks/hooks.json": json.dumps(_HOOKS),
    "hooks/guard.py": "#!/usr/bin/env python3\nprint('{}')\n",
    "scripts/hello.sh": "#!/bin/sh\necho ~/.claude/skills/tidy\n",
    "scripts/lint.py": "print('ok')\n",
    "servers/acme.js": "// serves\n",
    "references/style.md": "Keep to ${CLAUDE_PLUGIN_ROOT}/references/more.md.\r\n",
    "references/more.md": "More.\n",
    "README.md": "For people.\n",
    "commands/README.md": "No command.\n",
    "commands/plan.md": f"---\ndescription: Plans\nallowed-tools: Read, Bash(git:*), mcp__acme__do\n"
    f"argument-hint: [phase] [--fast]\nmodel: opus\n---\n{_REFERENCES}",
    "commands/git/commit.md": "Commits what is staged.\n\nRead .claude/agents/reviewer.md.\n",
    "commands/colon.md": "---\ndescription: foo: bar: [\n---\nText.\n",
    "agents/reviewer.md": "---\nname: reviewer\ndescription: Reviews a diff\ntools: Read, Grep, Glob\n"
    "color: blue\nmodel: sonnet\n---\nconfigDir = ~/.claude\nRead ~/.claude/acme/ref.md.\n",
    "agents/short.md": "---\nname: short\ndescription: Has too short a text\n---\nGo.\n",
    "agents/x.md": "You have a name of one letter, and no description.\n",
    "skills/long-description/SKILL.md": "---\nname: long-description\n"
    f"description: {'very ' * 240}long\n---\nA.\n",
    f"skills/{LONG_NAME}/SKILL.md": f"---\nname: {LONG_NAME}\ndescription: L\n---\nB.\n",
    "skills/no-name/SKILL.md": "---\ndescription: Has no name\n---\nC.\n",
    "skills/no-description/SKILL.md": "---\nname: no-description\n---\n# What it does\n\nD.\n",
    "skills/colon/SKILL.md": "---\nname: colon\ndescription: foo: bar: [\n---\nE.\n",
    "skills/no-frontmatter/SKILL.md": "Does something.\n",
    "skills/unclosed/SKILL.md": "---\nname: unclosed\ndescription: never ends\n\nF.\n",
    "skills/other-directory/SKILL.md": "---\nname: another-name\ndescription: Has two names\n---\nG.\n",
    "skills/Bad_Upper Case/SKILL.md": "---\nname: Bad_Upper Case\ndescription: Is called so\n---\nH.\n",
    "skills/unknown-key/SKILL.md": "---\r\nname: unknown-key\r\ndescription: CRLF\r\nx-team: blue\r\n"
    "---\r\nI.\r\n",
    "skills/bom/SKILL.md": "\ufeff---\nname: bom\ndescription: Starts with a byte order mark\n---\nJ.\n",
    "skills/group/nested/SKILL.md": "---\nname: nested\ndescription: One level deeper\n---\nK.\n",
    "skills/lower-case/skill.md": "---\nname: lower-case\ndescription: Has a small file name\n---\nL.\n",
    "skills/acme-tools-plan/SKILL.md": "---\nname: acme-tools-plan\ndescription: Clashes\n---\nM.\n",
    "skills/folded/SKILL.md": "---\nname: folded\ndescription: >\n  Two\n  lines\n\nlicense: yes\n"
    "level: 012\nmetadata:\n  deep: {a: [1, 2]}\n---\nN.\n",
    "skills/twice/SKILL.md": "---\nname: twice\ndescription: one\ndescription: two\n---\nO.\n",
    "skills/marked/SKILL.md": "---\nname: marked\ndescription: Has our markers\n---\n"
    '<!-- gsd:section id="a" when="always" -->\nP.\n<!-- /gsd:section -->\n```\n<!-- gsd:literal -->\n```\n',
    "skills/tidy/SKILL.md": "---\nname: tidy\ndescription: Tidies\nallowed-tools: Bash\n---\n"
    f"Run scripts/tidy.py. Read [more](references/more.md).\n{_REFERENCES}",
    "skills/tidy/references/more.md": "See ~/.claude/skills/tidy/scripts/tidy.py.\n",
    "skills/tidy/scripts/tidy.py": "#!/usr/bin/env python3\nprint('tidy')\n",
}
BYTES: dict[str, bytes] = {
    "skills/tidy/data.bin": bytes(range(256)),
    "skills/tidy/latin.txt": _PREFIX_OF_LATIN,
    "skills/tidy/dos.txt": b"\xef\xbb\xbfone\r\ntwo\r\n",
}


def write(root: Path) -> Path:
    """The bundle on the disk."""
    for path, data in ({path: text.encode() for path, text in TEXTS.items()} | BYTES).items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return root
