"""Every setting of the core: its kind, default, choices and meaning, once.

What takes a `schema` works on these and on the settings of capabilities (features.schema) alike.

The keys of the loop are those of the reference `config-keys`.
"""

from __future__ import annotations

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

BAD_VALUE = "bad_value"
TOGETHER = ("context.max_tokens", "context.reserve_tokens", "context.soft_limit_tokens")
EFFORTS = ("heavy", "standard", "light")
POOLS = ("system", "references", "state", "request", "response", "buffer")


class Key(NamedTuple):
    """One setting.

    `kind` is `boolean`, `integer`, `number`, `text`, `choice`, `list` or `object`; a default of None says
    that null is a value too. `least` is the smallest integer allowed. A `personal` one counts only among the
    user's own settings: what a project says about it has no effect on whoever works in that project.
    """

    kind: str
    default: object
    meaning: str
    choices: tuple[str, ...] = ()
    least: int | None = None
    personal: bool = False

    @property
    def allowed(self) -> str:
        """What may stand here, in words."""
        if self.choices and self.kind == "choice":
            return f"one of {', '.join(self.choices)}"
        words = {
            "boolean": "true or false",
            "integer": "a whole number",
            "number": "a number",
            "text": "a text",
        }
        allowed = words.get(self.kind, f"a JSON {'array' if self.kind == 'list' else 'object'}")
        if self.least is not None:
            allowed += f" from {self.least}"
        return f"{allowed} or null" if self.default is None else allowed


def _on(meaning: str) -> Key:
    return Key("boolean", default=True, meaning=meaning)


def _off(meaning: str) -> Key:
    return Key("boolean", default=False, meaning=meaning)


def _command(what: str) -> Key:
    return Key("text", None, f"command that {what} this project, run from its root; null: find it out once")


SCHEMA: Mapping[str, Key] = {
    "version": Key("integer", 1, "layout of this file", least=1),
    "mode": Key("choice", "interactive", "auto takes the default at gates that may be skipped",
                ("interactive", "auto")),
    "granularity": Key("choice", "standard", "3-5, 5-8 or 8-12 phases a milestone",
                       ("coarse", "standard", "fine")),
    "planning.commit": _on("commit files under .planning/"),
    "workflow.plan_check": _on("plans pass an independent check before execution"),
    "workflow.plan_chunked": _off("plans are written one at a time, each shown to the person"),
    "workflow.verifier": _on("execution ends with a verification by another agent"),
    "workflow.auto_advance": _off("discuss, plan and execute follow each other by themselves"),
    "workflow.use_worktrees": _off("plans of one wave run at once, each in its own git worktree"),
    "workflow.max_parallel": Key("integer", 3, "agents at work at the same time", least=1),
    "workflow.max_revisions": Key("integer", 3, "rounds of correction before a person decides", least=0),
    "git.branching": Key("choice", "none", "where commits of the loop go", ("none", "phase", "milestone")),
    "git.base": Key("text", None, "branch that work returns to; null: found from the remote"),
    "git.create_tag": _on("completing a milestone makes an annotated tag"),
    "checks.build": _command("builds"),
    "checks.lint": _command("lints"),
    "checks.test": _command("tests"),
    "checks.start": _command("starts"),
    "code_quality.fallow.enabled": _off("code review runs the fallow analyser first"),
    "review.instances": Key("list", [], 'outside reviewers of plans: {"name": ..., "run": <shell command>}'),
    "effort": Key("object", {}, "effort of one agent, over its own", EFFORTS),
    "context.max_tokens": Key("integer", 128_000, "size of the whole window", least=1),
    "context.reserve_tokens": Key("integer", 25_600, "what is kept free for the response", least=1),
    "context.soft_limit_tokens": Key("integer", 87_040, "above this, context is compacted early", least=1),
    "context.history_rounds": Key("integer", 5, "rounds of a session that are kept whole", least=0),
    "context.diff_lines": Key("integer", 200, "a longer diff becomes a list of files", least=0),
    "context.pools": Key(
        "object",
        {"system": 20, "references": 15, "state": 20, "request": 8, "response": 20, "buffer": 17},
        "per cent of the window for each pool; together 100",
        POOLS,
    ),
    "context.url_hosts": Key("list", [], "hosts whose documents may be fetched as references", personal=True),
    "artifacts.threshold_bytes": Key("integer", 16_384, "a larger tool result is stored", least=82),
    "artifacts.store": Key("text", None, "fsspec address of an object store; null: a folder of the project",
                           personal=True),
}  # fmt: skip


