"""Core tools for an agent itself: finding tools, asking a human, memory, messages and its own time."""

from __future__ import annotations

from gsd_capabilities.packs.tool import choice, count, made, text, texts

TOOLS = (
    made(
        "discover_tools",
        "Makes tools live by name; without names it lists the tools that wait.",
        may={
            "names": texts("tools to make live"),
            "query": text("list only tools with all these words"),
        },
    ),
    made(
        "notify_user",
        "Tells the user something; nobody waits for an answer.",
        needs={"text": text("what to tell")},
    ),
    made(
        "request_user_input",
        "Asks the user a question and waits for the answer.",
        needs={"question": text("one question")},
        may={"options": texts("answers to choose from")},
    ),
    made(
        "request_user_approval",
        "Asks the user to allow one action; nobody's answer is a no.",
        needs={"action": text("what will be done"), "reason": text("why it is needed")},
    ),
    made(
        "memory_save",
        "Saves one section of lasting knowledge, or of the current state, which expires.",
        needs={"title": text("the heading of the section"), "text": text("what to remember")},
        may={"store": choice("where (default: knowledge)", "knowledge", "state")},
    ),
    made(
        "memory_search",
        "Finds sections of memory that have all these words.",
        needs={"words": text("what to look for")},
    ),
    made(
        "memory_update",
        "Replaces the text of one section of memory.",
        needs={"title": text("the heading of the section"), "text": text("its new text")},
        may={"store": choice("where (default: knowledge)", "knowledge", "state")},
    ),
    made(
        "memory_update_longterm",
        "Rewrites a section of lasting knowledge with what was learnt.",
        needs={"title": text("the heading of the section"), "text": text("its new text")},
    ),
    made(
        "update_notebook",
        "Writes this agent's entry in the notebook: what it is at just now.",
        needs={"text": text("the whole entry")},
    ),
    made("check_mailbox", "Lists the messages for this agent that it has not read."),
    made(
        "agent_send_message",
        "Sends a message to another agent or to a person.",
        needs={"to": text("who gets it"), "text": text("the message")},
    ),
    made(
        "schedule_wakeup",
        "Plans one wake-up of this agent.",
        needs={"at": text("as 2026-12-01T00:00:00Z"), "reason": text("what to do then")},
    ),
    made("cancel_wakeup", "Takes a planned wake-up back.", needs={"id": text("the id of the wake-up")}),
    made(
        "set_heartbeat_interval",
        "Sets how long it is from one heartbeat to the next.",
        needs={"seconds": count("seconds")},
    ),
)
