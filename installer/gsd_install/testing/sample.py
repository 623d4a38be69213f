"""A small content root that has everything a content root can have, and documents of an exact size.

Every text carries a word of its own, so that a check can tell whether it arrived.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from gsd_install.content.model import Catalog, Document, Hook, Part, Placeholder, Section
from gsd_install.kernel import frontmatter
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

PREFIX = "kit"
HOOK = Hook("orient", ("session-start",), "orient.py")
SERVER = "kit-server"

# What breaks a converter that does not quote: a colon, quotes, a comment sign, a backslash, no ASCII.
DESCRIPTION = """Looks into a folder: says "what's in it" # and \\n why — in 100 % of cases, où il faut"""

_HEAD = f"""format = 1
id = "kit"
name = "Conformance kit"
version = "1.0.0"
prefix = "{PREFIX}"
"""

_INSPECT = f"""---
description: '{DESCRIPTION.replace("'", "''")}'
argument-hint: "<folder> [--deep]"
tier: core
tools: [read, run, dispatch]
---
# Inspect

kitcommandinspect. Arguments: {{gsd:args}}

Use {{gsd:tool read}}, then read {{gsd:path workflows/inspect.md}} and follow it; dispatch
{{gsd:agent inspector}}; afterwards a person may type {{gsd:command report}} in {{gsd:runtime}}.

```sh
printf '%s\\n' "a \\"quoted\\" line" # '''
```
"""

_REPORT = """---
description: Writes down what was found
tier: core
requires: [inspect]
---
kitcommandreport. Read {gsd:path references/method.md} and fill in {gsd:path templates/report.md}.
"""

_INSPECTOR = """---
description: Inspects one folder and changes nothing
tools: [read, search]
access: read
effort: light
---
kitagentinspector. Read {gsd:path references/method.md}; answer with the table below.

| file | what it holds |
|---|---|
"""

_READING = f"""---
description: '{DESCRIPTION.replace("'", "''")}'
tier: core
---
kitskillreading. The list is in {{gsd:path skills/reading/list.txt}}.
"""

_WORKFLOW = """---
description: Inspect a folder
---
kitworkflowinspect. First list the folder.

<!-- gsd:section id="deep" when="flag:--research" -->
kitstepdeep. Then read every file of it.
<!-- /gsd:section -->

At last say what you saw.
"""

_HOOKS = f"""[[hook]]
id = "{HOOK.id}"
event = "{HOOK.events[0]}"
script = "{HOOK.script}"
"""

FILES: Mapping[str, str] = {
    "content.toml": _HEAD,
    "commands/inspect.md": _INSPECT,
    "commands/report.md": _REPORT,
    "agents/inspector.md": _INSPECTOR,
    "skills/reading/SKILL.md": _READING,
    "skills/reading/list.txt": "kitassetlist\n",
    "workflows/inspect.md": _WORKFLOW,
    "references/method.md": "kitreferencemethod. Look, then say what you saw.\n",
    "templates/report.md": "# Report\n\nkittemplatereport\n",
    "rules/kit.md": "kitrulekit. Inspect a folder before you change it.\n",
    "hooks/hooks.toml": _HOOKS,
    "hooks/orient.py": "print('kithookorient')\n",
    "mcp.json": f'{{"mcpServers": {{"{SERVER}": {{"command": "kit-serve", "args": ["--stdio"]}}}}}}\n',
}

# The word that shows a discovered document's text, by kind and name.
MARKS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "command": ((f"{PREFIX}-inspect", "kitcommandinspect"), (f"{PREFIX}-report", "kitcommandreport")),
    "agent": ((f"{PREFIX}-inspector", "kitagentinspector"),),
    "skill": ((f"{PREFIX}-reading", "kitskillreading"),),
}
# What of the content must show in a file of the user's, by surface; permissions hold nothing of it.
SURFACE_MARKS: Mapping[str, str] = {"hooks": "orient.py", "mcp": SERVER, "instructions": "kitrulekit"}
BODY_MARKS = ("kitworkflowinspect", "kitstepdeep", "kitreferencemethod", "kittemplatereport")


def write(folder: Path) -> Path:
    """Write the sample content root into `folder` and return it."""
    return _write(folder, FILES)


def write_documents(folder: Path, subjects: tuple[Document, ...]) -> Path:
    """Write a content root that holds `subjects` and return it."""
    texts = {item.path: _source(item) for item in catalog(subjects).documents}
    return _write(folder, {"content.toml": _HEAD, **texts})


def _write(folder: Path, texts: Mapping[str, str]) -> Path:
    for path, text in texts.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
    return folder


def _source(item: Document) -> str:
    """A document as its author would have written it."""
    parts = (part for section in item.sections for part in section.parts)
    text = "".join(
        part if isinstance(part, str) else f"{{gsd:{part.verb} {part.argument}}}" for part in parts
    )
    return f"{frontmatter.render(item.meta)}{text}" if item.meta else text


def document(kind: str, name: str, meta: Mapping[str, Any], text: str) -> Document:
    """One document in memory, larger than a parser may allow."""
    path = f"skills/{name}/SKILL.md" if kind == "skill" else f"{kind}s/{name}.md"
    return Document(kind, name, path, {"tier": "core", **meta}, _section(text), executable=False)


def catalog(subjects: tuple[Document, ...]) -> Catalog:
    """A content root in memory that holds `subjects`, selected by every install profile."""
    # An agent is installed because a selected text names it.
    names = [Placeholder("agent", subject.id, 1) for subject in subjects if subject.kind == "agent"]
    namer = Document("rule", "namer", "rules/namer.md", {}, _section(*names), executable=False)
    documents = (*subjects, namer) if names else subjects
    return Catalog("/kit", "kit", "Kit", "1.0.0", PREFIX, "", documents, (), (), {}, "")


def _section(*parts: Part) -> tuple[Section, ...]:
    return (Section("", "always", parts),)
