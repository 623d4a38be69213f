"""Ask each host what it loaded, in its own way: a listing it prints, or what it sends to the model."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from support.hosts.jsonrpc import Session
from support.hosts.reading import (
    COLOUR,
    Asker,
    Seen,
    acp,
    complaints,
    connected,
    events,
    named_in,
    names_in,
    served,
)


def claude(ask: Asker) -> Seen:
    """The first event of a streamed run lists everything; the debug log holds what it refused."""
    log = ask.home.parent / "claude.log"
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
    model = {"ANTHROPIC_API_KEY": "sk-ant-none", "ANTHROPIC_BASE_URL": ask.stub.url}
    words = ("-p", "hi", "--output-format", "stream-json", "--verbose", "--debug-file", str(log))
    done = ask.run(*words, **quiet, **model)
    first = next(event for event in events(done.stdout) if event.get("subtype") == "init")
    servers = ask.run("mcp", "list", **quiet)
    listed = {
        "skill": first["skills"],
        "command": first["slash_commands"],
        "agent": first["agents"],
        "mcp": connected(servers),
    }
    text = log.read_text(encoding="utf-8", errors="replace")
    return Seen(ask.version(**quiet), listed, ask.stub.sent, complaints(text, "[ERROR]", "Invalid setting"))


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
        servers = session.call("mcpServerStatus/list", {})
        warned = [note for note in session.notes if "warning" in json.dumps(note).lower()]
    skills = [skill["name"] for entry in answer["data"] for skill in entry["skills"]]
    errors = [str(error) for entry in answer["data"] for error in entry["errors"]]
    ask.run("exec", "--skip-git-repo-check", "hi", **model)
    listed = {
        "skill": skills,
        "agent": named_in(ask.stub.sent),
        "mcp": [server["name"] for server in servers["data"] if server["tools"]],
    }
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
        "mcp": served(ask.stub.sent),
    }
    said = skills.stderr + config.stderr + agents.stderr
    return Seen(ask.version(**quiet), listed, ask.stub.sent, complaints(said, "rror", "Expected"))


def gemini(ask: Asker) -> Seen:
    """It lists skills; commands and agents are seen in what it sends when a command is typed."""
    quiet = {"GEMINI_CLI_TRUST_WORKSPACE": "true"}
    model = {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": ask.stub.url}
    skills = ask.run("skills", "list", **quiet)
    text = COLOUR.sub("", skills.stdout + skills.stderr)
    found = re.findall(r"^(\S+) \[(?:Enabled|enabled)\]", text, re.MULTILINE)
    servers = ask.run("mcp", "list", **quiet)
    words = ("-m", "gemini-2.5-pro", "-p", "/gsd-help WITNESS-ARGUMENT", "-o", "stream-json", "--skip-trust")
    typed = ask.run(*words, **quiet, **model)
    sent = ask.stub.sent
    listed = {
        "skill": found,
        "command": ["gsd-help"] if "WITNESS-ARGUMENT" in sent.replace(words[3], "") else [],
        "agent": named_in(sent),
        "mcp": connected(servers),
    }
    said = text + typed.stdout + typed.stderr
    return Seen(ask.version(), listed, sent, complaints(said, "Failed to", "Skipping invalid", "Invalid"))


def qwen(ask: Asker) -> Seen:
    """The first event of a streamed run lists commands, which skills are among, and agents."""
    model = {
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": f"{ask.stub.url}/v1",
        "OPENAI_MODEL": "stub-model",
    }
    done = ask.run("-p", "hi", "-o", "stream-json", **model)
    first = next(event for event in events(done.stdout) if event.get("subtype") == "init")
    names = first["slash_commands"]
    servers = ask.run("mcp", "list")
    listed = {"skill": names, "command": names, "agent": first["agents"], "mcp": connected(servers)}
    return Seen(ask.version(), listed, ask.stub.sent, complaints(done.stderr, "kipping", "nvalid", "ailed"))


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
    sent = ask.stub.sent
    listed = {"skill": list(names_in(skills)), "agent": named_in(sent), "mcp": served(sent)}
    said = done.stdout + done.stderr + spoken.stderr
    return Seen(ask.version(**quiet), listed, ask.stub.sent, complaints(said, "failed to load", "malformed"))


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
    return Seen(ask.version(), {"skill": names, "command": names}, "", complaints(done.stderr, "rror"))


def kimi_code(ask: Asker) -> Seen:
    """Skills are the commands it offers over ACP; agents are in what it sends, refusals in its logs."""
    offered = acp(ask, "acp")
    ask.run("-p", "hi", "--output-format", "stream-json")
    logs = "".join(
        path.read_text(encoding="utf-8", errors="replace")
        for path in (ask.home / ".kimi-code").rglob("*.log")
    )
    sent = ask.stub.sent
    listed = {"skill": offered, "agent": named_in(sent), "mcp": served(sent)}
    return Seen(ask.version(), listed, ask.stub.sent, complaints(logs, "Skipping invalid"))


def droid(ask: Asker) -> Seen:
    """Skills are the commands it offers over ACP; agents are in what it sends."""
    account = {"FACTORY_API_KEY": "fk-none"}
    offered = acp(ask, "exec", "--output-format", "acp", **account)
    ask.run("exec", "-m", "custom:Stub-0", "-o", "stream-json", "hi", **account)
    doctor = ask.run("doctor", **account)
    sent = ask.stub.sent
    listed = {"skill": offered, "agent": named_in(sent), "mcp": served(sent)}
    return Seen(ask.version(**account), listed, ask.stub.sent, complaints(doctor.stdout, " ! "))


def continue_(ask: Asker) -> Seen:
    """The description of its tool for skills names them all."""
    quiet = {"CONTINUE_TELEMETRY_ENABLED": "0"}
    config = ask.home / ".continue" / "config.yaml"
    done = ask.run("--config", str(config), "-p", "hi", **quiet)
    sent = ask.stub.sent
    return Seen(
        ask.version(**quiet),
        {"skill": named_in(sent), "mcp": served(sent)},
        sent,
        complaints(done.stderr, "rror"),
    )


def cline(ask: Asker) -> Seen:
    """It tells its model of skills and agents; where the model is, it is told before."""
    quiet = {"CLINE_TELEMETRY_DISABLED": "1"}
    model = ("--apikey", "none", "--modelid", "stub-model", "--baseurl", f"{ask.stub.url}/v1")
    ask.run("auth", "openai", *model, **quiet)
    done = ask.run("--json", "--timeout", "60", "say hi", **quiet)
    sent = ask.stub.sent
    agents = re.findall(r"\bsubagent_(gsd_[a-z0-9_]+)", sent)
    listed = {
        "skill": named_in(sent),
        "agent": [name.replace("_", "-") for name in agents],
        "mcp": served(sent),
    }
    return Seen(ask.version(**quiet), listed, sent, complaints(done.stderr, "rror"))


def qoder(ask: Asker) -> Seen:
    """It lists skills and agents; the first event of a run lists commands, without an account too."""
    skills = ask.run("skills", "list")
    agents = ask.run("agents", "list")
    done = ask.run("-p", "hi", "-o", "stream-json")
    first = next((event for event in events(done.stdout) if event.get("subtype") == "init"), {})
    listed = {
        "skill": named_in(COLOUR.sub("", skills.stdout)),
        "agent": named_in(COLOUR.sub("", agents.stdout)),
        "command": list(first.get("slash_commands", [])),
    }
    return Seen(ask.version(), listed, "", complaints(agents.stdout + agents.stderr, "error loading"))


def mistral_vibe(ask: Asker) -> Seen:
    """Skills are the commands it offers over ACP; its log holds the strictest verdicts of all."""
    account = {"MISTRAL_API_KEY": "none", "STUB_KEY": "none"}
    server = ask._replace(program=ask.program.with_name("vibe-acp"))
    offered = acp(server, **account)
    ask.run("--trust", "-p", "hi", **account)
    log = ask.home / ".vibe" / "logs" / "vibe.log"
    text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    refused = complaints(text, "Failed to parse skill", "doesn't match directory")
    return Seen(ask.version(**account), {"skill": offered}, ask.stub.sent, refused)


def hermes(ask: Asker) -> Seen:
    """It prints a table of skills."""
    done = ask.run("skills", "list", COLUMNS="240")
    names = named_in(COLOUR.sub("", done.stdout))
    return Seen(ask.version(), {"skill": names}, "", complaints(done.stderr, "rror", "Warning", "warning"))


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
