"""Whatever is added, updated and taken in whatever order, the user's bytes and edits are what is left."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gsd_install.configedit.edit import Receipt, load, put, state, take, update
from gsd_install.configedit.values import with_entry

Pointer = tuple[str, ...]


class Entry(NamedTuple):
    """One entry of ours, and the value that an upgrade gives it."""

    pointer: Pointer
    value: Any
    later: Any


class Words:
    """Hands out words that occur once in a text, so that an edit of one can be made in two texts alike."""

    def __init__(self) -> None:
        self.count = 0

    def next(self, letter: str) -> str:
        """`letter` says what the word is: an item of a list, the value of a key, ..."""
        self.count += 1
        return f"{letter}{self.count:03}w"


HOOK = {"matcher": "startup|resume", "hooks": [{"type": "command", "command": "~/.gsd/bin/gsd hook é"}]}
OTHER = {"hooks": [{"type": "command", "command": "~/.gsd/bin/gsd other"}]}
MORE = {"hooks": [{"type": "command", "command": "gsd more"}, {"command": "gsd last"}]}
MOST = {"hooks": [{"type": "command", "command": "gsd most"}]}
SERVER = {"command": "uvx", "args": ["gsd"], "env": {"A": "1"}}
ENTRIES = (
    Entry(("hooks", "Start", "-"), HOOK, {**HOOK, "matcher": "clear"}),
    Entry(("hooks", "Start", "-"), OTHER, {**OTHER, "timeout": 5}),
    Entry(("hooks", "Stop", "-"), OTHER, HOOK),
    Entry(("hooks", "Stop", "-"), MORE, MOST),
    Entry(("servers", "gsd"), SERVER, {"url": "https://ex.test/"}),
    Entry(("servers", "gsd-two"), SERVER, {**SERVER, "args": []}),
    Entry(("features", "hooks"), True, False),
    Entry(("features", "deep", "er"), "yes", "no: 'x'"),
    Entry(("notify",), "gsd", ["gsd", "now"]),
    Entry(("roots", "-"), "~/.gsd", "~/.gsd2"),
    Entry(("roots", "-"), "b", "c"),
)
BLOCKS = (
    Entry(("gsd",), "Use \\1 and $&.\n\nMore.\n", "Other\n"),
    Entry(("a.b",), "", "now\n"),
    Entry(("a+b",), "text", "text\n\ntwo"),
)
HOOKS = [index for index, entry in enumerate(ENTRIES) if entry.pointer[0] == "hooks"]
WORD = r"[a-z]\d{3}w|//|/\*|#"
KEYS = ("hooks", "servers", "features", "roots", "x", "y")


@st.composite
def jsonc_texts(draw: st.DrawFn) -> str:
    """JSON with comments anywhere, trailing commas, any blanks; containers of ours present or not."""
    words = Words()
    tight = draw(st.booleans())
    gaps = (
        ["", " "] if tight else ["", " ", "\n", "\n  ", "\n\t", " /* c */ ", " // c\n", "\n\n  ", "/* c\n */"]
    )

    def gap() -> str:
        return draw(st.sampled_from(gaps))

    def container(opening: str, items: list[str], closing: str) -> str:
        body = ",".join(gap() + item + gap() for item in items)
        trailing = "," + gap() if items and not tight and draw(st.booleans()) else ""
        return f"{opening}{body or gap()}{trailing}{closing}"

    def array(depth: int) -> str:
        count = draw(st.integers(0, 2))
        return container("[", [value("l", depth + 1) for _ in range(count)], "]")

    def mapping(keys: list[str], depth: int) -> str:
        return container("{", [f'"{key}"{gap()}:{gap()}{member(key, depth)}' for key in keys], "}")

    def member(key: str, depth: int) -> str:
        if key in ("Start", "Stop", "roots"):
            return array(depth)
        if depth == 0 and key in ("hooks", "servers", "features"):
            names = ["Start", "z"] if key == "hooks" else ["p", "q"]
            inner: list[str] = draw(st.lists(st.sampled_from(names), unique=True))
            return mapping(inner, depth + 1)
        return value("m", depth)

    def value(letter: str, depth: int) -> str:
        if depth < 3 and draw(st.integers(0, 4)) == 0:
            return array(depth) if draw(st.booleans()) else mapping(["n"], depth + 2)
        return f'"{words.next(letter)}"'

    keys: list[str] = draw(st.lists(st.sampled_from(KEYS), unique=True, max_size=4))
    root = mapping(keys, 0) if bool(keys) or draw(st.booleans()) else ""
    return gap() + root + gap() + draw(st.sampled_from(["", "\n"]))


@st.composite
def toml_texts(draw: st.DrawFn) -> str:
    """Keys, tables, arrays of tables, dotted keys, inline values, comments and empty lines."""
    words = Words()
    lines: list[str] = []

    def noise() -> None:
        lines.extend(draw(st.lists(st.sampled_from(["", "# note", "  # note"]), max_size=2)))

    def pair(key: str) -> None:
        tail = draw(st.sampled_from(["", " # c", "  "]))
        lines.append(f'{draw(st.sampled_from(["", "  "]))}{key} = "{words.next("p")}"{tail}')

    def array(key: str) -> None:
        one, two = words.next("l"), words.next("l")
        forms = (
            "[ ]",
            "[]",
            f'["{one}"]',
            f'[\n  "{one}", # c\n  "{two}"\n]',
            f"[\"{one}\", '''{two}\n]''',]",
        )
        lines.append(f"{key} = {draw(st.sampled_from(forms))}")

    noise()
    if draw(st.booleans()):
        pair("x")
        noise()
    if draw(st.booleans()):
        array("roots")
    shape = draw(st.sampled_from(["none", "inline", "dotted", "header", "bare"]))
    if shape == "inline":
        servers = draw(st.sampled_from(["{}", "{ docs = { c = 1 } }"]))
        lines.append(f"servers = {servers}")
        lines.append('features = {a = "b", deep = { }}')
        lines.append("hooks = { Start = [ { a = 1 } ] }")
    if shape == "dotted":
        pair("features.deep.z")
        pair("features.a")
        pair("servers.docs.c")
        noise()
    if shape in ("header", "bare"):
        for table in ("features", "servers.docs", "servers"):
            lines.append(f"[{table}]")
            noise()
            if shape == "header":
                pair("a")
                noise()
        lines.append("[[hooks.Start]]")
        noise()
    if draw(st.booleans()):
        lines.append('[other."q.r"]')
        pair("k")
        noise()
    return "\n".join(lines) + draw(st.sampled_from(["", "\n"] if lines else [""]))


@st.composite
def yaml_texts(draw: st.DrawFn) -> str:
    """Block and flow collections, block scalars, empty values, comments, markers of a document."""
    words = Words()
    lines: list[str] = draw(st.sampled_from([[], [], ["---"], ["# head", ""]]))[:]
    unit = draw(st.sampled_from(["  ", "    "]))

    def noise(indent: str) -> None:
        lines.extend(draw(st.lists(st.sampled_from(["", f"{indent}# note", "# note"]), max_size=2)))

    def word() -> str:
        return words.next("v") + draw(st.sampled_from(["", " # c"]))

    def scalar(key: str, indent: str) -> None:
        text = words.next("q")
        forms = [
            f" '{text}'",
            f' "{text}\n{indent}   x"',
            f" |\n{indent} {text}\n{indent}  y",
            f" >+\n{indent} {text}\n",
        ]
        lines.append(f"{indent}{key}:{draw(st.sampled_from(forms))}")

    for key in draw(st.lists(st.sampled_from(KEYS), unique=True, max_size=5)):
        form = draw(st.sampled_from(["none", "flow", "flow-items", "block"]))
        is_list = key == "roots"
        if key in ("x", "y"):
            lines.append(f"{key}: {word()}")
        elif form == "none":
            lines.append(f"{key}:" + draw(st.sampled_from(["", " # c"])))
        elif form == "flow":
            lines.append(f"{key}: " + ("[ ]" if is_list else "{}"))
        elif form == "flow-items":
            lines.append(f"{key}: " + ('[a, "d",]' if is_list else "{c: , a: [b]}"))
        elif is_list:
            lines.append(f"{key}:")
            lines.extend(draw(st.sampled_from([["- a", "-"], [f"{unit}- a # c", f"{unit}-   b: c"]])))
        else:
            lines.append(f"{key}:")
            scalar("s", unit)
            if key == "hooks":
                lines.append(f"{unit}Start:")
                lines.append(f"{unit}{draw(st.sampled_from(['', unit]))}- {word()}")
        noise(unit)
    return "\n".join(lines) + draw(st.sampled_from(["", "\n"] if lines else [""]))


def block_texts() -> st.SearchStrategy[str]:
    """Markdown as it may be, without markers of ours."""
    lines = st.sampled_from(
        ["", "# Team", "Use t001w tabs.", "```", "<!-- mine -->", "  ", "caf\u00e9 t002w"]
    )
    return st.lists(lines, max_size=6).map("\n".join)


TEXTS: dict[str, st.SearchStrategy[str]] = {
    "jsonc": jsonc_texts(),
    "toml": toml_texts(),
    "yaml": yaml_texts(),
    "block": block_texts(),
}


def edits_of(kind: str, word: str, count: int, newline: str) -> list[tuple[str, str]]:
    """What a user may do at a word of theirs: change it, comment it, add something behind it."""
    new = f"{word[0]}{count:03}w"
    if kind == "block":
        return [(word, f"{word} {new}"), (word, new)]
    if kind == "yaml":
        return [(word, new)]
    quoted = f'"{word}"'
    edits = [(quoted, f'"{new}"')]
    if kind == "toml" and word[0] == "p":
        edits.append((quoted, f'"{word}"{newline}k{new} = "{new}"'))
    if kind == "jsonc":
        added = f'"{new}"' if word[0] == "l" else f'"k{new}": "{new}"'
        edits += [
            (quoted, f"{quoted}, {added}"),
            (quoted, f"{quoted},{newline}{newline}    {added}"),
            (quoted, f"{quoted} /* {new} */"),
            (quoted, f"{quoted} // {new}{newline}"),
            (f"{quoted},", f"{quoted}, // {new}{newline}"),
        ]
    return edits


class Run:
    """One file with our entries and, beside it, the same file without them."""

    def __init__(self, kind: str, text: bytes | None) -> None:
        self.kind = kind
        self.theirs = text
        self.with_ours = text
        self.receipts: dict[int, Receipt] = {}
        self.updated: set[int] = set()
        self.inside: dict[int, tuple[str, str]] = {}
        self.left: list[tuple[Pointer, Any]] = []

    def put(self, index: int, entry: Entry) -> None:
        """Add an entry, and look that it is there."""
        others = self.receipts.values()
        self.with_ours, receipt = put(
            self.with_ours, self.kind, entry.pointer, entry.value, file="f", others=others
        )
        self.receipts[index] = json.loads(json.dumps(receipt))
        self.updated.discard(index)
        assert self.state(index) == "present"

    def take(self, index: int) -> None:
        """Remove an entry."""
        assert self.with_ours is not None
        self.leave(index)
        self.with_ours = take(self.with_ours, self.kind, self.receipts[index], file="f")
        assert self.state(index) == "missing"
        del self.receipts[index]

    def update(self, index: int, entry: Entry) -> None:
        """Give an entry its other value."""
        assert self.with_ours is not None
        value = entry.value if index in self.updated else entry.later
        if index in self.inside and _shape(value) != _shape(self.value(index)):
            self.leave(index)
        receipt = self.receipts[index]
        self.with_ours, self.receipts[index] = update(self.with_ours, self.kind, receipt, value, file="f")
        self.updated ^= {index}
        assert self.state(index) == ("extended" if index in self.inside else "present")

    def value(self, index: int) -> Any:
        """What an entry holds by our last word."""
        return ENTRIES[index].later if index in self.updated else ENTRIES[index].value

    def extend(self, index: int, count: int) -> None:
        """The user adds a hook of theirs inside an entry of ours, or takes it out again."""
        assert self.with_ours is not None
        text = self.with_ours.decode()
        if index in self.inside:
            name, added = self.inside.pop(index)
            assert text.count(added) == 1, name
            self.with_ours = text.replace(added, "").encode()
        else:
            ours = self.value(index)["hooks"][0]["command"]
            if text.count(ours) != 1:
                return
            name = f"c{count:03}w"
            at, added = _inside(text, text.index(ours) + len(ours), name, self.kind)
            self.with_ours = (text[:at] + added + text[at:]).encode()
            self.inside[index] = name, added
        assert self.state(index) == ("extended" if index in self.inside else "present")

    def leave(self, index: int) -> None:
        """Our part of an entry goes: what the user put into it stays, in the shape it stood in."""
        if index in self.inside:
            name, _ = self.inside.pop(index)
            group = {**self.value(index), "hooks": [{"command": name}]}
            self.left.append((ENTRIES[index].pointer, group))

    def expected(self) -> Any:
        """The user's data with what they put into entries of ours, by any order of the groups."""
        data = load(self.theirs, self.kind, "f").data()
        for pointer, group in self.left:
            data = with_entry(data, pointer, group)
        return _unordered(data)

    def edit(self, data: st.DataObject, count: int) -> None:
        """The user edits their part: the same change in both texts."""
        if self.theirs is None or self.with_ours is None:
            return
        theirs, ours = self.theirs.decode(), self.with_ours.decode()
        words = [
            word for word in {*theirs.replace('"', " ").split()} if word.endswith("w") and word[1:4].isdigit()
        ]
        if not words:
            return
        newline = "\r\n" if "\r\n" in theirs else "\n"
        word = data.draw(st.sampled_from(sorted(words)))
        old, new = data.draw(st.sampled_from(edits_of(self.kind, word, count, newline)))
        if theirs.count(old) == ours.count(old) == 1:
            self.theirs, self.with_ours = theirs.replace(old, new).encode(), ours.replace(old, new).encode()

    def state(self, index: int) -> str:
        """What becomes of an entry."""
        return state(self.with_ours, self.kind, self.receipts[index], file="f")


