"""The subset of SKILL.md that every host reads.

Found by giving 16 variants to 16 hosts: a byte order mark, an unquoted colon, a name other than the
directory's, a long description or another depth each make at least one host drop the skill.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gsd_install.content.manifest import NAME

_LONGEST_NAME = 64
_LONGEST_DESCRIPTION = 1_024


def faults(file: Path, listed: Path) -> list[str]:
    """Sentences about one installed skill; `listed` is the directory in which the host looks for skills."""
    where = file.relative_to(listed).as_posix()
    found = [] if file.name == "SKILL.md" else [f"{where}: the file is not named SKILL.md"]
    if len(file.relative_to(listed).parts) != 2:
        found.append(f"{where}: it is not exactly one directory deep")
    data = file.read_bytes()
    if data.startswith(b"\xef\xbb\xbf"):
        found.append(f"{where}: it starts with a byte order mark")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return [*found, f"{where}: it is not UTF-8: {error}"]
    return found + [f"{where}: {fault}" for fault in _text(text, file.parent.name)]


def _text(text: str, directory: str) -> Iterator[str]:
    lines = text.splitlines()
    if lines[:1] != ["---"] or "---" not in lines[1:]:
        yield "it does not start with a block between two --- lines"
        return
    import yaml

    block = "\n".join(lines[1 : lines.index("---", 1)])
    try:
        node = yaml.compose(block, Loader=yaml.SafeLoader)
        fields = yaml.safe_load(block)
    except yaml.YAMLError as error:
        yield f"its frontmatter is not YAML: {error}"
        return
    if not isinstance(node, yaml.MappingNode) or not isinstance(fields, dict):
        yield "its frontmatter holds no fields"
        return
    yield from _unquoted(node)
    yield from _name(fields.get("name"), directory)
    yield from _description(fields.get("description"))


def _unquoted(node: object) -> Iterator[str]:
    """Texts that a host with a YAML reader of its own may take for something else."""
    import yaml

    if isinstance(node, yaml.MappingNode):
        for _, value in node.value:
            yield from _unquoted(value)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from _unquoted(value)
    elif isinstance(node, yaml.ScalarNode) and node.tag.endswith(":str") and node.style not in ("'", '"'):
        yield f"{node.value!r} is not in quotes"


def _name(name: object, directory: str) -> Iterator[str]:
    if not isinstance(name, str) or not NAME.fullmatch(name):
        yield f"the name {name!r} is not small letters, digits and single hyphens"
    elif len(name) > _LONGEST_NAME:
        yield f"the name {name!r} has {len(name)} characters, more than {_LONGEST_NAME}"
    if name != directory:
        yield f"the name {name!r} is not the directory's, {directory!r}"


def _description(description: object) -> Iterator[str]:
    if not isinstance(description, str) or not description.strip():
        yield "it has no description"
    elif len(description) > _LONGEST_DESCRIPTION:
        yield f"its description has {len(description)} characters, more than {_LONGEST_DESCRIPTION}"
