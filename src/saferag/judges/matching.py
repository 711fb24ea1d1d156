"""Where a response states a value, and how well the words around it fit the statement.

All work is bounded: of one term at most `_MOST_PLACES` places are looked at, so that the time grows with the length of
the response and with the number of claims, and with nothing else.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from saferag.judges.claims import Pattern, Slot, Statement
from saferag.judges.reading import Reading, Token, is_number

_MOST_PLACES = 200
_NEAR = (1.0, 0.7, 0.4)
"""What a term counts in the sentence of the value, in the one beside it, and in the one after that."""
_FAR = 0.25
_AGREEING = 3
_BARE = 0.01
"""The fit of a value that is distinctive enough to need no other words."""


@dataclass(frozen=True, slots=True)
class Match:
    """Where a response states a value: from one token to another, how nearly (0.5 to 1), and which of its terms."""

    start: int
    end: int
    strength: float
    terms: frozenset[str]

    def overlaps(self, other: Match) -> bool:
        """Whether two matches share a token."""
        return self.start < other.end and other.start < self.end

    def inside(self, other: Match) -> bool:
        """Whether another match holds this one and more."""
        return other.start <= self.start and self.end <= other.end and other.end - other.start > self.end - self.start


def find_exact(pattern: Pattern, reading: Reading) -> Iterator[Match]:
    """Where the tokens of a value stand one after another."""
    tokens, stream = pattern.tokens, reading.tokens
    rarest = min(range(len(tokens)), key=lambda i: len(_places(reading, tokens[i])))
    for place in _places(reading, tokens[rarest])[:_MOST_PLACES]:
        start = place - rarest
        fits = start >= 0 and start + len(tokens) <= len(stream)
        if fits and all(token.same(stream[start + i]) for i, token in enumerate(tokens)):
            yield Match(start, start + len(tokens), 1.0, frozenset(pattern.terms))


def _places(reading: Reading, token: Token) -> list[int]:
    found = reading.positions.get(token.form, [])
    return found if token.other is None else sorted({*found, *reading.positions.get(token.other, [])})


def find_loose(pattern: Pattern, reading: Reading) -> Iterator[Match]:
    """Where most terms of a value stand close together in one sentence, with all its decisive numerals."""
    index = reading.term_positions
    present = [term for term in pattern.decisive if term in index]
    numbers = [term for term in pattern.decisive if is_number(term)]
    if not present or any(number not in index for number in numbers):
        return
    width = 2 * len(pattern.tokens) + 4
    least = 0.75 if len(pattern.decisive) == len(set(pattern.terms)) else 0.6
    enough = 0.34 if len(numbers) == len(pattern.decisive) else 0.6
    terms = list(dict.fromkeys(pattern.terms))
    rarest = min(present, key=lambda term: (len(index[term]), term))
    for place in index[rarest][:_MOST_PLACES]:
        hits = {}
        for term in terms:
            at = nearest(index.get(term), place)
            if at is not None and abs(at - place) <= width and reading.sentence[at] == reading.sentence[place]:
                hits[term] = at
        decisive = sum(term in hits for term in pattern.decisive) / len(pattern.decisive)
        total = len(hits) / len(terms)
        told_apart = decisive >= least or (numbers and total >= 0.6)
        if told_apart and total >= enough and all(number in hits for number in numbers):
            strength = 0.5 + 0.5 * min(decisive, total) * _in_order(list(hits.values()))
            yield Match(min(hits.values()), max(hits.values()) + 1, strength, frozenset(hits))


def _in_order(positions: list[int]) -> float:
    """Share of the positions in the longest run that ascends."""
    tails: list[int] = []
    for position in positions:
        i = bisect_left(tails, position)
        tails[i : i + 1] = [position]
    return len(tails) / len(positions)


def nearest(positions: list[int] | None, place: int) -> int | None:
    """The position that is nearest to a place."""
    if not positions:
        return None
    i = bisect_left(positions, place)
    return min(positions[max(0, i - 1) : i + 1], key=lambda p: abs(p - place))


def score(statement: Statement, reading: Reading, match: Match, low: float) -> float:
    """How well a place fits a statement, 0 if not well enough.

    Two measures, the better one counts: the share of the anchors around the place, with a bonus for those that stand
    on the same side of the value as in the statement, if it reaches ``low``; or the share of the whole statement, if
    it reaches 0.6.
    """
    around = coverage(statement, reading, match.start)
    anchored = sum(statement.anchors.values())
    fit = match.strength * ((around / anchored if anchored else 1.0) + 0.3 * _flank(statement, reading, match))
    whole = around + sum(w for term, w in statement.weights.items() if term in match.terms)
    return max(max(fit, _BARE) if fit >= low else 0.0, whole if whole >= 0.6 else 0.0)


def coverage(statement: Statement, reading: Reading, place: int) -> float:
    """Weight of the anchors around a place: in full within its sentence, less in the sentences beside it."""
    total = 0.0
    here = reading.sentence[place]
    for term, weight in statement.anchors.items():
        at = nearest(reading.term_positions.get(term), place)
        if at is not None:
            away = abs(reading.sentence[at] - here)
            total += weight * (_NEAR[away] if away < len(_NEAR) else _FAR)
    return total


def _flank(statement: Statement, reading: Reading, match: Match) -> float:
    """Share of the terms just before and after the value in the statement that stand on the same side here."""
    wanted = len(statement.left) + len(statement.right)
    if not wanted:
        return 0.0
    hits = sum(_any_within(reading, term, match.start - 10, match.start) for term in statement.left)
    hits += sum(_any_within(reading, term, match.end, match.end + 10) for term in statement.right)
    return hits / wanted


def _any_within(reading: Reading, term: str, low: int, high: int) -> bool:
    positions = reading.term_positions.get(term, ())
    i = bisect_left(positions, low)
    return i < len(positions) and positions[i] < high


def centres(statement: Statement, reading: Reading) -> list[int]:
    """The three sentences that hold most of a statement's anchors, each as a position in it."""
    weight: dict[int, float] = {}
    place: dict[int, int] = {}
    for term, w in statement.anchors.items():
        for sentence, at in {
            reading.sentence[p]: p for p in reading.term_positions.get(term, ())[:_MOST_PLACES]
        }.items():
            weight[sentence] = weight.get(sentence, 0.0) + w
            place[sentence] = at
    return [place[s] for s in sorted(weight, key=lambda s: (-weight[s], s))[:3]]


