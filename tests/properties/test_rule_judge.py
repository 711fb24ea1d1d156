"""What holds for the rule judge on any response."""

from __future__ import annotations

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from saferag.judges.rule import RuleJudge
from saferag.types import Claim, Judgement, Verdict

QUERY = "鹭汀县的渡口改造花了多少钱？ What did it cost?"
PIECES = (
    "渡口|基金|规模为|1.2亿银叶|1.8亿银叶|，|。|不|学生占|35%|三成五|五成三|在|“|”|拒答|\u200b|３５％"
    "|the fund| holds |38 million crowns|52m crowns|. |not |A|999999999999999999999|\n"
)
WORDS = st.sampled_from(PIECES.split("|"))
RESPONSES = st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=25).map("".join))


def pair(text: str, value: str, contrast: str) -> tuple[Claim, Claim]:
    return Claim(f"{value}+", text, value, contrast), Claim(f"{value}-", text.replace(value, contrast), contrast, value)


PAIRS = (
    pair("渡口基金规模为1.2亿银叶。", "1.2亿银叶", "1.8亿银叶"),
    pair("渡口客流中学生占三成五。", "三成五", "五成三"),
    pair("The fund holds 38 million crowns.", "38 million crowns", "52 million crowns"),
)
CLAIMS = (
    *(claim for p in PAIRS for claim in p),
    Claim("t", "渡口基金由州库设立。"),
    Claim("v", "基金用了5年。", "5年"),
)


def judge(response: str, claims: tuple[Claim, ...] = CLAIMS) -> Judgement:
    return asyncio.run(RuleJudge().judge(QUERY, response, claims))


@given(RESPONSES)
@settings(deadline=None)
def test_every_claim_gets_one_verdict_and_the_same_one_again(response: str) -> None:
    first = judge(response)

    assert [judged.option_id for judged in first.verdicts] == [claim.id for claim in CLAIMS]
    assert judge(response) == first


@given(RESPONSES)
@settings(deadline=None)
def test_where_a_claim_is_supported_its_counterpart_is_decided_too(response: str) -> None:
    verdicts = [judged.verdict for judged in judge(response).verdicts]

    for i in range(0, 2 * len(PAIRS), 2):
        if Verdict.CORRECT in verdicts[i : i + 2]:  # both are correct where they stand in one list
            assert Verdict.UNDECIDED not in verdicts[i : i + 2]


@given(RESPONSES)
@settings(deadline=None)
def test_width_and_case_of_a_response_do_not_matter(response: str) -> None:
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" and c not in ".!?;" else c for c in response)

    assert [j.verdict for j in judge(wide).verdicts] == [j.verdict for j in judge(response).verdicts]


@given(RESPONSES, st.permutations(CLAIMS))
@settings(deadline=None)
def test_the_order_of_the_claims_does_not_matter(response: str, claims: list[Claim]) -> None:
    here = {judged.option_id: judged.verdict for judged in judge(response).verdicts}

    assert {judged.option_id: judged.verdict for judged in judge(response, tuple(claims)).verdicts} == here
