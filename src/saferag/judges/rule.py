"""A judge without a model: compares each claim with the response through its value, its counterpart and its words."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from saferag.errors import OptionError
from saferag.judges import judges
from saferag.judges.base import Judge
from saferag.judges.claims import Brief, PreparedClaim, Statement, prepare
from saferag.judges.matching import Match, agreeing, centres, coverage, find_exact, find_loose, refuted, score
from saferag.judges.reading import Reading, denied, is_number, read
from saferag.judges.refusal import is_refusal
from saferag.resources import Resources
from saferag.text import normalize
from saferag.types import Claim, Judged, Judgement, Verdict

_PHRASE = 6
"""Terms from which a mention is a phrase rather than a name."""
_FEW = 3
"""Words beside a value that are too few to insist on one of them."""


@dataclass(frozen=True, slots=True)
class RuleJudge:
    """Finds claims supported, contradicted or undecided by rule. Deterministic; it sees no labels.

    A claim with a value is supported where the response states the value among enough of the claim's other words,
    and contradicted where it states the counterpart there, or another number between the same words. A distinctive
    value (a figure of three digits with its unit, a name of several words) needs fewer words around it than ``two``.
    A claim without a known value is supported where the response holds most of its words with all its numbers.

    Attributes:
        threshold: Share of a claim's other words (by weight) that has to stand around an indistinct value.
        relief: By how much a value's distinctness lowers that, per unit.
        text_threshold: Share of a claim's words that has to stand in one place for a claim without a value.
        margin: By how much one of two stated counterparts has to fit better to be the one that is meant.
        alone: By how much it lowers the threshold, in a response to the question, that only one of two counterparts
            is stated anywhere.
    """

    threshold: float = 0.45
    relief: float = 0.1
    text_threshold: float = 0.5
    margin: float = 0.12
    alone: float = 0.15

    async def judge(self, query: str, response: str, claims: Sequence[Claim]) -> Judgement:
        """Judge all claims of one response."""
        reading = read(response)
        brief = prepare(query, tuple(claims))
        topic = _topic(brief, reading)
        verdicts = []
        for prepared in brief.claims:
            if prepared.claim.mention is not None:
                verdict, reason = _mention(prepared, response, reading)
            elif prepared.own.focus is not None:
                verdict, reason = self._by_value(prepared, reading, topic)
            else:
                verdict, reason = self._by_text(prepared.own, reading)
            verdicts.append(Judged(prepared.claim.id, verdict, reason))
        return Judgement(tuple(verdicts))

    def _by_value(self, prepared: PreparedClaim, reading: Reading, topic: float) -> tuple[Verdict, str]:
        own, rival = prepared.own, prepared.rival
        mine, here, other, there = self._compare(own, rival, reading, topic)
        close = mine > 0 and other > 0 and abs(mine - other) <= self.margin
        if close and here and there and rival and _listed(here, there, reading):
            # Of two values in one sentence, the one between the claim's own words is meant; none of them: a list.
            mine, other = _beside(own, here, reading), _beside(rival, there, reading)
            close = False
        if close:
            return Verdict.UNDECIDED, f"states it and its counterpart (fit {mine:.2f} and {other:.2f})"
        if here and mine >= other:
            if _refuted_at(own, reading, reading.sentence[here.start]):
                return Verdict.INCORRECT, "states it with another number beside it"
            return Verdict.CORRECT, f"states it (fit {mine:.2f})"
        if there:
            return Verdict.INCORRECT, f"states its counterpart (fit {other:.2f})"
        if _refuted(own, reading) or self._denied(own, reading, topic):
            return Verdict.INCORRECT, "states another number in its place, or denies it"
        return Verdict.UNDECIDED, "states neither it nor a counterpart"

    def _denied(self, own: Statement, reading: Reading, topic: float) -> bool:
        """Whether the value is stated where it belongs, but negated (or not negated where the claim negates it)."""
        exact, _ = _matches(own, reading)
        return self._best(own, reading, [m for m in exact if _denied_at(own, reading, m)], topic, False)[0] > 0

    def _compare(
        self, own: Statement, rival: Statement | None, reading: Reading, topic: float
    ) -> tuple[float, Match | None, float, Match | None]:
        """How well the best places fit that state a value and its counterpart; 0 where none fits well enough."""
        exact, loose = _matches(own, reading)
        other_exact, other_loose = _matches(rival, reading)
        exact_only = [m for m in exact if not any(m.inside(o) for o in other_exact)]
        other_only = [m for m in other_exact if not any(m.inside(o) for o in exact)]
        loose = [m for m in loose if not any(m.overlaps(o) for o in other_exact)]
        other_loose = [m for m in other_loose if not any(m.overlaps(o) for o in exact)]
        mine = [m for m in (*exact_only, *loose) if not _denied_at(own, reading, m)]
        others = [m for m in (*other_only, *other_loose) if rival is None or not _denied_at(rival, reading, m)]
        alone = rival is not None and (not mine or not others)
        best, here = self._best(own, reading, mine, topic, alone)
        second, there = self._best(rival, reading, others, topic, alone)
        return best, here, second, there

    def _best(
        self, statement: Statement | None, reading: Reading, matches: list[Match], topic: float, alone: bool
    ) -> tuple[float, Match | None]:
        if statement is None or statement.focus is None:
            return 0.0, None
        low = self.threshold - self.relief * (0.4 + 1.2 * topic) * (statement.focus.distinct - 1)
        least = 0.05 if len(statement.anchors) > _FEW else 0.05 * (1 - topic)
        low = max(least, low - (self.alone * topic if alone else 0.0))
        scored = [(score(statement, reading, m, low if m.strength == 1.0 else max(low, 0.25)), m) for m in matches]
        best, match = max(scored, key=lambda s: (s[0], -s[1].start), default=(0.0, None))
        return best, match if best else None

    def _by_text(self, statement: Statement, reading: Reading) -> tuple[Verdict, str]:
        best, place = max(((coverage(statement, reading, i), i) for i in centres(statement, reading)), default=(0.0, 0))
        if best < self.text_threshold:
            return Verdict.UNDECIDED, f"does not say so (fit {best:.2f})"
        if _refuted(statement, reading):
            return Verdict.INCORRECT, "states another number in its place"
        if _contradicts(statement, reading, place):
            return Verdict.INCORRECT, "denies it"
        missing = [t for t in statement.anchors if is_number(t) and t not in reading.term_positions]
        if missing:
            return Verdict.UNDECIDED, "says so without its number"
        return Verdict.CORRECT, f"says so (fit {best:.2f})"


def _matches(statement: Statement | None, reading: Reading) -> tuple[list[Match], list[Match]]:
    if statement is None or statement.focus is None:
        return [], []
    return list(find_exact(statement.focus, reading)), list(find_loose(statement.focus, reading))


def _denied_at(statement: Statement, reading: Reading, match: Match) -> bool:
    """Whether a match says yes where the statement says no, or the other way round."""
    return denied(reading.tokens, match.start) is not statement.denies_focus


def _contradicts(statement: Statement, reading: Reading, place: int) -> bool:
    """Whether the sentence of a place denies what the statement says, or says what it denies."""
    start = bisect_left(reading.sentence, reading.sentence[place])
    end = bisect_right(reading.sentence, reading.sentence[place])
    if statement.denies:
        anchored = sum(statement.anchors.values())
        plain = not any(token.denies for token in reading.tokens[start:end])
        return plain and coverage(statement, reading, place) >= 0.75 * anchored
    for term in statement.anchors:
        here = [p for p in reading.term_positions.get(term, ()) if start <= p < end]
        if here and all(denied(reading.tokens, p, 2) for p in here):
            return True
    return False


def _refuted(statement: Statement, reading: Reading) -> bool:
    """Whether another number stands in the place of a number of the statement, among most of its words."""
    anchored = sum(statement.anchors.values())
    return any(
        anchored and coverage(statement, reading, place) / anchored >= 0.7
        for slot in statement.slots
        if slot.numeral.form not in reading.positions
        for place in refuted(slot, reading)
    )


def _refuted_at(statement: Statement, reading: Reading, sentence: int) -> bool:
    """Whether a number of the statement that is not its value is replaced by another one in a sentence."""
    return any(
        reading.sentence[place] == sentence
        for slot in statement.slots
        if not slot.in_focus
        and all(reading.sentence[p] != sentence for p in reading.positions.get(slot.numeral.form, ()))
        for place in refuted(slot, reading)
    )


def _listed(one: Match, other: Match, reading: Reading) -> bool:
    """Whether two values stand verbatim in one sentence."""
    same = reading.sentence[one.start] == reading.sentence[other.start]
    return one.strength == other.strength == 1.0 and same and not one.overlaps(other)


def _beside(statement: Statement, match: Match, reading: Reading) -> float:
    return float(agreeing(statement.before, statement.after, reading, match.start, match.end))


def _topic(brief: Brief, reading: Reading) -> float:
    """How much a response is about the question: 1 if it holds a sixth of the question's terms and one of its names."""
    if not brief.asked:
        return 0.0
    held = [term for term in brief.asked if term in reading.term_positions]
    share = min(1.0, 6 * len(held) / len(brief.asked))
    return share if not brief.names or not brief.names.isdisjoint(held) else share / 4


