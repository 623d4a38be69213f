"""Forms of commands in which the host itself runs the launcher and puts what it prints into the prompt.

A snippet is text with `<launcher>`, `<workflow>`, `<args>` (what stands for the typed words in this host) and
`<end>` (a line that ends a heredoc). Each was seen to leave hostile arguments intact and unexecuted in the
version of the host that its comment names.
"""

from __future__ import annotations

from gsd_install.runtime.model import Form

# Claude Code 2.1.332. It writes "! `" for "!`" in arguments, so no line of them can equal an end that holds
# the latter; with a plain word as the end, what followed that word in the arguments was executed.
FENCED = "```!\n<launcher> render <workflow> - <<'<end>'\n<args>\n<end>\n```"
FENCED_END = "!`"

# Gemini CLI 0.61.0 and Qwen Code 0.24.4 quote the arguments for the shell, as one word.
BRACED = "!{<launcher> render <workflow> {{args}}}"


def inject(form: Form, snippet: str) -> Form:
    """The same form, with `snippet` where the command sends the agent to its workflow."""
    return form._replace(snippet=snippet)
