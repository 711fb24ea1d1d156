"""A judge without a model: compares each claim with the response through its value, its counterpart and its words."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from saferag.errors import OptionError
from saferag.judges import judges
from saferag.judges.base import Judge
from saferag.judges.claims import Pattern, PreparedClaim, Statement, prepare
from saferag.judges.reading import Reading, is_number, read
from saferag.judges.refusal import is_refusal
from saferag.resources import Resources
from saferag.text import normalize
from saferag.types import Claim, Judged, Judgement, Verdict

_MOST_PLACES = 200  # of one value in one response: bounds the work on a hostile response


@dataclass(frozen=True, slots=True)
class Place:
    """Where a response states a value, and how well the words around it fit the claim (0 to about 1.3)."""

    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class RuleJudge:
    """Finds claims supported, contradicted or undecided by rule. Deterministic; sees no labels.

    Attributes:
        threshold: Share of a claim's words (by weight) that has to stand around its value.
        text_threshold: The same for a claim without a known value.
        margin: By how much one of two stated counterparts has to fit better than the other to be the one that is meant.
    """

    threshold: float = 0.4
    text_threshold: float = 0.7
    margin: float = 0.12

    async def judge(self, query: str, response: str, claims: Sequence[Claim]) -> Judgement:
        """Judge all claims of one response."""
        reading = read(response)
        compact = _compact(response)
        blank = not reading.tokens or is_refusal(response)
        verdicts = []
        for prepared in prepare(query, tuple(claims)):
            if prepared.claim.mention is not None:
                verdict, reason = _mention(prepared.claim.mention, compact, blank)
            else:
                verdict, reason = self._verdict(prepared, reading)
            verdicts.append(Judged(prepared.claim.id, verdict, reason))
        return Judgement(tuple(verdicts))

    def _verdict(self, prepared: PreparedClaim, reading: Reading) -> tuple[Verdict, str]:
        own = prepared.own
        if own.focus is None:
            return self._by_text(own, reading)
        rival = prepared.rival
        mine = _best(own, reading, rival)
        other = _best(rival, reading, own) if rival else 0.0
        if mine >= self.threshold and mine - other > (self.margin if other >= self.threshold else 0):
            return Verdict.CORRECT, f"states the value (fit {mine:.2f})"
        if other >= self.threshold and other - mine > (self.margin if mine >= self.threshold else 0):
            return Verdict.INCORRECT, f"states another value (fit {other:.2f})"
        if mine >= self.threshold and other >= self.threshold:
            return Verdict.UNDECIDED, "states both values"
        return Verdict.UNDECIDED, f"does not state it (fit {max(mine, other):.2f})"

    def _by_text(self, statement: Statement, reading: Reading) -> tuple[Verdict, str]:
        best = max((coverage(statement, reading, i) for i in _centres(statement, reading)), default=0.0)
        if best >= self.text_threshold:
            return Verdict.CORRECT, f"says so (fit {best:.2f})"
        return Verdict.UNDECIDED, f"does not say so (fit {best:.2f})"


def _best(statement: Statement, reading: Reading, rival: Statement | None) -> float:
    assert statement.focus is not None
    exact = list(find_exact(statement.focus, reading))
    if rival is not None and rival.focus is not None and len(rival.focus.tokens) > len(statement.focus.tokens):
        covered = list(find_exact(rival.focus, reading))
        exact = [(a, b, s) for a, b, s in exact if not any(c <= a and b <= d for c, d, _ in covered)]
    best = max((s * _fit(statement, reading, a, b) for a, b, s in exact), default=0.0)
    fuzzy = max((s * _fit(statement, reading, a, b) for a, b, s in find_loose(statement.focus, reading)), default=0.0)
    return max(best, fuzzy)


def _fit(statement: Statement, reading: Reading, start: int, end: int) -> float:
    return coverage(statement, reading, start, end) + 0.3 * _flank(statement, reading, start, end)


def find_exact(pattern: Pattern, reading: Reading) -> Iterator[tuple[int, int, float]]:
    """Where the tokens of a value stand one after another."""
    tokens, stream = pattern.tokens, reading.tokens
    rarest = min(range(len(tokens)), key=lambda i: len(_positions(reading, tokens[i].form, tokens[i].other)))
    for place in _positions(reading, tokens[rarest].form, tokens[rarest].other)[:_MOST_PLACES]:
        start = place - rarest
        if start >= 0 and start + len(tokens) <= len(stream):
            if all(t.same(stream[start + i]) for i, t in enumerate(tokens)):
                yield start, start + len(tokens), 1.0


def _positions(reading: Reading, form: str, other: str | None) -> list[int]:
    found = reading.positions.get(form, [])
    return found if other is None else sorted({*found, *reading.positions.get(other, [])})


def find_loose(pattern: Pattern, reading: Reading) -> Iterator[tuple[int, int, float]]:
    """Where most terms of a value stand close together, with all its decisive numerals."""
    if not pattern.terms:
        return
    index = reading.term_positions
    present = [t for t in pattern.decisive if t in index]
    numbers = [t for t in pattern.decisive if is_number(t)]
    if not present or any(n not in index for n in numbers):
        return
    width = 2 * len(pattern.tokens) + 4
    rarest = min(present, key=lambda t: (len(index[t]), t))
    for place in index[rarest][:_MOST_PLACES]:
        near = {t: _nearest(index.get(t, []), place) for t in set(pattern.terms)}
        hits = {
            t: p
            for t, p in near.items()
            if p is not None and abs(p - place) <= width and reading.sentence[p] == reading.sentence[place]
        }
        decisive = sum(t in hits for t in pattern.decisive) / len(pattern.decisive)
        total = len(hits) / len(near)
        if decisive >= 0.6 and total >= 0.6 and all(n in hits for n in numbers):
            yield min(hits.values()), max(hits.values()) + 1, 0.5 + 0.5 * min(decisive, total)


def _nearest(positions: list[int], place: int) -> int | None:
    if not positions:
        return None
    i = bisect_left(positions, place)
    return min(positions[max(0, i - 1) : i + 1], key=lambda p: abs(p - place))


def coverage(statement: Statement, reading: Reading, start: int, end: int | None = None) -> float:
    """Weight of the anchors around a place: in full within its sentence, less in the sentences beside it."""
    total = 0.0
    here = reading.sentence[start]
    for term, weight in statement.anchors.items():
        position = _nearest(reading.term_positions.get(term, []), start)
        if position is None:
            continue
        away = abs(reading.sentence[position] - here)
        total += weight * (1.0 if away == 0 else 0.7 if away == 1 else 0.4 if away == 2 else 0.1)
    return total


def _flank(statement: Statement, reading: Reading, start: int, end: int) -> float:
    """Share of the terms just before and after the value in the claim that stand on the same side here."""
    wanted = len(statement.left) + len(statement.right)
    if not wanted:
        return 0.0
    hits = 0
    for term in statement.left:
        hits += any(start - 10 <= p < start for p in _around(reading, term, start - 10, start))
    for term in statement.right:
        hits += any(end <= p < end + 10 for p in _around(reading, term, end, end + 10))
    return hits / wanted


def _around(reading: Reading, term: str, low: int, high: int) -> list[int]:
    positions = reading.term_positions.get(term, [])
    return positions[bisect_left(positions, low) : bisect_left(positions, high)]


def _centres(statement: Statement, reading: Reading) -> list[int]:
    """The sentences that hold most of a statement's terms, each as a position in it."""
    weight: dict[int, float] = {}
    place: dict[int, int] = {}
    for term, w in statement.anchors.items():
        for sentence, position in {
            reading.sentence[p]: p for p in reading.term_positions.get(term, [])[:_MOST_PLACES]
        }.items():
            weight[sentence] = weight.get(sentence, 0.0) + w
            place[sentence] = position
    return [place[s] for s in sorted(weight, key=lambda s: (-weight[s], s))[:3]]


def _compact(text: str) -> str:
    return "".join(normalize(text).split())


def _mention(name: str, compact: str, blank: bool) -> tuple[Verdict, str]:
    wanted = _compact(name)
    if wanted and wanted in compact:
        return Verdict.CORRECT, "mentions it"
    if blank:
        return Verdict.UNDECIDED, "there is no answer that could mention it"
    return Verdict.INCORRECT, "answers without mentioning it"


@judges.register("rule", summary="compares values, counterparts and words; no model")
def rule(resources: Resources, *, threshold: float = 0.4, text_threshold: float = 0.7, margin: float = 0.12) -> Judge:
    """Build the rule judge.

    Raises:
        OptionError: A threshold is not above 0 and at most 1.
    """
    for name, value in (("threshold", threshold), ("text_threshold", text_threshold)):
        if not 0 < value <= 1:
            raise OptionError(f"judge 'rule': {name}={value} is not above 0 and at most 1")
    return RuleJudge(threshold, text_threshold, margin)
