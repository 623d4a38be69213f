"""Every number of context economics and of the learning loop, once.

The document that demands them: context economics and learning loop, sections 2, 3, 6, 7 and 8. Units are in
the names or beside the numbers. What has no number there says so.
"""

from __future__ import annotations

# Tokens for the definitions of tools, a pack.
TOOL_DEF_BUDGET_REFLEX = 3_000
TOOL_DEF_BUDGET_CONVERSE = 8_000
TOOL_DEF_BUDGET_EXECUTE = 10_000
TOOL_DEF_BUDGET_GOVERN = 8_000

# Tokens of the fixed prefix: system text and definitions of tools. The document numbers reflex and converse;
# execute and govern carry more tools and checklists than converse, and are given the room for them.
COLD_REFLEX_FIXED_MAX = 8_000
COLD_CONVERSE_FIXED_MAX = 28_000
COLD_CONVERSE_FIXED_GOAL = 12_000
COLD_EXECUTE_FIXED_MAX = 32_000
COLD_GOVERN_FIXED_MAX = 32_000

# Soft limits in tokens: crossing one warns and cuts nothing.
ROLE_PROMPT_MAX_TOKENS = 6_000
SYSTEM_PROMPT_BUDGET_CONVERSE = 16_000

# Memory in the system text.
KNOWLEDGE_PROMPT_MAX_TOKENS = 1_500
KNOWLEDGE_PROMPT_MAX_TOKENS_CONVERSE = 1_200
KNOWLEDGE_PROMPT_MAX_TOKENS_REFLEX = 0
STATE_PROMPT_MAX_LINES_REFLEX = 5
STATE_TTL_DAYS = 7

# Characters of the other sections.
SYSTEM_ANNOUNCEMENTS_CHARS_CONVERSE = 400
SYSTEM_NORMS_CHARS_CONVERSE = 400
SYSTEM_ANNOUNCEMENTS_CHARS = 2_000
SYSTEM_NORMS_CHARS = 2_000
SYSTEM_WORKFLOWS_MAX_CONVERSE = 3
SYSTEM_WORKFLOW_LINE_CHARS = 80
SYSTEM_DYNAMIC_CONTEXT_CHARS_CONVERSE = 800
LEARNING_HABITS_MAX_CHARS = 1_600
ROSTER_ACTIVE_REFLEX = 3
ROSTER_COLLEAGUES = 10
ROSTER_TEAMS = 5
ROSTER_TEAM_MEMBERS = 6
ROSTER_HUMANS = 8

# Sections that the document wants short and does not number.
SKILL_LISTING_CHARS = 2_400
SKILL_LINE_CHARS = 80
STATE_PROMPT_MAX_LINES = 10
KNOWLEDGE_STALE_DAYS = 30
CHANNEL_MESSAGES = 6
SECTION_LINE_CHARS = 160
BOARD_TOP = 3
BOARD_TASKS = 12

# Deferred tools and their discovery.
DEFERRED_CATALOG_MAX_CHARS = 1_500
DEFERRED_BLURB_CHARS = 40
DISCOVER_WARN = 3
DISCOVER_BREAK = 5
# Calls that count as recent, of tools that may be loaded early. The document has no number.
RECENT_TOOLS = 8

# What a prompt must leave free, in tokens.
PROMPT_AFFORD_OUTPUT_RESERVE = 4_096
PROMPT_AFFORD_SAFETY = 500
MAX_TOKENS_SAFETY = 64
MAX_TOKENS_FLOOR = 512
AFFORD_HINT_SECONDS = 90
PROMPT_CEILING_SHARE = 0.95

# Heartbeats.
DEEP_SLEEP_IDLE_HEARTBEATS = 3
HEARTBEAT_SECONDS = 6 * 3_600
HEARTBEAT_LEAST_SECONDS = 300
HEARTBEAT_MOST_SECONDS = 24 * 3_600

# Our own agent, where the document has no number: rounds of tools in a turn; seconds and bytes of output of a
# command; bytes of a file that a tool reads; seconds that a provider may be silent, seconds and bytes of its
# answer; and for how long a beat that was killed keeps the next one waiting.
AGENT_ROUNDS = 50
AGENT_SHELL_SECONDS = 120
AGENT_SHELL_SECONDS_MOST = 7_200
AGENT_SHELL_BYTES = 10_000_000
AGENT_FILE_BYTES = 50_000_000
AGENT_PROVIDER_SECONDS = 300
AGENT_ANSWER_SECONDS = 3_600
AGENT_ANSWER_BYTES = 32_000_000
HEARTBEAT_HOLD_SECONDS = 3 * 3_600

# Work.
SUBTASK_SOFT_CAP = 8
TASK_CONTEXT_MAX_CHARS = 2_500
TASK_CONTEXT_REQUIREMENT_CHARS = 800
TASK_CONTEXT_PREDECESSOR_CHARS = 600
TASK_CONTEXT_DELIVERABLES = 8
TASK_CONTEXT_NOTES_CHARS = 600
TASK_TITLE_CHARS = 120
WORK_TEXT_CHARS = 8_000
DELIVERABLE_CHANGES_KEPT = 50

# Memory on disk.
OBSERVATIONS_KEPT = 500
OBSERVATIONS_SHOWN = 20
OBSERVATIONS_SHOWN_MOST = 100
KNOWLEDGE_SECTION_CHARS = 3_000
KNOWLEDGE_FILE_CHARS = 15_000
NOTEBOOK_ENTRIES = 4
NOTEBOOK_ENTRY_CHARS = 6_000

# Learning.
DISTIL_TOOL_CALLS = 5
DISTIL_SIMILAR_TASKS = 2
DISTIL_PER_DAY = 5
# The document speaks of similar and of recent tasks and numbers neither, nor the length of a job's prompt,
# nor for how long a job that somebody began is theirs, nor which share of tasks usually leads to a job.
DISTIL_TITLE_SHARE = 0.5
DISTIL_RECENT_DAYS = 30
DISTIL_PROMPT_CHARS = 32_000
DISTIL_HOLD_SECONDS = 3_600
DISTIL_SHARE_LOW = 0.1
DISTIL_SHARE_HIGH = 0.3
FEEDBACK_KEPT = 50
FEEDBACK_CHARS = 500
ARCHIVE_UNUSED_DAYS = 30
PROMOTE_SEEN = 3
REVISE_SUCCESS_SHARE = 0.5
REVISE_LEAST_USES = 3
REVISE_FEEDBACK = 3
TEAM_SKILL_AGENTS = 3
NOTICES_PER_DAY = 1
REMEMBER_MESSAGES = 40
REMEMBER_CHARS = 24_000
RECALL_PAGE = 40
RECALL_PAGE_MOST = 100

# Proposals. The document gives no numbers; hosts give the size of a name and a description.
PROPOSAL_FILES = 40
PROPOSAL_BYTES = 200_000
LOW_IMPACT_BYTES = 8_000
OVERLAP_SHARE = 0.5
SHINGLE_WORDS = 3
SIMILAR_SHARE = 0.9