def refuted(slot: Slot, reading: Reading) -> Iterator[int]:
    """Where another numeral of the same kind stands between the same words as a numeral of a statement.

    At least three tokens beside it have to agree, without a gap, and the one that it counts has to be among them.
    """
    if not slot.after and len(slot.before) < _AGREEING:
        return
    guide = slot.after[0] if slot.after else slot.before[0]
    shift = -1 if slot.after else 1
    for place in _places(reading, guide)[:_MOST_PLACES]:
        at = place + shift
        other = 0 <= at < len(reading.tokens) and _other_numeral(slot, reading.tokens[at])
        if other and agreeing(slot.before, slot.after, reading, at, at + 1) >= _AGREEING:
            yield at


def _other_numeral(slot: Slot, token: Token) -> bool:
    return is_number(token.form) and token.form[0] == slot.numeral.form[0] and not token.same(slot.numeral)


def agreeing(before: Sequence[Token], after: Sequence[Token], reading: Reading, start: int, end: int) -> int:
    """How many tokens on either side of a place agree with the wanted ones, up to the first that does not.

    Args:
        before: The tokens wanted before the place, the nearest first.
        after: The tokens wanted after it, the nearest first.
        reading: Where to look.
        start: The first token of the place.
        end: The token after its last one.
    """
    count = 0
    for wanted, places in ((before, range(start - 1, -1, -1)), (after, range(end, len(reading.tokens)))):
        for token, place in zip(wanted, places, strict=False):
            if not token.same(reading.tokens[place]):
                break
            count += 1
    return count