def test_a_file_made_for_entries_goes_with_the_last_whatever_the_user_did_in_between() -> None:
    run = Run("jsonc", None)
    run.put(0, ENTRIES[0])
    run.extend(0, 800)
    run.put(1, ENTRIES[1])
    run.extend(0, 801)
    run.take(0)
    run.put(2, ENTRIES[2])
    run.take(1)
    run.take(2)
    assert run.with_ours is None


def _shape(value: Any) -> Any:
    return {key: held for key, held in value.items() if key != "hooks"}


def _inside(text: str, at: int, name: str, kind: str) -> tuple[int, str]:
    """Where and how a hook is written that follows the one whose command ends at `at`."""
    newline = "\r\n" if "\r\n" in text else "\n"
    *_, above, line = text[:at].split(newline) if newline in text[:at] else ("", text[:at])
    first = line if line.lstrip(" -").startswith("type:") else above
    dash = re.match(r"(?: *- )+(?=type:)", first)
    if kind == "yaml" and dash and "{" not in line:
        end = text.find(newline, at)
        blanks = " " * (dash.end() - 2)
        return (len(text) if end < 0 else end), f"{newline}{blanks}- command: {name}"
    mark = "command =" if kind == "toml" else '"command":'
    return text.index("}", at) + 1, f', {{ {mark} "{name}" }}'


