from __future__ import annotations

from dataclasses import replace

import pytest

from saferag.attacks import attacks
from saferag.attacks.craft import CRAFTED, JAMMING, PUSHING, craft
from saferag.attacks.prepared import fits, prepared, shipped
from saferag.data import load_dataset
from saferag.errors import ServerError
from saferag.judges.refusal import is_refusal
from saferag.models import ChatReply, ChatRequest
from saferag.models.scripted import ScriptedModel
from saferag.types import AttackMaterial, AttackText, Case, Lang

LINE = {"query": "How does the kiln at Marrow End work?", "right": "alder", "wrong": "willow"}


def test_a_text_fits_the_wording_that_it_was_written_for(case: Case) -> None:
    line = LINE | {"text": "It burns willow."}

    assert fits(line, case, pushes=True)
    assert not fits(line | {"text": "It burns oak."}, case, pushes=True)
    assert not fits(line, replace(case, options=()), pushes=True)
    assert not fits(line | {"query": "Another question?"}, case, pushes=False)


def test_texts_of_the_case_go_before_shipped_ones(case: Case) -> None:
    own = replace(case, attacks={"blind": AttackMaterial((AttackText("x1", "Willow, they say."),))})

    assert prepared(own, "blind", pushes=True) == ["Willow, they say."]
    assert [p.text for p in attacks.build("blind").texts(own, 5, 0)] == ["Willow, they say."]
    assert not attacks.build("blind").applies_to(case)


@pytest.mark.parametrize("lang", list(Lang))
def test_every_shipped_text_fits_its_case_and_says_who_wrote_it(lang: Lang) -> None:
    cases = {case.id: case for case in load_dataset().cases}
    for (case_id, attack), lines in shipped(lang).items():
        for line in lines:
            assert attack in CRAFTED
            assert line["made_by"]
            assert fits(line, cases[case_id], pushes=attack in PUSHING), (case_id, attack)
            assert not is_refusal(line["text"]), f"{case_id}, {attack}: a document does not refuse by itself"


@pytest.mark.parametrize("lang", list(Lang))
@pytest.mark.parametrize("name", CRAFTED)
def test_every_dev_case_has_a_text(name: str, lang: Lang) -> None:
    dev = [case for case in load_dataset().cases if case.lang is lang and case.split == "dev"]

    assert dev
    assert [case.id for case in dev if not attacks.build(name).applies_to(case)] == []


async def test_a_model_writes_what_a_run_can_read(case: Case) -> None:
    model = ScriptedModel(lambda _: "<think>hm</think>The kiln burns\n willow.")

    found = await craft([case], CRAFTED, model)

    assert not found.failed
    assert [line["attack"] for line in found.lines] == list(CRAFTED)
    assert {line["text"] for line in found.lines} == {"The kiln burns willow."}
    assert all(fits(line, case, pushes=line["attack"] in PUSHING) for line in found.lines)


async def test_a_text_without_the_wrong_value_is_asked_for_again_and_then_counted(case: Case) -> None:
    replies = {0: "It burns oak.", 1: "It burns willow."}
    model = ScriptedModel(lambda request: replies[request.sample])
    (line,) = (await craft([case], ["blind"], model)).lines
    assert line["text"] == "It burns willow."

    stubborn = ScriptedModel(lambda _: "It burns oak.")
    found = await craft([case], ["blind"], stubborn)
    assert not found.lines
    assert found.failed == ((case.id, "blind", "'willow' is not in the reply"),)
    assert len(stubborn.requests) == 3


async def test_an_outage_and_a_case_without_a_wrong_answer_are_counted(case: Case) -> None:
    def reply(_: ChatRequest) -> str | ChatReply | Exception:
        return ServerError("502")

    found = await craft([case, replace(case, options=())], ["blind", JAMMING[0]], ScriptedModel(reply))

    assert found.unfit == 1
    assert {reason for _, _, reason in found.failed} == {"server_error: 502"}
