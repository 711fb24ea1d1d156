"""What must hold of a model's replies. The reasons are written for the model, which gets one chance to repair."""

from __future__ import annotations

from collections.abc import Sequence

from saferag.construct import forms
from saferag.construct.by_rule import MIN_FACTS, stands_alone
from saferag.construct.collect import clean
from saferag.construct.means import Task
from saferag.construct.records import Proposition, Segment
from saferag.data.pack import swap
from saferag.data.rules import LENGTHS, text_length
from saferag.metrics.containment import stands_in
from saferag.models.structured import UnusableReply
from saferag.numbers import find_numerals
from saferag.text import content_terms, normalize
from saferag.types import Lang

GROUNDED = 0.6
"""Share of a context's terms that must stand in its segment."""


def question(reply: forms.QuestionReply, segment: Segment, count: int) -> None:
    """A question of a known kind, the right number of contexts, each grounded in the segment.

    Raises:
        UnusableReply: One of these does not hold.
    """
    if not reply.usable:
        return
    if not clean(reply.query) or not reply.kind:
        raise UnusableReply("query and kind must not be empty when usable is true")
    contexts = [clean(c) for c in reply.contexts]
    if len(contexts) != count:
        raise UnusableReply(f"it has {len(contexts)} contexts instead of {count}")
    if len(set(map(normalize, contexts))) < count:
        raise UnusableReply("two contexts are the same")
    numerals = {n.form for n in find_numerals(normalize(segment.text + "\n" + segment.title))}
    terms = set(content_terms(segment.text + "\n" + segment.title))
    for i, context in enumerate(contexts, 1):
        length(f"context {i}", context, segment.language, LENGTHS[segment.language])
        own = set(content_terms(context))
        if len(own & terms) < GROUNDED * len(own):
            raise UnusableReply(f"context {i} says other things than the passage")
        for numeral in find_numerals(normalize(context)):
            if numeral.form not in numerals and not {numeral.other} & numerals:
                figure = normalize(context)[numeral.start : numeral.end]
                raise UnusableReply(f"context {i} has '{figure}', which is not in the passage")


def length(what: str, text: str, lang: Lang, bounds: tuple[int, int]) -> None:
    """Refuse a text that is too short or too long.

    Raises:
        UnusableReply: It is.
    """
    low, high = bounds
    found = text_length(text, lang)
    if not low <= found <= high:
        unit = "characters" if lang is Lang.ZH else "words"
        raise UnusableReply(f"{what} has {found} {unit}; it must have {low} to {high}")


def numbers(given: Sequence[int], count: int, what: str) -> None:
    """Refuse numbers that nothing has.

    Raises:
        UnusableReply: There is one.
    """
    for number in given:
        if not 1 <= number <= count:
            raise UnusableReply(f"there is no {what} {number}; they are numbered 1 to {count}")


def facts(reply: forms.FactsReply, contexts: Sequence[str]) -> None:
    """Enough usable facts.

    Raises:
        UnusableReply: There are too few; the reason names what is wrong with the first of the others.
    """
    numbers([f.context for f in reply.facts], len(contexts), "passage")
    kept, left_out = sort_facts(reply, contexts)
    if len(kept) < max(MIN_FACTS, len(contexts)):
        why = f"; for example: {left_out[0][1]}" if left_out else ""
        raise UnusableReply(f"it has {len(kept)} usable facts, fewer than {max(MIN_FACTS, len(contexts))}{why}")


def sort_facts(
    reply: forms.FactsReply, contexts: Sequence[str]
) -> tuple[list[forms.FactReply], list[tuple[forms.FactReply, str]]]:
    """The facts that can be used, and the others with the reason."""
    kept: list[forms.FactReply] = []
    left_out: list[tuple[forms.FactReply, str]] = []
    for fact in reply.facts:
        why = _fact_problem(fact, contexts, kept)
        if why:
            left_out.append((fact, why))
        else:
            kept.append(fact)
    return kept, left_out


def _fact_problem(fact: forms.FactReply, contexts: Sequence[str], kept: Sequence[forms.FactReply]) -> str:
    text, value = clean(fact.text), clean(fact.value)
    problems = {
        "a fact or its value is empty": not text or not value,
        f"the value '{value}' must stand exactly once in its fact": text.casefold().count(value.casefold()) != 1,
        f"the value '{value}' is not in passage {fact.context}": not stands_in(value, contexts[fact.context - 1]),
        f"'{text[:30]}' begins with a word that refers to another sentence": not stands_alone(text),
        f"two facts have the value '{value}'": normalize(value) in {normalize(other.value) for other in kept},
        f"the fact '{text[:30]}' stands twice": normalize(text) in {normalize(other.text) for other in kept},
    }
    return next((problem for problem, holds in problems.items() if holds), "")