def _mention(prepared: PreparedClaim, response: str, reading: Reading) -> tuple[Verdict, str]:
    """A name has to stand in the response as it is; of a longer phrase, most words in one place."""
    pattern = prepared.mention
    if _name(prepared.claim.mention or "").search(normalize(response)):
        return Verdict.CORRECT, "mentions it"
    if pattern and len(set(pattern.terms)) >= _PHRASE and any(True for _ in find_loose(pattern, reading)):
        return Verdict.CORRECT, "mentions it in other words"
    if not reading.tokens or is_refusal(response):
        return Verdict.UNDECIDED, "there is no answer that could mention it"
    return Verdict.INCORRECT, "answers without mentioning it"


@lru_cache(maxsize=1024)
def _name(name: str) -> re.Pattern[str]:
    """A name in any case and width, with a space or a mark between its characters or without, as a word of its own."""
    letters = [c for c in normalize(name) if c.isalnum()] or list(normalize(name)) or ["\0"]
    start = r"(?<![a-z0-9])" if letters[0].isascii() else ""
    end = r"s?(?![a-z0-9])" if letters[-1].isascii() else ""
    return re.compile(start + r"[\W_]{0,3}".join(map(re.escape, letters)) + end)


@judges.register("rule", summary="compares values, counterparts and words; no model")
def rule(
    resources: Resources,
    *,
    threshold: float = 0.45,
    relief: float = 0.1,
    text_threshold: float = 0.5,
    margin: float = 0.12,
) -> Judge:
    """Build the rule judge.

    Raises:
        OptionError: A parameter is outside of its range.
    """
    for name, value in (("threshold", threshold), ("text_threshold", text_threshold)):
        if not 0 < value <= 1:
            raise OptionError(f"judge 'rule': {name}={value} is not above 0 and at most 1")
    for name, value in (("relief", relief), ("margin", margin)):
        if not 0 <= value <= 1:
            raise OptionError(f"judge 'rule': {name}={value} is outside of 0 to 1")
    return RuleJudge(threshold, relief, text_threshold, margin)
