"""Any case, hostile texts included, survives being written and read."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saferag.data.duplicates import _Text, similar_pairs
from saferag.data.jsonl import format_cases, parse_cases
from saferag.errors import DataError
from saferag.types import AttackMaterial, AttackText, Case, Fact, Label, Lang, Option, Origin, Passage

IDS = st.from_regex(r"[a-z0-9][a-z0-9._-]{0,6}", fullmatch=True)
# Newlines, quotes, NUL, bidi and zero-width characters, line separators, full width: everything but surrogates.
ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
HOSTILE = st.sampled_from(
    ["\u2028", '"}\n{"id": "x"}', "\x00", "\u202eevil", "<script>", "=1+1", "\r\n", "「“”」", "\\"]
)
TEXT = st.one_of(ANY, HOSTILE).filter(lambda text: bool(text.strip()))
MAYBE = st.none() | TEXT


@st.composite
def options(draw: st.DrawFn, facts: tuple[Fact, ...]) -> tuple[Option, ...]:
    """Options with unique ids, some of them made from facts."""
    fact_ids = st.none() | st.sampled_from([f.id for f in facts]) if facts else st.none()
    return tuple(
        Option(i, draw(TEXT), draw(st.sampled_from(list(Label))), draw(fact_ids), *(draw(MAYBE) for _ in range(4)))
        for i in draw(st.lists(IDS, max_size=3, unique=True))
    )


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A case whose links all lead somewhere."""
    case_id = draw(IDS)
    names = draw(st.lists(IDS, min_size=1, max_size=4, unique=True))
    cut = draw(st.integers(1, len(names)))
    golden = tuple(Passage(f"{case_id}/{n}", draw(TEXT), Origin.GOLDEN) for n in names[:cut])
    background = tuple(Passage(f"{case_id}/{n}", draw(TEXT)) for n in names[cut:])
    facts = tuple(
        Fact(f"f.{i}", draw(TEXT), draw(st.sampled_from(golden)).id, draw(TEXT)) for i in range(draw(st.integers(0, 2)))
    )
    targets = st.none() | st.sampled_from([*(p.id for p in golden), *(f.id for f in facts)])

    def material() -> AttackMaterial:
        texts = tuple(
            AttackText(i, draw(TEXT), draw(targets), draw(MAYBE)) for i in draw(st.lists(IDS, max_size=3, unique=True))
        )
        return AttackMaterial(texts, draw(options(facts)), tuple(draw(st.lists(TEXT, max_size=2))))

    attacks: Mapping[str, AttackMaterial] = {name: material() for name in draw(st.lists(IDS, max_size=2, unique=True))}
    return Case(
        case_id, draw(st.sampled_from(list(Lang))), draw(TEXT), golden, background, facts, draw(options(facts)),
        attacks, *(draw(ANY) for _ in range(5)),
    )  # fmt: skip


@given(cases())
def test_a_case_comes_back_as_it_was_and_writes_the_same_bytes(case: Case) -> None:
    data = format_cases([case])

    assert data.count(b"\n") == 1
    assert parse_cases(data) == (case,)
    assert format_cases(parse_cases(data)) == data


@given(st.binary(max_size=200))
def test_bytes_that_are_no_cases_are_one_clear_line(data: bytes) -> None:
    with pytest.raises(DataError) as caught:
        parse_cases(data, "x")

    assert "\n" not in str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(cases(), st.sampled_from(["id", "lang", "query", "golden", "facts", "options", "attacks", "answer"]), JSON)
def test_json_of_another_shape_is_read_or_is_one_clear_line(case: Case, field: str, value: object) -> None:
    record = json.loads(format_cases([case])) | {field: value}
    try:
        parse_cases(json.dumps(record).encode(), "x")
    except DataError as error:
        assert str(error).startswith("x:1: ")
        assert "\n" not in str(error)


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.frozensets(st.sampled_from("0123456789"), min_size=1)), max_size=12),
    st.sampled_from([0.3, 0.5, 0.8, 1.0]),
)
def test_no_similar_pair_is_missed(found: list[tuple[str, frozenset[str]]], threshold: float) -> None:
    """The join equals comparing everything with everything."""
    texts = [_Text(case_id, str(i), shingles) for i, (case_id, shingles) in enumerate(found)]
    expected = {
        (one.where, other.where)
        for i, one in enumerate(texts)
        for other in texts[i + 1 :]
        if one.case_id != other.case_id
        and len(one.shingles & other.shingles) / len(one.shingles | other.shingles) >= threshold
    }

    assert {(one.where, other.where) for one, other, _ in similar_pairs(texts, threshold)} == expected
