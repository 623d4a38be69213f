"""Ask each host what it loaded, in its own way: a listing it prints, or what it sends to the model."""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from support.hosts.jsonrpc import Session
from support.hosts.model_stub import Stub

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Seen(NamedTuple):
    """What a host shows, by kind: the names it lists; `sent` is all it sent to the model.

    `complaints` are lines of its output and logs about something it did not take.
    """

    version: str
    listed: dict[str, list[str]]
    sent: str
    complaints: list[str]


class Asker(NamedTuple):
    """One host on one machine: how to run it in the project, with a model that is a stub."""

    program: Path
    home: Path
    project: Path
    stub: Stub
    search: str = ""

    @property
    def environ(self) -> dict[str, str]:
        """A clean environment: the home, the usual folders, a path."""
        home = str(self.home)
        path = os.pathsep.join(filter(None, (self.search, os.environ["PATH"])))
        return {
            "HOME": home,
            "XDG_CONFIG_HOME": f"{home}/.config",
            "XDG_DATA_HOME": f"{home}/.local/share",
            "XDG_CACHE_HOME": f"{home}/.cache",
            "XDG_STATE_HOME": f"{home}/.local/state",
            "PATH": path,
            "TERM": "dumb",
            "NO_COLOR": "1",
            "LANG": "C.UTF-8",
            "SHELL": "/bin/sh",
            "TMPDIR": str(self.home.parent / "tmp"),  # some hosts may read all that is temporary
        }

    def run(self, *words: str, seconds: float = 90, **environ: str) -> subprocess.CompletedProcess[str]:
        """Run the host with these words."""
        return subprocess.run(
            [str(self.program), *words],
            cwd=self.project,
            env=self.environ | environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
        )

    def version(self, **environ: str) -> str:
        """The version the host says it has."""
        done = self.run("--version", **environ)
        found = re.search(r"\d+\.\d+\.\d+", done.stdout + done.stderr)
        return found[0] if found else ""


def claude(ask: Asker) -> Seen:
    """The first event of a streamed run lists everything; the debug log holds what it refused."""
    log = ask.home.parent / "claude.log"
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
    model = {"ANTHROPIC_API_KEY": "sk-ant-none", "ANTHROPIC_BASE_URL": ask.stub.url}
    words = ("-p", "hi", "--output-format", "stream-json", "--verbose", "--debug-file", str(log))
    done = ask.run(*words, **quiet, **model)
    first = next(event for event in _events(done.stdout) if event.get("subtype") == "init")
    listed = {
        "skill": first["skills"],
        "command": first["slash_commands"],
        "agent": first["agents"],
        "mcp": [server["name"] for server in first["mcp_servers"] if server["status"] == "connected"],
    }
    text = log.read_text(encoding="utf-8", errors="replace")
    return Seen(ask.version(**quiet), listed, ask.stub.sent, _complaints(text, "[ERROR]", "Invalid setting"))


def codex(ask: Asker) -> Seen:
    """Its application server lists skills; agents are in what it offers the model."""
    model = {"STUB_KEY": "none"}
    with Session([str(ask.program), "app-server"], cwd=ask.project, environ=ask.environ | model) as session:
        client = {
            "clientInfo": {"name": "witness", "version": "1"},
            "capabilities": {"experimentalApi": True},
        }
        session.call("initialize", client)
        session.notify("initialized")
        answer = session.call("skills/list", {"cwds": [str(ask.project)], "forceReload": True})
        warned = [note for note in session.notes if "arning" in json.dumps(note)]
    skills = [skill["name"] for entry in answer["data"] for skill in entry["skills"]]
    errors = [str(error) for entry in answer["data"] for error in entry["errors"]]
    ask.run("exec", "--skip-git-repo-check", "hi", **model)
    listed = {"skill": skills, "agent": _named_in(ask.stub.sent)}
    return Seen(ask.version(), listed, ask.stub.sent, [*errors, *map(str, warned)])


