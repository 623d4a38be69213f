"""Core tools for the work of a team: tasks, reviews, deliverables, requirements and goals."""

from __future__ import annotations

from gsd_capabilities.packs.tool import choice, count, made, text, texts

_TASK = text("the id of the task")
_OWN_TASK = text("the id of the task (default: the one that this session is about)")
_SUBTASK = text("the id of the subtask")

TOOLS = (
    made("team_status", "Shows the team and what each is doing."),
    made(
        "task_list",
        "Lists tasks, or those in one state or of one agent.",
        may={
            "state": choice(
                "only these", "open", "assigned", "running", "review", "completed", "failed", "cancelled"
            ),
            "assignee": text("only tasks of this agent"),
        },
    ),
    made("task_get", "Shows one task with its notes, subtasks and reviews.", needs={"id": _TASK}),
    made(
        "task_create",
        "Adds a task: for work that somebody else does, runs on its own or is formally reviewed.",
        needs={"title": text("what is to be done, on one line")},
        may={
            "description": text("what is known, and when it is done"),
            "assignee": text("who does it"),
            "requirement": text("the id of the requirement it serves"),
            "predecessor": text("the id of the task it builds on"),
            "tags": texts("words it is found by"),
        },
    ),
    made(
        "task_update",
        "Moves a task on.",
        needs={"id": _TASK, "action": choice("what happens", "start", "block", "complete", "fail", "cancel")},
        may={"note": text("why, or what came of it")},
    ),
    made("task_note", "Adds a note to the task.", needs={"text": text("the note")}, may={"id": _OWN_TASK}),
    made(
        "task_assign",
        "Gives a task to an agent, with a bounded package of what it needs to know.",
        needs={"assignee": text("who does it")},
        may={"id": _OWN_TASK},
    ),
    made(
        "task_submit_review",
        "Hands the task in for review. Without a task of its own the session must name one.",
        needs={"summary": text("what was done and how it was checked")},
        may={"task_id": _OWN_TASK, "deliverables": texts("ids of what was made")},
    ),
    made(
        "subtask_create",
        "Adds a subtask to the task.",
        needs={"title": text("what is to be done, on one line")},
        may={"task_id": _OWN_TASK},
    ),
    made("subtask_list", "Lists the subtasks of the task.", may={"task_id": _OWN_TASK}),
    made(
        "subtask_update",
        "Changes the state of a subtask.",
        needs={"id": _SUBTASK, "state": choice("its new state", "open", "running", "completed")},
        may={"task_id": _OWN_TASK},
    ),
    made("subtask_delete", "Removes a subtask.", needs={"id": _SUBTASK}, may={"task_id": _OWN_TASK}),
    made(
        "review_verdict",
        "Decides a review of somebody else's task.",
        needs={
            "task_id": _TASK,
            "verdict": choice("the decision", "approved", "approved_with_notes", "rejected"),
        },
        may={"notes": text("what to mind from now on, or what must change")},
    ),
    made(
        "deliverable_create",
        "Stores the first version of something made.",
        needs={"title": text("what it is, on one line"), "body": text("the whole text")},
        may={"task_id": _OWN_TASK},
    ),
    made(
        "deliverable_update",
        "Stores the next version of a deliverable.",
        needs={
            "id": text("the id of the deliverable"),
            "body": text("the whole new text"),
            "changes": text("what is different, on one line"),
            "base": count("the version it was made from, the newest"),
        },
    ),
    made(
        "deliverable_get",
        "Shows a deliverable with its version.",
        needs={"id": text("the id of the deliverable")},
        may={"version": count("this version (default: the newest)")},
    ),
    made(
        "requirement_propose",
        "Proposes a requirement to a person.",
        needs={"text": text("what must hold"), "reason": text("who needs it and why")},
    ),
    made(
        "goal_create",
        "Adds a goal that tasks can serve.",
        needs={"title": text("the goal, on one line")},
        may={"measure": text("how to tell that it is reached")},
    ),
    made(
        "goal_update",
        "Changes a goal.",
        needs={"id": text("the id of the goal")},
        may={"title": text("its new text"), "state": choice("its new state", "open", "reached", "dropped")},
    ),
    made("goal_status", "Shows goals and the tasks that serve them.", may={"id": text("only this goal")}),
)
