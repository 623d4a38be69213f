"""Forms of commands in which the host itself runs the launcher and puts what it prints into the prompt.

A snippet is text with `<launcher>`, `<workflow>`, `<args>` (what stands for the typed words in this host) and
`<end>` (a line that ends a heredoc). A plugin uses one only where its host was seen to leave arguments with
quotes, line breaks, `$( )` and backticks intact and unexecuted, and says which version that was.
"""

from __future__ import annotations

from gsd_install.runtime.model import Form

# For hosts that write "! `" for "!`" in arguments before they run this: no line of them can equal an end that
# holds the latter. With a plain word as the end, what follows that word in the arguments would be executed.
FENCED = "```!\n<launcher> render <workflow> - <<'<end>'\n<args>\n<end>\n```"
FENCED_END = "!`"

# For hosts that quote the arguments for the shell themselves, as one word.
BRACED = "!{<launcher> render <workflow> {{args}}}"


def inject(form: Form, snippet: str) -> Form:
    """The same form, with `snippet` where the command sends the agent to its workflow."""
    return form._replace(snippet=snippet)