def opencode(ask: Asker) -> Seen:
    """Debug verbs print skills and the whole configuration; one bad file makes every verb fail."""
    return _opencode(ask, "OPENCODE")


def kilo(ask: Asker) -> Seen:
    """It is built on OpenCode and answers the same verbs."""
    return _opencode(ask, "KILO")


def _opencode(ask: Asker, prefix: str) -> Seen:
    quiet = {f"{prefix}_DISABLE_AUTOUPDATE": "1", f"{prefix}_DISABLE_MODELS_FETCH": "1"}
    skills = ask.run("debug", "skill", "--pure", **quiet)
    config = ask.run("debug", "config", "--pure", **quiet)
    agents = ask.run("agent", "list", "--pure", **quiet)
    ask.run("run", "hi", "--format", "json", "--pure", **quiet)
    whole = json.loads(config.stdout)
    listed = {
        "skill": [skill["name"] for skill in json.loads(skills.stdout)],
        "command": list(whole.get("command", {})),
        "agent": re.findall(r"^(\S+) \((?:subagent|primary|all)\)", agents.stdout, re.MULTILINE),
    }
    said = skills.stderr + config.stderr + agents.stderr
    return Seen(ask.version(**quiet), listed, ask.stub.sent, _complaints(said, "rror", "Expected"))


