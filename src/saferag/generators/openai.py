"""Answers by any OpenAI-compatible server; ``openai:NAME`` as in `saferag.models.openai`."""

from saferag.generators.chat import register_chat_generator

register_chat_generator("openai", "a hosted or local model behind an OpenAI-compatible server: openai:NAME")
