"""Entries put in every order and taken in every order, over texts that are each a trap."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from gsd_install.configedit.edit import put, state, take

Entry = tuple[tuple[str, ...], Any]

HOOKS: tuple[Entry, ...] = (
    (("hooks", "Start", "-"), {"matcher": "s", "hooks": [{"type": "command", "command": "gsd x"}]}),
    (("hooks", "Start", "-"), {"hooks": [{"type": "command", "command": "gsd y"}]}),
    (("servers", "gsd"), {"command": "uvx", "args": ["a"], "env": {}}),
)
KEYS: tuple[Entry, ...] = (
    (("features", "hooks"), True),
    (("features", "more"), "yes"),
    (("notify",), ["gsd"]),
    (("roots", "-"), "~/.gsd"),
    (("box", "roots", "-"), "~/.gsd"),
)
BLOCKS: tuple[Entry, ...] = ((("a.b",), "one\n\ntwo\n"), (("a+b",), ""), (("c",), "three"))

JSONC = (
    None,
    b"",
    b"\n",
    b"  ",
    b"// c",
    b"// c\n",
    b"{}",
    b"{ }",
    b"{\n}",
    b"{}\n",
    b'{"a":1}',
    b'{\n"a": 1\n}',
    b'{\n\n"a": 1,\n\n"hooks": {\n\n}}',
    b'{"a": 1,}\n',
    b'{\n  "a": 1\n}\n',
    b'{\n\t"a": 1, // c\n}',
    b'{"hooks": {}}',
    b'{"hooks": { "Start": [ ] } }',
    b'{\n  "hooks": {\n  }\n}\n',
    b'{\n  "hooks": {\n    // none\n  },\n  "servers": {}\n}\n',
    b'\xef\xbb\xbf{"ui": {"theme": "dark"}}\r\n',
    b'{\r\n    "a": [1,2] /* x */ // y\r\n    // tail\r\n}\r\n',
    b'{"a":1, "a":2}',
    b'{"hooks":{"Start":[{"x":1}]}}',
    b'{\n  "hooks": {\n    "Start": [\n      {"x": 1}, // keep\n    ],\n  },\n}\n',
    b"{\r}",
    b"{\n\r}",
    b"{ // n\n}",
    b'{"features": {}, "roots": [\n\n]}',
)
TOML = (
    None,
    b"",
    b"\n",
    b"  ",
    b"# c",
    b"# c\n",
    b"x = 1",
    b"x = 1\n\n[features]",
    b"[features]\n# c\n\n[z]\n",
    b"[features]\na = 1 # c\n[z]\nb=2",
    b"features.a = 1\n[z]\n",
    b"features = {}\nhooks = {}\nservers = {}\nbox = {roots = []}",
    b'features = { a = 1 }\nservers = { docs = { command = "d" } }\n',
    b"hooks.Start = []\n",
    b"[hooks]\nStart = [\n  {x=1}, # c\n]\n",
    b"[[hooks.Start]]\na=1\n[q]\nb=1\n",
    b'\xef\xbb\xbfmodel = "m"\r\n\r\n[projects."/w"]\r\ntrust = "x"\r\n',
    b"[servers]\n[box]\n",
    b'servers.docs.command = "d"\n',
    b'roots = ["a"]\n',
    b"roots = [ ]",
    b"# one\n\n# two\n[a]\n",
)
YAML = (
    None,
    b"",
    b"\n",
    b"  ",
    b"# c",
    b"# c\n",
    b"x: 1",
    b"---\nx: 1\n...\n",
    b"---\n",
    b"hooks:\nfeatures:\n",
    b"hooks: # c\n  # d\nroots:\nz: 1\n",
    b"hooks: {}\nservers: {}\n",
    b"hooks: { Start: [] }\nfeatures: {x: {a: 1}}\n",
    b"hooks:\n  Start:\n  - a: 1 # c\n    # deeper\n  # less\nservers:\n    docs:\n        c: d\n",
    b"hooks:\n  Start: []\nroots: [a, b]",
    b"\xef\xbb\xbfx: 1\r\nhooks:\r\n  T:\r\n    - 1\r\n",
    b"x: |\n  a\n  b",
    b"x: |+\n  a\n\n\n",
    b'servers:\n  x: "a\n    b"\n\n\n# end',
    b'{"servers": {"x": 1}}\n',
    b"a:\n  - x\n  -\n",
    b"hooks:\n  Start:\n    - |\n     x",
    b"%YAML 1.1\n---\nx: 1\n",
    '# é\nx: "😀" # ü\n'.encode(),
)
TEXT = (
    None,
    b"",
    b"\n",
    b"  ",
    b"a",
    b"a\n",
    b"a\n\n",
    b"a\r\nb",
    b"a\nb\r\n",
    b"a\rb",
    b"a\r",
    b"\xef\xbb\xbf",
    b"\xef\xbb\xbfa\r\n",
    b"\xff\xfa\x00 caf\xe9\n",
)


def check_orders(kind: str, text: bytes | None, entries: tuple[Entry, ...]) -> None:
    for order in permutations(range(len(entries))):
        data, receipts = text, {}
        for index in order:
            data, receipts[index] = put(data, kind, *entries[index], file="f")
        assert all(state(data, kind, receipts[index], file="f") == "present" for index in order)
        for taken in permutations(order):
            left = data
            for index in taken:
                assert left is not None, (order, taken)
                left = take(left, kind, receipts[index], file="f")
            assert left == text, (order, taken)


@pytest.mark.parametrize("text", JSONC)
def test_jsonc(text: bytes | None) -> None:
    check_orders("jsonc", text, HOOKS)
    for pair in permutations(KEYS, 2):
        check_orders("jsonc", text, pair)


@pytest.mark.parametrize("text", TOML)
def test_toml(text: bytes | None) -> None:
    check_orders("toml", text, HOOKS)
    for pair in permutations((*KEYS, HOOKS[0]), 2):
        check_orders("toml", text, pair)


@pytest.mark.parametrize("text", YAML)
def test_yaml(text: bytes | None) -> None:
    check_orders("yaml", text, HOOKS)
    for pair in permutations(KEYS, 2):
        check_orders("yaml", text, pair)


@pytest.mark.parametrize("text", TEXT)
def test_block(text: bytes | None) -> None:
    check_orders("block", text, BLOCKS)
