"""Endpoints by a short name: the eight generators of the paper (arXiv 2501.18636, Table 4).

The open models have no home of their own; they are expected behind a server on this machine (vLLM, Ollama,
llama.cpp, SGLang …), which is where ``base_url`` points unless it is given.
"""

from __future__ import annotations

from dataclasses import dataclass

OPENAI_URL = "https://api.openai.com/v1"
LOCAL_URL = "http://127.0.0.1:8000/v1"


@dataclass(frozen=True, slots=True)
class Preset:
    """Where a model is found.

    Attributes:
        model: The name that the server knows it by.
        base_url: Root of the OpenAI-compatible API.
        key_env: The environment variable that holds the key.
        summary: One line for people.
    """

    model: str
    base_url: str
    key_env: str
    summary: str


PRESETS = {
    "deepseek": Preset("deepseek-chat", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", "DeepSeek chat"),
    "gpt-3.5-turbo": Preset("gpt-3.5-turbo", OPENAI_URL, "OPENAI_API_KEY", "OpenAI GPT-3.5 Turbo"),
    "gpt-4": Preset("gpt-4", OPENAI_URL, "OPENAI_API_KEY", "OpenAI GPT-4"),
    "gpt-4o": Preset("gpt-4o", OPENAI_URL, "OPENAI_API_KEY", "OpenAI GPT-4o"),
    "qwen-7b": Preset("Qwen/Qwen-7B-Chat", LOCAL_URL, "OPENAI_API_KEY", "Qwen 7B behind a local server"),
    "qwen-14b": Preset("Qwen/Qwen-14B-Chat", LOCAL_URL, "OPENAI_API_KEY", "Qwen 14B behind a local server"),
    "baichuan-13b": Preset(
        "baichuan-inc/Baichuan-13B-Chat", LOCAL_URL, "OPENAI_API_KEY", "Baichuan 13B behind a local server"
    ),
    "chatglm-6b": Preset("THUDM/chatglm-6b", LOCAL_URL, "OPENAI_API_KEY", "ChatGLM 6B behind a local server"),
}
