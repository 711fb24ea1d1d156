"""Answers by a transformers model in this process; ``huggingface:NAME`` as in `saferag.models.huggingface`."""

from saferag.generators.chat import register_chat_generator

register_chat_generator(
    "huggingface", "a transformers model in this process: huggingface:NAME_OR_FOLDER", requires=("local",)
)
