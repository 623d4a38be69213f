"""The templates and modes that come with the product, by name.

A template says how information is arranged, a mode how the reader answers: any mode goes with any template.
"""

from __future__ import annotations

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

_SYSTEM = """\
# Context
{{?systemReference}}
## System Reference{{#systemReference}}

{{text}}{{/systemReference}}
{{/systemReference}}"""

_END = """\
{{?userRequest}}
## User Request

{{userRequest}}
{{/userRequest}}{{?outputInstructions}}
## Output Instructions

{{outputInstructions}}
{{/outputInstructions}}"""


def _documents(key: str, title: str) -> str:
    """A block with a heading for each document; the line ends in front of an item go when it goes."""
    return _block(key, title, "\n\n### {{title}}\n\n{{text}}")


def _state(key: str, title: str) -> str:
    return _block(key, title, "\n\n{{text}}")


def _block(key: str, title: str, item: str) -> str:
    return f"{{{{?{key}}}}}\n## {title}{{{{#{key}}}}}{item}{{{{/{key}}}}}\n{{{{/{key}}}}}"


TEMPLATES: Mapping[str, str] = {
    "full": "".join(
        [
            _SYSTEM,
            _documents("projectReference", "Project Reference"),
            _documents("sessionReference", "Session Reference"),
            _documents("extra", "Further Material"),
            _state("planState", "Current Plan"),
            _state("sessionHistory", "Session History"),
            _state("gitState", "Working Directory Changes"),
            _state("fileTree", "File Tree"),
            _state("debugOutput", "Debug Output"),
            _END,
            _state("environment", "Environment"),
        ]
    ),
    "lean": f"{_SYSTEM}{_state('planState', 'Current Plan')}{_END}",
}


class Mode(NamedTuple):
    """What stands before and behind the context."""

    head: str
    foot: str


MODES: Mapping[str, Mode] = {
    "dev": Mode(
        "You change this project. Make the smallest change that does the job; run it to prove it.\n\n",
        "\nAnswer with what you changed, file by file, and the output of the check that proves it.\n",
    ),
    "research": Mode(
        "You find something out about this project. Change nothing, and tell facts from guesses.\n\n",
        "\nAnswer with what you found, where it stands, and how sure you are of each point.\n",
    ),
    "review": Mode(
        "You judge work on this project. Change nothing; what breaks comes before what displeases.\n\n",
        "\nAnswer with findings, the gravest first, each with its place, its effect and a way to fix it.\n",
    ),
}


def mode(name: str) -> Mode:
    """The mode of that name. Raises GsdError (reason `unknown_mode`)."""
    if name not in MODES:
        raise GsdError(f"unknown mode {name!r}", reason="unknown_mode", hint=f"one of {', '.join(MODES)}")
    return MODES[name]


def template(name: str) -> tuple[str, str | None]:
    """The template of that name, or in the file of that path, and the file.

    Raises GsdError (reason `unknown_template`, or `not_text` for a file that is not UTF-8).
    """
    if name in TEMPLATES:
        return TEMPLATES[name], None
    try:
        with open(name, encoding="utf-8", newline="") as file:
            return file.read(), name
    except UnicodeDecodeError as error:
        raise GsdError("the template is not UTF-8", reason="not_text", file=name) from error
    except OSError as error:
        known = f"one of {', '.join(TEMPLATES)}, or the path of a file"
        raise GsdError(f"unknown template {name!r}", reason="unknown_template", hint=known) from error
