"""The hostile arguments that hosts are given are hostile: each careless way to quote them executes one."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from support.hosts.protocols import Call, chat, gemini, messages, offered, responses
from support.hosts.using import RECORDED, RECORDER, hostile


@pytest.mark.skipif(os.name == "nt", reason="it is about a POSIX shell")
@pytest.mark.parametrize(
    "line", ["true {}", "true '{}'", 'true "{}"', "cat <<EOF\n{}\nEOF", "cat <<'EOF'\n{}\nEOF"]
)
def test_each_careless_quoting_executes_one_of_them(line: str, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    executed = 0
    for arguments in hostile(canary):
        subprocess.run(["sh", "-c", line.replace("{}", arguments)], cwd=tmp_path, capture_output=True)
        executed += canary.exists()
        canary.unlink(missing_ok=True)
    assert executed > 0


@pytest.mark.skipif(os.name == "nt", reason="it is about a POSIX shell")
@pytest.mark.parametrize("piped", [False, True])
def test_the_recorder_prints_what_it_was_given_to_the_byte(piped: bool, tmp_path: Path) -> None:
    recorder = tmp_path / "recorder"
    recorder.write_text(RECORDER, encoding="utf-8")
    recorder.chmod(0o755)
    for arguments in hostile(tmp_path / "canary"):
        words = ["render", "plan-phase", "-" if piped else arguments]
        done = subprocess.run(
            [recorder, *words], input=arguments if piped else "", capture_output=True, text=True
        )
        found = RECORDED.search(done.stdout)
        assert found is not None
        assert bytes.fromhex(found[1]).decode() == arguments


def test_a_call_is_spoken_in_every_protocol_and_a_tool_is_offered_in_each() -> None:
    call = Call("Read", {"path": "/x"})
    for streamed in (False, True):
        for speak in (messages, chat, responses):
            said = str(speak({}, call, streamed=streamed))
            assert "Read" in said
            assert call.id in said
            assert "Read" not in str(speak({}, None, streamed=streamed))
    assert "Read" in str(gemini(call))
    assert "Read" not in str(gemini(None))
    tools = [{"name": "a"}, {"function": {"name": "b"}}, {"functionDeclarations": [{"name": "c"}]}]
    assert offered({"tools": tools}) == {"a", "b", "c"}
