"""What each scenario is: the line that tells an agent in which situation it speaks."""

from __future__ import annotations

from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

MODES: Mapping[str, str] = {
    "heartbeat": "Nobody asked you anything. Look whether messages, tasks or reviews need you; if not, stop.",
    "memory_consolidation": "Nobody waits. Merge what memory says twice, drop what is wrong, add nothing.",
    "memory_flush": "This conversation is about to be shortened. Save what must not be lost, then stop.",
    "distillation": "A task is finished. Find out what it taught, record it where it belongs, then stop.",
    "chat": "A person speaks with you and waits. Answer, or build it with them, now.",
    "a2a": "Another agent speaks with you. Answer in whole sentences; it does not see what you see.",
    "group_chat": "Several people or agents speak. Answer when you are meant or can help, and be brief.",
    "comment_response": "Somebody commented on work. Answer, and change what the comment rightly asks for.",
    "requirement_action": "A requirement is to be acted on. Say what follows from it; create its tasks.",
    "workflow_action": "A step of a workflow is to be done. Do this step and say how it ended.",
    "task_execution": "You carry out one task to its end: submit or complete it, or block it and say why.",
    "review": "You judge the work of somebody else. Look at the work, not at what is said about it.",
    "deliberation": "A question is to be settled. Weigh both sides, then decide and say why.",
}
