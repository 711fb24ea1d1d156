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
class Match:
    """Where a response states a value: from one token to another, how nearly (0.5 to 1), and which of its terms."""

    start: int
    end: int
    strength: float
    terms: frozenset[str]


@dataclass(frozen=True, slots=True)
class RuleJudge:
    """Finds claims supported, contradicted or undecided by rule. Deterministic; sees no labels.

    Attributes:
        threshold: Share of a claim's words (by weight) that has to stand around its value.
        text_threshold: The same for a claim without a known value.
        margin: By how much one of two stated counterparts has to fit better than the other to be the one that is meant.
    """

    threshold: float = 0.45
    text_threshold: float = 0.7
    margin: float = 0.12
    relief: float = 0.1

    async def judge(self, query: str, response: str, claims: Sequence[Claim]) -> Judgement:
        """Judge all claims of one response."""
        reading = read(response)
        relief = self.relief * (0.6 + _topic(query, reading))
        compact = _compact(response)
        blank = not reading.tokens or is_refusal(response)
        verdicts = []
        for prepared in prepare(query, tuple(claims)):
            if prepared.claim.mention is not None:
                verdict, reason = _mention(prepared.claim.mention, compact, blank)
            else:
                verdict, reason = self._verdict(prepared, reading, relief)
            verdicts.append(Judged(prepared.claim.id, verdict, reason))
        return Judgement(tuple(verdicts))

    def _verdict(self, prepared: PreparedClaim, reading: Reading, relief: float) -> tuple[Verdict, str]:
        own, rival = prepared.own, prepared.rival
        if own.focus is None:
            return self._by_text(own, reading)
        mine = self._support(own, reading, rival, relief)
        other = self._support(rival, reading, own, relief) if rival else None
        if mine and other and abs(mine - other) <= self.margin:
            return Verdict.UNDECIDED, f"states it and its counterpart (fit {mine:.2f} and {other:.2f})"
        if mine and mine > (other or 0):
            return Verdict.CORRECT, f"states it (fit {mine:.2f})"
        if other:
            return Verdict.INCORRECT, f"states its counterpart (fit {other:.2f})"
        return Verdict.UNDECIDED, "states neither it nor a counterpart"

    def _support(self, statement: Statement, reading: Reading, rival: Statement | None, relief: float) -> float:
        """How well the best place fits that states the value, 0 where none fits well enough."""
        focus = statement.focus
        assert focus is not None
        exact = list(find_exact(focus, reading))
        taken = list(find_exact(rival.focus, reading)) if rival is not None and rival.focus is not None else []
        if rival is not None and rival.focus is not None and len(rival.focus.tokens) > len(focus.tokens):
            exact = [m for m in exact if not any(t.start <= m.start and m.end <= t.end for t in taken)]
        loose = [m for m in find_loose(focus, reading) if not any(t.start < m.end and m.start < t.end for t in taken)]
        low = max(0.05, self.threshold - relief * (focus.distinct - 1))
        scores = [score(statement, reading, m, low) for m in exact]
        scores += [score(statement, reading, m, max(low, 0.25)) for m in loose]
        return max(scores, default=0.0)

    def _by_text(self, statement: Statement, reading: Reading) -> tuple[Verdict, str]:
        best = max((coverage(statement, reading, i) for i in _centres(statement, reading)), default=0.0)
        if best >= self.text_threshold:
            return Verdict.CORRECT, f"says so (fit {best:.2f})"
        return Verdict.UNDECIDED, f"does not say so (fit {best:.2f})"


def score(statement: Statement, reading: Reading, match: Match, low: float) -> float:
    """How well a place fits the statement as a whole, 0 if it does not fit well enough."""
    around = coverage(statement, reading, match.start)
    anchored = sum(statement.anchors.values())
    fit = match.strength * ((around / anchored if anchored else 1.0) + 0.3 * _flank(statement, reading, match.start, match.end))
    whole = around + sum(w for term, w in statement.weights.items() if term in match.terms)
    return max(fit if fit >= low else 0.0, whole if whole >= 0.6 else 0.0)


def find_exact(pattern: Pattern, reading: Reading) -> Iterator[Match]:
    """Where the tokens of a value stand one after another."""
    tokens, stream = pattern.tokens, reading.tokens
    rarest = min(range(len(tokens)), key=lambda i: len(_positions(reading, tokens[i].form, tokens[i].other)))
    for place in _positions(reading, tokens[rarest].form, tokens[rarest].other)[:_MOST_PLACES]:
        start = place - rarest
        if start >= 0 and start + len(tokens) <= len(stream):
            if all(t.same(stream[start + i]) for i, t in enumerate(tokens)):
                yield Match(start, start + len(tokens), 1.0, frozenset(pattern.terms))


def _positions(reading: Reading, form: str, other: str | None) -> list[int]:
    found = reading.positions.get(form, [])
    return found if other is None else sorted({*found, *reading.positions.get(other, [])})


def find_loose(pattern: Pattern, reading: Reading) -> Iterator[Match]:
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
        enough = 0.34 if len(numbers) == len(pattern.decisive) else 0.6
        if decisive >= 0.6 and total >= enough and all(n in hits for n in numbers):
            order = _in_order([hits[t] for t in dict.fromkeys(pattern.terms) if t in hits])
            strength = 0.5 + 0.5 * min(decisive, total) * order
            yield Match(min(hits.values()), max(hits.values()) + 1, strength, frozenset(hits))


def _in_order(positions: list[int]) -> float:
    """Share of the positions in the longest run that ascends."""
    tails: list[int] = []
    for position in positions:
        i = bisect_left(tails, position)
        tails[i : i + 1] = [position]
    return len(tails) / len(positions)


def _nearest(positions: list[int], place: int) -> int | None:
    if not positions:
        return None
    i = bisect_left(positions, place)
    return min(positions[max(0, i - 1) : i + 1], key=lambda p: abs(p - place))


def coverage(statement: Statement, reading: Reading, start: int) -> float:
    """Weight of the anchors around a place: in full within its sentence, less in the sentences beside it."""
    total = 0.0
    here = reading.sentence[start]
    for term, weight in statement.anchors.items():
        position = _nearest(reading.term_positions.get(term, []), start)
        if position is None:
            continue
        away = abs(reading.sentence[position] - here)
        total += weight * (1.0 if away == 0 else 0.7 if away == 1 else 0.4 if away == 2 else 0.25)
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


def _topic(query: str, reading: Reading) -> float:
    """How much a response is about the question: 1 if it holds a sixth of the question's terms or more."""
    asked = {term for term, _ in read(query).terms}
    return min(1.0, 6 * sum(term in reading.term_positions for term in asked) / len(asked)) if asked else 0.0


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
def rule(resources: Resources, *, threshold: float = 0.45, text_threshold: float = 0.7, margin: float = 0.12) -> Judge:
    """Build the rule judge.

    Raises:
        OptionError: A threshold is not above 0 and at most 1.
    """
    for name, value in (("threshold", threshold), ("text_threshold", text_threshold)):
        if not 0 < value <= 1:
            raise OptionError(f"judge 'rule': {name}={value} is not above 0 and at most 1")
    return RuleJudge(threshold, text_threshold, margin)
