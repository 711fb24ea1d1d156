from __future__ import annotations

import math

import pytest

from saferag.errors import DataError, OptionError, UnknownComponentError
from saferag.resources import Resources
from saferag.retrievers import retrievers
from saferag.types import Passage

CORPUS = (
    Passage("a", "the old harbour bridge was closed"),
    Passage("b", "the new bridge opened in the harbour"),
    Passage("c", "a museum bought paintings"),
)


def ids(spec: str, corpus: tuple[Passage, ...], query: str, top_k: int = 3) -> list[str]:
    ranking = retrievers.build(spec, Resources()).index(corpus).search([query], top_k)[0]
    return [hit.passage.id for hit in ranking]


def test_score_follows_the_formula() -> None:
    index = retrievers.build("bm25(k1=1.2,b=0.75,tokens=words)", Resources()).index(CORPUS)

    (hit, *_) = index.search(["museum museum"], 1)[0]

    idf = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    expected = 2 * idf * 1 / (1 + 1.2 * (1 - 0.75 + 0.75 * 4 / (17 / 3)))
    assert hit.passage.id == "c"
    assert hit.score == pytest.approx(expected, rel=1e-12)


def test_ranks_by_the_words_of_the_question() -> None:
    assert ids("bm25", CORPUS, "Which paintings did the museum buy?")[0] == "c"
    assert ids("bm25", CORPUS, "old bridge")[0] == "a"


def test_equal_scores_stand_in_the_order_of_the_ids() -> None:
    twins = tuple(Passage(name, "same words") for name in ("z", "m", "a", "q"))

    assert ids("bm25", twins, "same words", 2) == ["a", "m"]


def test_passages_without_a_match_fill_the_window_with_score_zero() -> None:
    ranking = retrievers.build("bm25", Resources()).index(CORPUS).search(["museum"], 9)[0]

    assert [(hit.passage.id, hit.score > 0) for hit in ranking] == [("c", True), ("a", False), ("b", False)]


@pytest.mark.parametrize("query", ["", "？！", "nothing here matches"])
def test_a_question_without_a_known_word_still_fills_the_window(query: str) -> None:
    assert ids("bm25", CORPUS, query, 2) == ["a", "b"]


def test_a_corpus_without_any_word_can_be_searched() -> None:
    assert ids("bm25", (Passage("b", "。。"), Passage("a", "")), "桥", 2) == ["a", "b"]


def test_chinese_is_cut_into_words_or_pairs() -> None:
    corpus = (Passage("bridge", "海港大桥今年正式通车。"), Passage("school", "市政府公布了新的学校建设计划。"))

    for tokens in ("words", "bigrams"):
        assert ids(f"bm25(tokens={tokens})", corpus, "海港大桥什么时候通车？")[0] == "bridge"


def test_full_width_and_case_do_not_matter() -> None:
    corpus = (Passage("a", "ＧＤＰ grew by ３％"), Passage("b", "nothing"))

    assert ids("bm25", corpus, "gdp 3%")[0] == "a"


def test_k1_of_zero_ignores_repetition_and_b_of_zero_ignores_length() -> None:
    corpus = (Passage("often", "x x x x y"), Passage("once", "x y z w v u t s"))
    scores = [hit.score for hit in retrievers.build("bm25(k1=0)", Resources()).index(corpus).search(["x"], 2)[0]]
    assert scores[0] == scores[1]

    same = (Passage("long", "x y z w v u t s"), Passage("short", "x y"))
    scores = [hit.score for hit in retrievers.build("bm25(b=0)", Resources()).index(same).search(["x"], 2)[0]]
    assert scores[0] == scores[1]


def test_the_base_answers_as_before_after_an_overlay() -> None:
    base = retrievers.build("bm25", Resources()).index(CORPUS)
    before = base.search(["harbour bridge"], 3)

    longer = base.overlay((Passage("x", "harbour bridge harbour bridge"),))

    assert base.search(["harbour bridge"], 3) == before
    assert (len(base), len(longer)) == (3, 4)
    assert longer.search(["harbour bridge"], 1)[0][0].passage.id == "x"


@pytest.mark.parametrize("often", [255, 256, 70_000])
def test_a_word_is_counted_however_often_it_stands(often: int) -> None:
    index = retrievers.build("bm25(b=0)", Resources()).index((Passage("a", "x " * often), Passage("b", "x"), CORPUS[2]))

    scores = {hit.passage.id: hit.score for hit in index.search(["x"], 2)[0]}

    assert scores["a"] / scores["b"] == pytest.approx(often / (often + 1.2) * 2.2)


def test_an_id_that_is_taken_is_refused() -> None:
    retriever = retrievers.build("bm25", Resources())

    with pytest.raises(DataError, match="two passages have the id 'a'"):
        retriever.index((*CORPUS, Passage("a", "again")))
    with pytest.raises(DataError, match="two passages have the id 'b'"):
        retriever.index(CORPUS).overlay((Passage("b", "again"),))


@pytest.mark.parametrize("spec", ["bm25(k1=-1)", "bm25(b=1.5)", "bm25(k1=nan)", "bm25(k1=inf)", "bm25(tokens=wordz)"])
def test_a_parameter_out_of_range_is_one_clear_line(spec: str) -> None:
    with pytest.raises(OptionError) as caught:
        retrievers.build(spec, Resources())
    assert "\n" not in str(caught.value)


def test_an_unknown_retriever_gets_a_suggestion() -> None:
    with pytest.raises(UnknownComponentError, match="did you mean 'bm25'"):
        retrievers.build("bm52", Resources())


def test_without_rjieba_words_become_bigrams_and_the_log_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("saferag.retrievers.tokens.find_spec", lambda name: None)

    assert ids("bm25", (Passage("a", "海港"), Passage("b", "大桥通车")), "大桥")[0] == "b"
    assert "no rjieba on this machine" in caplog.text


def test_jieba_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("saferag.retrievers.tokens.find_spec", lambda name: None)

    with pytest.raises(Exception, match=r"pip install 'saferag\[jieba\]'"):
        retrievers.build("bm25(tokens=jieba)", Resources())