def _unordered(data: Any) -> Any:
    """Data in which arrays under `hooks` are compared as sets."""
    hooks = data.get("hooks") if isinstance(data, dict) else None
    if not isinstance(hooks, dict):
        return data
    held = {key: sorted(map(repr, value or [])) for key, value in hooks.items()}
    return {**data, "hooks": held}


@pytest.mark.parametrize("kind", sorted(TEXTS))
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_order_of_edits_gives_the_users_bytes_back(kind: str, data: st.DataObject) -> None:
    text = data.draw(st.one_of(st.none(), TEXTS[kind]), label="text")
    newline = data.draw(st.sampled_from(["\n", "\r\n"]))
    bom = data.draw(st.sampled_from(["", "", "\ufeff"]))
    run = Run(kind, None if text is None else (bom + text.replace("\n", newline)).encode())
    entries = BLOCKS if kind == "block" else ENTRIES
    for count in range(data.draw(st.integers(1, 9))):
        index = data.draw(st.integers(0, len(entries) - 1))
        if data.draw(st.integers(0, 3)) == 0:
            run.edit(data, count + 500)
        elif kind != "block" and index in HOOKS and index in run.receipts and data.draw(st.booleans()):
            run.extend(index, count + 800)
        elif index not in run.receipts:
            run.put(index, entries[index])
        elif data.draw(st.booleans()):
            run.update(index, entries[index])
        else:
            run.take(index)
    for index in data.draw(st.permutations(sorted(run.receipts))):
        run.take(index)
    if not run.left:
        assert run.with_ours == run.theirs
        return
    assert _unordered(load(run.with_ours, kind, "f").data()) == run.expected()
    assert set(re.findall(WORD, (run.theirs or b"").decode())) <= set(
        re.findall(WORD, (run.with_ours or b"").decode())
    )
