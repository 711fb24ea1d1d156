"""An inverted file over some passages: for each term the passages that hold it, and how often."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saferag.retrievers.ranking import Shelf
from saferag.types import Passage

Tokenizer = Callable[[str], Sequence[str]]
Counts = NDArray[np.unsignedinteger[Any]]
_CHUNK = 32_768  # passages whose tokens are sorted at once: bounds the memory of a build


class _Terms(dict[str, int]):
    """Numbers terms in the order in which they are asked for."""

    def __missing__(self, term: str) -> int:
        number = self[term] = len(self)
        return number


@dataclass(frozen=True, slots=True)
class Postings:
    """An inverted file, immutable.

    Attributes:
        shelf: The passages.
        terms: Number of each term.
        starts: Where each term's postings begin; the last entry is their total.
        docs: Positions of passages, ascending within a term.
        counts: How often the term stands in that passage.
        lengths: Tokens of each passage.
    """

    shelf: Shelf
    terms: dict[str, int]
    starts: NDArray[np.int64]
    docs: NDArray[np.int32]
    counts: Counts
    lengths: NDArray[np.int32]

    @classmethod
    def of(cls, passages: Sequence[Passage], tokenize: Tokenizer, known: Sequence[Shelf] = ()) -> Postings:
        """Read passages whose ids are in none of the ``known`` shelves.

        Raises:
            DataError: Two passages have the same id.
        """
        shelf = Shelf.of(passages, known)
        terms = _Terms()
        lengths = np.zeros(len(shelf), np.int32)
        blocks = [
            _read(passages[first : first + _CHUNK], first, tokenize, terms, lengths)
            for first in range(0, len(passages), _CHUNK)
        ]
        starts, docs, counts = _by_term(blocks, len(terms))
        return cls(shelf, dict(terms), starts, docs, counts, lengths)

    def frequency(self, term: str) -> int:
        """Number of passages that hold the term."""
        number = self.terms.get(term)
        return 0 if number is None else int(self.starts[number + 1] - self.starts[number])

    def where(self, term: str, first: int, last: int) -> tuple[NDArray[np.int32], Counts]:
        """Positions, from ``first`` to before ``last``, of the passages that hold the term, and how often each does."""
        number = self.terms.get(term)
        if number is None:
            return self.docs[:0], self.counts[:0]
        docs = self.docs[self.starts[number] : self.starts[number + 1]]
        left, right = np.searchsorted(docs, np.array([first, last], docs.dtype))  # another type would copy them all
        return docs[left:right], self.counts[self.starts[number] + left : self.starts[number] + right]


@dataclass(frozen=True, slots=True)
class _Block:
    """Postings of some passages, sorted by term and then by passage, in as few bytes as they need."""

    first: int
    terms: NDArray[np.int32]
    docs: NDArray[np.uint16]  # from the first passage of the block on
    counts: Counts


def _read(
    passages: Sequence[Passage], first: int, tokenize: Tokenizer, terms: _Terms, lengths: NDArray[np.int32]
) -> _Block:
    """Read a chunk of passages, which begins at position ``first``, and note their ``lengths``."""
    flat = array("q")
    for position, passage in enumerate(passages, first):
        tokens = tokenize(passage.text)
        lengths[position] = len(tokens)
        flat.extend(map(terms.__getitem__, tokens))
    pairs = np.array(flat, np.int64) * _CHUNK
    pairs += np.repeat(np.arange(len(passages)), lengths[first : first + len(passages)])
    pairs, counts = np.unique(pairs, return_counts=True)
    narrow = np.min_scalar_type(int(counts.max(initial=0)))
    return _Block(first, (pairs // _CHUNK).astype(np.int32), (pairs % _CHUNK).astype(np.uint16), counts.astype(narrow))


def _by_term(blocks: list[_Block], size: int) -> tuple[NDArray[np.int64], NDArray[np.int32], Counts]:
    """Merge blocks into one inverted file by counting, block after block; each is dropped when it is in."""
    starts = np.zeros(size + 1, np.int64)
    for block in blocks:
        starts[1:] += np.bincount(block.terms, minlength=size)
    np.cumsum(starts, out=starts)
    docs = np.empty(starts[-1], np.int32)
    counts = np.empty(starts[-1], np.result_type(np.uint8, *(block.counts for block in blocks)))
    free = starts[:-1].copy()
    while blocks:
        block = blocks.pop(0)
        sizes = np.bincount(block.terms, minlength=size)
        first = np.cumsum(sizes) - sizes
        places = np.arange(len(block.terms)) + (free - first)[block.terms]
        docs[places] = block.docs
        docs[places] += block.first
        counts[places] = block.counts
        free += sizes
    return starts, docs, counts
