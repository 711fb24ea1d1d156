"""Chat models behind one Protocol: hosted, local and scripted ones, found by the registry."""

from saferag.models.base import ChatModel, ChatReply, ChatRequest, Message
from saferag.registry import Registry

models: Registry[ChatModel] = Registry("model", __name__)

__all__ = ["ChatModel", "ChatReply", "ChatRequest", "Message", "models"]
