"""What a runtime plugin imports: the dataclasses, the vocabulary of forms, and the hook marker."""

from __future__ import annotations
