"""What a model wants to be put around a text before it embeds it."""

from __future__ import annotations

from dataclasses import dataclass

from saferag.embedders.base import Kind
from saferag.errors import OptionError

_HOLE = "{text}"
_BGE_ZH = "为这个句子生成表示以用于检索相关文章：{text}"
_BGE_EN = "Represent this sentence for searching relevant passages: {text}"


@dataclass(frozen=True, slots=True)
class Templates:
    """Frames for questions and passages; ``{text}`` stands for the text."""

    query: str = _HOLE
    passage: str = _HOLE

    def frame(self, text: str, kind: Kind) -> str:
        """The text in the frame of its kind."""
        return (self.query if kind == "query" else self.passage).replace(_HOLE, text)


def templates(model: str, query: str | None = None, passage: str | None = None) -> Templates:
    """The frames of a model, from its model card where it is known, with what the user gave put over them.

    Args:
        model: Name or path of the model; its last part decides.
        query: The user's frame for questions, or None.
        passage: The user's frame for passages, or None.

    Raises:
        OptionError: A frame has no place for the text.
    """
    for given in (query, passage):
        if given is not None and _HOLE not in given:
            raise OptionError(f"template '{given}' has no {_HOLE}")
    known = _known(model.replace("\\", "/").rstrip("/").rpartition("/")[2].casefold())
    return Templates(query or known.query, passage or known.passage)


def _known(name: str) -> Templates:
    if name.startswith("bge-") and "-zh" in name:
        return Templates(query=_BGE_ZH)
    if name.startswith("bge-") and "-en" in name:
        return Templates(query=_BGE_EN)
    if "e5-" in name and "instruct" not in name:
        return Templates("query: {text}", "passage: {text}")
    return Templates()