def is_group(path: str, schema: Mapping[str, Key] = SCHEMA) -> bool:
    """Whether `path` is a section that only holds further keys."""
    return any(key.startswith(f"{path}.") for key in schema)


def known(name: str, schema: Mapping[str, Key] = SCHEMA) -> Key:
    """The setting called `name`. Raises GsdError `unknown_key` with the nearest name."""
    key = schema.get(name)
    if key is None:
        from gsd_capabilities.companion.planning_text import nearest

        guess = nearest(name, schema)
        hint = f"did you mean {guess!r}?" if guess else f"settings are: {', '.join(schema)}"
        raise GsdError(f"there is no setting {name!r}", reason="unknown_key", hint=hint)
    return key


def check(name: str, value: object, schema: Mapping[str, Key] = SCHEMA) -> None:
    """Raises GsdError `bad_value` when `value` is not one that the setting `name` takes."""
    key = known(name, schema)
    if value is None and key.default is None:
        return
    if not _KINDS[key.kind](key, value):
        raise _refused(name, value, key.allowed)
    further = _FURTHER.get(name)
    if further and (wrong := further(value)):
        raise _refused(name, value, wrong)


def check_together(values: Mapping[str, Any]) -> str | None:
    """What is wrong between settings that are right one by one; None when nothing is."""
    window, reserve, soft = (values[name] for name in TOGETHER)
    if reserve >= window:
        return f"context.reserve_tokens ({reserve}) must be below context.max_tokens ({window})"
    if soft > window - reserve:
        available = window - reserve
        return f"context.soft_limit_tokens ({soft}) must not be above what the reserve leaves ({available})"
    return None


def parse(name: str, text: str, schema: Mapping[str, Key] = SCHEMA) -> object:
    """The value that `text`, typed by a person, stands for. Raises GsdError as `check` does."""
    key = known(name, schema)
    value: object = text
    if key.kind in ("text", "choice"):
        value = None if key.default is None and text == "null" else text
    else:
        import json

        try:
            value = json.loads(text)
        except ValueError:
            raise _refused(name, text, key.allowed) from None
    check(name, value, schema)
    return value


def _refused(name: str, value: object, allowed: str) -> GsdError:
    return GsdError(f"{name} cannot be {value!r}", reason=BAD_VALUE, hint=f"it takes {allowed}")


def _integer(key: Key, value: object) -> bool:
    return (
        isinstance(value, int) and not isinstance(value, bool) and (key.least is None or value >= key.least)
    )


_KINDS: Mapping[str, Callable[[Key, object], bool]] = {
    "boolean": lambda _, value: isinstance(value, bool),
    "integer": _integer,
    "number": lambda _, value: isinstance(value, int | float) and not isinstance(value, bool),
    "text": lambda _, value: isinstance(value, str) and bool(value.strip()),
    "choice": lambda key, value: value in key.choices,
    "list": lambda _, value: isinstance(value, list),
    "object": lambda _, value: isinstance(value, dict),
}


def _instances(value: Any) -> str | None:
    fits = [
        isinstance(item, dict)
        and item.keys() == {"name", "run"}
        and all(isinstance(text, str) and text.strip() for text in item.values())
        for item in value
    ]
    if not all(fits):
        return 'a list of {"name": <text>, "run": <shell command>}'
    names = {item["name"] for item in value}
    return None if len(names) == len(value) else "reviewers with different names"


def _effort(value: Any) -> str | None:
    fits = all(isinstance(word, str) and word in EFFORTS for word in value.values())
    return None if fits else f"an object of agent: {', '.join(EFFORTS)}"


def _pools(value: Any) -> str | None:
    shares = [share for share in value.values() if isinstance(share, int) and not isinstance(share, bool)]
    fits = value.keys() == set(POOLS) and len(shares) == len(POOLS) and min(shares) >= 0
    if fits and sum(shares) == 100:
        return None
    return f"whole numbers for {', '.join(POOLS)}, together 100"


def _hosts(value: Any) -> str | None:
    fits = all(
        isinstance(host, str) and host and not set(host) & set("/@*?# ") and host == host.lower()
        for host in value
    )
    return None if fits else 'a list of hosts in lower case: "docs.example.org" or "localhost:8000"'


_FURTHER: Mapping[str, Callable[[object], str | None]] = {
    "review.instances": _instances,
    "effort": _effort,
    "context.pools": _pools,
    "context.url_hosts": _hosts,
}
