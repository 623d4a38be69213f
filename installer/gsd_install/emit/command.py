"""How a command sends the agent to its workflow where the companion is installed."""

from __future__ import annotations

import re

from gsd_install.content.model import Document
from gsd_install.emit.target import Target
from gsd_install.emit.text import Render, Stretch, rendered
from gsd_install.kernel.record import NamedTuple
from gsd_install.runtime.inject import FENCED_END
from gsd_install.runtime.model import Form

_FOLDER = "workflows/"
_NAMES = re.compile("<(launcher|workflow|args|end)>")
_INTRODUCTION = "What follows is the {} workflow, as far as this invocation needs it. Follow it to the end."
_INSTEAD = "Only where nothing stands above, do this instead, with every step file:"
_FIRST = (
    "First run `{} render {}`, with the arguments after it as one quoted word, and follow what it prints to"
    " the end. Only where that cannot run, read the workflow and every step file yourself:"
)


class Told(NamedTuple):
    """The forms a command may take, and its text in them."""

    forms: tuple[Form, ...]
    stretches: tuple[Stretch, ...]


def workflow_of(document: Document, specific: frozenset[str]) -> str:
    """The id of the one workflow that a command links to; empty where there is none or several.

    Nor does one count that reads differently from host to host: the companion does not know it.
    """
    links = {item.argument for item in document.placeholders if item.verb == "path"}
    found = [link for link in links if link.startswith(_FOLDER) and link.endswith(".md")]
    if document.kind != "command" or document.extra is not None or len(found) != 1 or found[0] in specific:
        return ""
    return found[0][len(_FOLDER) : -len(".md")]


def told(
    document: Document,
    forms: tuple[Form, ...],
    target: Target,
    launcher: str,
    render: Render,
    specific: frozenset[str],
) -> Told | None:
    """A command that runs `launcher`; None where it is not about one workflow.

    Where the host can run a snippet, what the launcher prints stands before the paragraph that links to the
    workflow; elsewhere a line that says to run it. The paragraph is what remains to be done without it.
    """
    workflow = workflow_of(document, specific)
    if not launcher or not workflow:
        return None
    path = target.launcher(launcher)
    before, paragraph, after = _around(document, render, f"{_FOLDER}{workflow}.md")
    able = tuple(_filled(form, path) for form in forms if needs_launcher(form)) or forms
    if not able[0].snippet:
        line = _FIRST.format(path, workflow)
        return Told(able, (Stretch(before), Stretch(f"{line}\n\n", "keep"), Stretch(paragraph + after)))
    words = {"launcher": path, "workflow": workflow, "args": target.runtime.arguments, "end": _end(workflow)}
    snippet = _NAMES.sub(lambda match: words[match[1]], able[0].snippet)
    text = f"{_INTRODUCTION.format(workflow)}\n\n{snippet}\n\n{_INSTEAD}\n\n"
    return Told(able[:1], (Stretch(before), Stretch(text, "keep"), Stretch(paragraph + after)))


def needs_launcher(form: Form) -> bool:
    """Whether a form is of no use without a launcher: it runs one, or grants one."""
    return bool(form.snippet) or any(
        isinstance(field.constant, str) and "{launcher}" in field.constant for field in form.fields
    )


def _around(document: Document, render: Render, link: str) -> tuple[str, str, str]:
    """The text before the paragraph with the link, the paragraph, and the text after it."""
    before, rest = "", ""
    for section in document.sections:
        for part in section.parts:
            text = rendered((part,), render)
            if rest or (not isinstance(part, str) and (part.verb, part.argument) == ("path", link)):
                rest += text
            else:
                before += text
    start = before.rfind("\n\n") + 2 if "\n\n" in before else 0
    end = rest.find("\n\n") if "\n\n" in rest else len(rest.rstrip("\n"))
    return before[:start], before[start:] + rest[:end], rest[end:]


def _end(workflow: str) -> str:
    """The last line of a heredoc, with what no argument holds once the host has put it in."""
    from hashlib import sha256

    return f"GSD_{sha256(workflow.encode()).hexdigest()[:16]}_{FENCED_END}"


def _filled(form: Form, launcher: str) -> Form:
    """The form with `{launcher}` in the constants of its fields replaced."""
    fields = tuple(
        field._replace(constant=field.constant.replace("{launcher}", launcher))
        if isinstance(field.constant, str)
        else field
        for field in form.fields
    )
    return form._replace(fields=fields)