def gemini(ask: Asker) -> Seen:
    """It lists skills; commands and agents are seen in what it sends when a command is typed."""
    quiet = {"GEMINI_CLI_TRUST_WORKSPACE": "true"}
    model = {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": ask.stub.url}
    skills = ask.run("skills", "list", **quiet)
    text = COLOUR.sub("", skills.stdout + skills.stderr)
    found = re.findall(r"^(\S+) \[(?:Enabled|enabled)\]", text, re.MULTILINE)
    words = ("-m", "gemini-2.5-pro", "-p", "/gsd-help WITNESS-ARGUMENT", "-o", "stream-json", "--skip-trust")
    typed = ask.run(*words, **quiet, **model)
    sent = ask.stub.sent
    listed = {
        "skill": found,
        "command": ["gsd-help"] if "WITNESS-ARGUMENT" in sent.replace(words[3], "") else [],
        "agent": _named_in(sent),
    }
    said = text + typed.stdout + typed.stderr
    return Seen(ask.version(), listed, sent, _complaints(said, "Failed to", "Skipping invalid", "Invalid"))


def qwen(ask: Asker) -> Seen:
    """The first event of a streamed run lists commands, which skills are among, and agents."""
    model = {
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": f"{ask.stub.url}/v1",
        "OPENAI_MODEL": "stub-model",
    }
    done = ask.run("-p", "hi", "-o", "stream-json", **model)
    first = next(event for event in _events(done.stdout) if event.get("subtype") == "init")
    names = first["slash_commands"]
    listed = {"skill": names, "command": names, "agent": first["agents"]}
    return Seen(ask.version(), listed, ask.stub.sent, _complaints(done.stderr, "kipping", "nvalid", "ailed"))


def copilot(ask: Asker) -> Seen:
    """It lists skills as JSON; agents and instructions are in what it sends."""
    quiet = {"COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false"}
    model = {
        "COPILOT_PROVIDER_BASE_URL": f"{ask.stub.url}/v1",
        "COPILOT_PROVIDER_API_KEY": "none",
        "COPILOT_MODEL": "gpt-5",
    }
    done = ask.run("skill", "list", "--json", **quiet)
    skills, _ = json.JSONDecoder().raw_decode(done.stdout.lstrip())  # words about what failed may follow
    words = ("-p", "hi", "--allow-all-tools", "--trust-folder", "--output-format", "json")
    spoken = ask.run(*words, **quiet, **model)
    listed = {"skill": list(_names(skills)), "agent": _named_in(ask.stub.sent)}
    said = done.stdout + done.stderr + spoken.stderr
    return Seen(ask.version(**quiet), listed, ask.stub.sent, _complaints(said, "failed to load", "malformed"))


def pi(ask: Asker) -> Seen:
    """Over its own protocol it lists commands, skills and prompt templates alike."""
    quiet = {"PI_OFFLINE": "1"}
    words = ("--provider", "stub", "--model", "stub-model")
    command = [str(ask.program), "--mode", "rpc", *words]
    with Session(command, cwd=ask.project, environ=ask.environ | quiet) as session:
        session.tell({"id": "1", "type": "get_commands"})
        answer = next(note for note in session.heard(60) if note.get("command") == "get_commands")
    commands = answer["data"]["commands"]
    ask.run(*words, "-p", "hi", **quiet)
    listed = {
        "skill": [item["name"].removeprefix("skill:") for item in commands if item["source"] == "skill"],
        "command": [item["name"] for item in commands if item["source"] == "prompt"],
    }
    return Seen(ask.version(**quiet), listed, ask.stub.sent, [])


def augment(ask: Asker) -> Seen:
    """One listing holds commands and skills."""
    done = ask.run("command", "list", AUGMENT_DISABLE_AUTO_UPDATE="1")
    text = COLOUR.sub("", done.stdout)
    names = re.findall(r"^\s*/?(gsd-[a-z0-9-]+)", text, re.MULTILINE)
    return Seen(ask.version(), {"skill": names, "command": names}, "", _complaints(done.stderr, "rror"))


def kimi_code(ask: Asker) -> Seen:
    """Skills are the commands it offers over ACP; agents are in what it sends, refusals in its logs."""
    offered = _acp(ask, "acp")
    ask.run("-p", "hi", "--output-format", "stream-json")
    logs = "".join(
        path.read_text(encoding="utf-8", errors="replace")
        for path in (ask.home / ".kimi-code").rglob("*.log")
    )
    listed = {"skill": offered, "agent": _named_in(ask.stub.sent)}
    return Seen(ask.version(), listed, ask.stub.sent, _complaints(logs, "Skipping invalid"))


def droid(ask: Asker) -> Seen:
    """Skills are the commands it offers over ACP; agents are in what it sends."""
    account = {"FACTORY_API_KEY": "fk-none"}
    offered = _acp(ask, "exec", "--output-format", "acp", **account)
    ask.run("exec", "-m", "custom:Stub-0", "-o", "stream-json", "hi", **account)
    doctor = ask.run("doctor", **account)
    listed = {"skill": offered, "agent": _named_in(ask.stub.sent)}
    return Seen(ask.version(**account), listed, ask.stub.sent, _complaints(doctor.stdout, " ! "))


def continue_(ask: Asker) -> Seen:
    """The description of its tool for skills names them all."""
    quiet = {"CONTINUE_TELEMETRY_ENABLED": "0"}
    config = ask.home / ".continue" / "config.yaml"
    done = ask.run("--config", str(config), "-p", "hi", **quiet)
    sent = ask.stub.sent
    return Seen(ask.version(**quiet), {"skill": _named_in(sent)}, sent, _complaints(done.stderr, "rror"))


def cline(ask: Asker) -> Seen:
    """It tells its model of skills and agents; where the model is, it is told before."""
    quiet = {"CLINE_TELEMETRY_DISABLED": "1"}
    model = ("--apikey", "none", "--modelid", "stub-model", "--baseurl", f"{ask.stub.url}/v1")
    ask.run("auth", "openai", *model, **quiet)
    done = ask.run("--json", "--timeout", "60", "say hi", **quiet)
    sent = ask.stub.sent
    agents = re.findall(r"\bsubagent_(gsd_[a-z0-9_]+)", sent)
    listed = {"skill": _named_in(sent), "agent": [name.replace("_", "-") for name in agents]}
    return Seen(ask.version(**quiet), listed, sent, _complaints(done.stderr, "rror"))


def qoder(ask: Asker) -> Seen:
    """It lists skills and agents; the first event of a run lists commands, without an account too."""
    skills = ask.run("skills", "list")
    agents = ask.run("agents", "list")
    done = ask.run("-p", "hi", "-o", "stream-json")
    first = next((event for event in _events(done.stdout) if event.get("subtype") == "init"), {})
    listed = {
        "skill": _named_in(COLOUR.sub("", skills.stdout)),
        "agent": _named_in(COLOUR.sub("", agents.stdout)),
        "command": list(first.get("slash_commands", [])),
    }
    return Seen(ask.version(), listed, "", _complaints(agents.stdout + agents.stderr, "error loading"))


def mistral_vibe(ask: Asker) -> Seen:
    """Skills are the commands it offers over ACP; its log holds the strictest verdicts of all."""
    account = {"MISTRAL_API_KEY": "none", "STUB_KEY": "none"}
    acp = ask._replace(program=ask.program.with_name("vibe-acp"))
    offered = _acp(acp, **account)
    ask.run("--trust", "-p", "hi", **account)
    log = ask.home / ".vibe" / "logs" / "vibe.log"
    text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    complaints = _complaints(text, "Failed to parse skill", "doesn't match directory")
    return Seen(ask.version(**account), {"skill": offered}, ask.stub.sent, complaints)


def hermes(ask: Asker) -> Seen:
    """It prints a table of skills."""
    done = ask.run("skills", "list", COLUMNS="240")
    names = _named_in(COLOUR.sub("", done.stdout))
    return Seen(ask.version(), {"skill": names}, "", _complaints(done.stderr, "rror", "arning"))


HOW: dict[str, Callable[[Asker], Seen]] = {
    "augment": augment,
    "claude": claude,
    "cline": cline,
    "codex": codex,
    "continue": continue_,
    "copilot": copilot,
    "droid": droid,
    "gemini": gemini,
    "hermes": hermes,
    "kilo": kilo,
    "kimi-code": kimi_code,
    "mistral-vibe": mistral_vibe,
    "opencode": opencode,
    "pi": pi,
    "qoder": qoder,
    "qwen": qwen,
}


def _acp(ask: Asker, *words: str, **environ: str) -> list[str]:
    """The commands a host offers in a new session of the Agent Client Protocol."""
    command = [str(ask.program), *words]
    files = {"readTextFile": False, "writeTextFile": False}
    hello = {
        "protocolVersion": 1,
        "clientCapabilities": {"fs": files},
        "clientInfo": {"name": "witness", "version": "1"},
    }
    with Session(command, cwd=ask.project, environ=ask.environ | environ) as session:
        session.call("initialize", hello)
        session.call("session/new", {"cwd": str(ask.project), "mcpServers": []})
        for note in itertools.chain(tuple(session.notes), session.heard(30)):
            update = note.get("params", {}).get("update", {})
            if update.get("sessionUpdate") == "available_commands_update":
                offered = [command["name"] for command in update["availableCommands"]]
                if any("gsd-" in name for name in offered):
                    return [name.removeprefix("skill:") for name in offered]
    return []


def _events(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        if line.startswith("{"):
            yield json.loads(line)


def _named_in(sent: str) -> list[str]:
    """Names of ours that a request to the model mentions."""
    text = sent.replace("\\n", "\n")  # a line end as JSON spells it
    return sorted(set(re.findall(r"\bgsd-[a-z0-9]+(?:-[a-z0-9]+)*", text)))


def _names(value: Any) -> Iterator[str]:
    """Every `name` in a JSON document."""
    if isinstance(value, dict):
        if isinstance(value.get("name"), str):
            yield value["name"]
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _names(item)


def _complaints(text: str, *signs: str) -> list[str]:
    return [line for line in text.splitlines() if any(sign in line for sign in signs)]