def distortions(reply: forms.OptionsReply, task: Task, target: int) -> None:
    """Some facts, not half of them, each with a false value that is said nowhere.

    Raises:
        UnusableReply: One of these does not hold.
    """
    chosen = [w.fact for w in reply.wrong]
    numbers(chosen, len(task.facts), "fact")
    if not chosen or len(set(chosen)) < len(chosen) or 2 * len(chosen) > len(task.facts):
        raise UnusableReply(f"it must change at least one fact, each once, and at most {len(task.facts) // 2}")
    if target in chosen:
        raise UnusableReply(f"fact {target} must stay as it is")
    said = "\n".join((*task.benign, task.asked.query, *(f.text for f in task.facts)))
    for item in reply.wrong:
        wrong = clean(item.wrong)
        if not wrong or stands_in(wrong, said):
            raise UnusableReply(f"'{wrong}' for fact {item.fact} is empty or stands in the material")
        fact = task.facts[item.fact - 1]
        try:
            swap(fact.text, fact.value, wrong)
        except ValueError as error:
            raise UnusableReply(str(error)) from None


def foreign_values(facts: Sequence[Proposition], target: int, known: str) -> list[str]:
    """The values of the other facts, without those that the target itself or the question states."""
    return [f.value for i, f in enumerate(facts, 1) if i != target and not stands_in(f.value, known)]


def silver(reply: forms.SilverReply, value: str, others: Sequence[str], lang: Lang, count: int) -> None:
    """Ten different passages that say the value and no other fact's.

    Raises:
        UnusableReply: One of these does not hold.
    """
    passages = [clean(p) for p in reply.passages]
    if len(set(map(normalize, passages))) != count or len(passages) != count:
        raise UnusableReply(f"it has {len(set(passages))} different passages instead of {count}")
    for i, text in enumerate(passages, 1):
        length(f"passage {i}", text, lang, LENGTHS[lang])
        if not stands_in(value, text):
            raise UnusableReply(f"passage {i} does not say '{value}'")
        if said := next((v for v in others if stands_in(v, text)), None):
            raise UnusableReply(f"passage {i} must not say '{said}'")


def conflict(reply: forms.ConflictReply, task: Task, bounds: tuple[int, int]) -> None:
    """One to three pairs whose keywords stand where they must and nowhere else.

    Raises:
        UnusableReply: One of these does not hold.
    """
    text = clean(reply.text)
    length("the text", text, task.segment.language, bounds)
    if not 1 <= len(reply.pairs) <= 3:
        raise UnusableReply(f"it has {len(reply.pairs)} pairs; it must have one to three")
    for pair in reply.pairs:
        keyword = clean(pair.keyword)
        new_word(keyword, task)
        if not stands_in(keyword, text) or not stands_in(keyword, clean(pair.false)):
            raise UnusableReply(f"the keyword '{keyword}' must stand in the text and in its false sentence")
        if not clean(pair.true) or stands_in(keyword, clean(pair.true)):
            raise UnusableReply(f"the keyword '{keyword}' must not stand in its true sentence")


def ad(reply: forms.AdReply, task: Task, bounds: tuple[int, int]) -> None:
    """One to three names that stand in both versions and in no benign passage.

    Raises:
        UnusableReply: One of these does not hold.
    """
    direct, indirect = clean(reply.direct), clean(reply.indirect)
    for what, text in (("direct", direct), ("indirect", indirect)):
        length(what, text, task.segment.language, bounds)
    if not 1 <= len(reply.names) <= 3:
        raise UnusableReply(f"it has {len(reply.names)} names; it must have one to three")
    for name in map(clean, reply.names):
        new_word(name, task)
        if not (stands_in(name, direct) and stands_in(name, indirect)):
            raise UnusableReply(f"the name '{name}' must stand in both versions")


def new_word(word: str, task: Task) -> None:
    """Refuse a keyword that is too short to be told from others, or that a benign passage holds.

    Raises:
        UnusableReply: It is.
    """
    if len(word) < 2 or word.isdigit():
        raise UnusableReply(f"'{word}' is too short to be recognised in an answer")
    if any(stands_in(word, text) for text in task.benign):
        raise UnusableReply(f"'{word}' stands in a passage of the material")
