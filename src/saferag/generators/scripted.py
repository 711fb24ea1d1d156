"""Answers by a script: the test double, for trying a pipeline without any model."""

from saferag.generators.chat import register_chat_generator

register_chat_generator("scripted", "says what it is told: scripted(reply=TEXT) or scripted(file=RULES.jsonl)")
