"""Answers by a GGUF model in this process; ``gguf:PATH`` as in `saferag.models.gguf`."""

from saferag.generators.chat import register_chat_generator

register_chat_generator("gguf", "a GGUF model in this process: gguf:PATH", requires=("gguf",))
