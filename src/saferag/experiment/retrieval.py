"""Retrieval for whole arms, done once for all cells that search the same thing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from saferag.attacks import attacks
from saferag.data import Dataset
from saferag.errors import DataError, OptionError
from saferag.experiment.cells import Arm, attack_name, digest
from saferag.experiment.controls import benign
from saferag.injection import Stage, poison
from saferag.pipeline import search
from saferag.resources import Resources
from saferag.retrievers import Index, retrievers
from saferag.types import Case, Condition, Context, Lang

Told = Callable[[str], None]


def cases_of(dataset: Dataset, task: str, lang: Lang, limit: int | None) -> tuple[Case, ...]:
    """The cases that an arm runs over: those with what the attack needs, in the dataset's order."""
    return dataset.for_attack(task, lang)[:limit]


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What an arm's filter starts from, by case id.

    Attributes:
        index: What was searched, with door 1 on top where the plan says so.
        contexts: What the retriever found.
        texts: The texts to put in, the attack's or a control's; empty where nothing is put in.
        key: What the contexts depend on: arms with the same key have the same contexts.
    """

    index: Index
    contexts: Mapping[str, Context]
    texts: Mapping[str, Context]
    key: str


@dataclass(slots=True)
class Searches:
    """Indexes, overlays and search results of a run.

    An arm always searches all its cases over all their attack texts, also where only some of them are left to do, so
    that a resumed run finds what an uninterrupted one finds.

    Attributes:
        dataset: Cases and corpora.
        resources: For the retrievers.
        limit: At most so many cases per arm.
        told: Hears what takes long.
    """

    dataset: Dataset
    resources: Resources
    limit: int | None = None
    told: Told = lambda _: None
    _corpora: dict[tuple[str, Lang], tuple[Context, str]] = field(default_factory=dict)
    _indexes: dict[str, Index] = field(default_factory=dict)
    _found: dict[str, tuple[Index, dict[str, Context]]] = field(default_factory=dict)

    def cases(self, arm: Arm) -> tuple[Case, ...]:
        """The cases that an arm runs over."""
        return cases_of(self.dataset, arm.task, arm.lang, self.limit)

    def retrieve(self, arm: Arm) -> Retrieved:
        """Search for all cases of an arm.

        Raises:
            DataError: There is nothing to search.
            OptionError: The window is larger than the corpus.
            ModelError: An embedder behind a server has failed.
        """
        cases = self.cases(arm)
        texts = attack_texts(arm, cases)
        poisoned = arm.plan.stage is Stage.KNOWLEDGE_BASE and arm.enters
        corpus, corpus_key = self._corpus(arm)
        base = digest({"retriever": arm.retriever, "lang": arm.lang, "corpus": corpus_key})
        overlay = [(p.id, p.text) for case in cases for p in texts[case.id]] if poisoned else []
        key = digest({"base": base, "overlay": overlay, "top_k": arm.plan.top_k, "cases": [c.id for c in cases]})
        if arm.condition is Condition.CLOSED_BOOK:
            return Retrieved(self._index(arm, base, corpus), {case.id: () for case in cases}, texts, "closed book")
        if key not in self._found:
            index = self._index(arm, base, corpus)
            if poisoned:
                index = poison(index, [text for case in cases for text in texts[case.id]])  # door 1
            contexts = search(index, cases, arm.plan.top_k)
            self._found[key] = index, dict(zip([case.id for case in cases], contexts, strict=True))
        return Retrieved(*self._found[key], texts, key)

    def _corpus(self, arm: Arm) -> tuple[Context, str]:
        place = (attack_name(arm.task), arm.lang)
        if place not in self._corpora:
            corpus = self.dataset.corpus(arm.task, arm.lang)
            self._corpora[place] = corpus, digest({"passages": [(p.id, p.text) for p in corpus]})
        corpus, key = self._corpora[place]
        if not corpus:
            raise DataError(f"no passages for {arm.task} in {arm.lang}: the knowledge base is empty")
        if arm.plan.top_k > len(corpus):
            raise OptionError(f"--top-k {arm.plan.top_k} is larger than the knowledge base ({len(corpus)} passages)")
        return corpus, key

    def _index(self, arm: Arm, key: str, corpus: Context) -> Index:
        """The clean index, shared by all arms over the same corpus."""
        if key not in self._indexes:
            self.told(f"indexing {len(corpus)} passages ({arm.retriever}, {arm.lang})")
            retriever = retrievers.build(arm.retriever, self.resources.with_lang(arm.lang))
            self._indexes[key] = retriever.index(corpus)
        return self._indexes[key]


def attack_texts(arm: Arm, cases: Sequence[Case]) -> dict[str, Context]:
    """The texts that are put in for each case: the attack's, a control's, or none."""
    if not arm.enters:
        return {case.id: () for case in cases}
    attack = attacks.build(arm.task)
    texts = {case.id: attack.texts(case, arm.plan.count, arm.plan.seed) for case in cases}
    return {case.id: benign(case, texts[case.id]) for case in cases} if arm.condition is Condition.CONTROL else texts
