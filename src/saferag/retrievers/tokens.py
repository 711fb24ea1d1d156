"""The ways to cut a text into search terms, by name."""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib.util import find_spec

from saferag import text
from saferag.errors import MissingExtraError, OptionError, did_you_mean
from saferag.retrievers.postings import Tokenizer

_log = logging.getLogger(__name__)


def tokenizer(name: str) -> Tokenizer:
    """The tokenizer of a name: ``terms``, ``words``, ``bigrams`` or ``jieba``.

    Without rjieba, ``terms`` and ``words`` fall back to ``bigrams`` and say so in the log.

    Raises:
        OptionError: There is no such tokenizer.
        MissingExtraError: ``jieba`` is not installed.
    """
    match name:
        case "terms" | "words" if find_spec("rjieba") is None:
            _log.warning("no rjieba on this machine: BM25 cuts Chinese into character bigrams instead of words")
            return text.bigrams
        case "terms":
            return text.search_terms
        case "words":
            return text.words
        case "bigrams":
            return text.bigrams
        case "jieba":
            return _jieba()
    names = ["terms", "words", "bigrams", "jieba"]
    raise OptionError(f"tokens '{name}' is none of {', '.join(names)}{did_you_mean(name, names)}")


def _jieba() -> Callable[[str], list[str]]:
    if find_spec("jieba") is None:
        raise MissingExtraError("tokens=jieba", "jieba")
    import jieba

    jieba.setLogLevel(logging.WARNING)  # it reports the loading of its dictionary otherwise
    return lambda passage: text.words(passage, jieba.lcut)
