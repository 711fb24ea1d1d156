"""Stored runs whose every text, id and name is a payload."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from saferag.experiment.cells import digest
from saferag.experiment.records import Record
from saferag.experiment.results import KEYS
from saferag.experiment.store import FORMAT, Store
from saferag.types import (
    AttackMaterial,
    AttackText,
    Case,
    Condition,
    Failure,
    Judged,
    Judgement,
    Label,
    Lang,
    Measurement,
    Option,
    Origin,
    Passage,
    Removal,
    Score,
    Trace,
    Unscored,
    Verdict,
)


def texts_run(folder: Path, payloads: Sequence[str]) -> Store:
    """A run of the soft ads whose questions, passages, ids, answers, reasons and messages are payloads."""
    cases = [_case(i, payload) for i, payload in enumerate(payloads)]
    arms = _arms("soft_ad", {})
    store = Store.create(folder, _settings(arms, {"soft_ad|en": [c.id for c in cases]}, payloads[0]), cases)
    for case, payload in zip(cases, payloads, strict=True):
        _run(store, list(arms), case, payload)
    return store


def names_run(folder: Path, payloads: Sequence[str]) -> Store:
    """A run whose components, attacks and settings are named by payloads; one case each."""
    case = _case(0, "plain")
    arms: dict[str, dict[str, Any]] = {}
    for payload in payloads:
        names = dict.fromkeys(("retriever", "filter", "generator", "judge", "position"), payload)
        arms |= _arms(payload, names)
    case_ids = {f"{payload}|en": [case.id] for payload in payloads}
    store = Store.create(folder, _settings(arms, case_ids, "x"), [case])
    ids = list(arms)
    for i in range(0, len(ids), 2):
        _run(store, ids[i : i + 2], case, "plain")
    return store


def _arms(task: str, names: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    plain: dict[str, Any] = dict.fromkeys(KEYS, "x") | {
        "task": task, "stage": "knowledge_base", "ratio": 0.5, "position": "front", "top_k": 2, "lang": "en", "seed": 0,
    }  # fmt: skip
    attacked = plain | dict(names) | {"condition": "attacked", "epoch": 0}
    clean = attacked | {"stage": None, "ratio": None, "position": None, "condition": "clean"}
    return {digest({"arm": repr(arm)})[:12]: arm for arm in (clean, attacked)}


def _settings(arms: Mapping[str, Any], case_ids: Mapping[str, Any], payload: str) -> dict[str, Any]:
    ids = list(arms)
    return {
        "format": FORMAT,
        "fingerprint": payload,
        "saferag": payload,
        "code": payload,
        "data": {"name": payload, "sha256": payload, "cases": 10_000},
        "case_ids": case_ids,
        "model": payload,
        "epochs": 1,
        "arms": arms,
        "cells": [ids[i : i + 2] for i in range(0, len(ids), 2)],
        "notes": [payload],
        "environment": {"python": payload, "system": payload, "packages": {payload: payload}},
    }


def _case(i: int, payload: str) -> Case:
    option = Option(payload or "o", payload, Label.INCORRECT, mention=payload)
    material = AttackMaterial((AttackText("a1", payload, variant=payload),), (option,), (payload or "x",))
    return Case(
        f"{payload}#{i}",
        Lang.EN,
        payload,
        (Passage(f"{payload}/g{i}", f"benign {payload}", Origin.GOLDEN),),
        (Passage(f"{payload}/b{i}", payload),),
        attacks={"soft_ad": material},
        topic=payload,
        kind=payload,
        title=payload if i % 2 else "",
        split=payload,
    )


def _run(store: Store, arms: Sequence[str], case: Case, payload: str) -> None:
    clean, attacked = arms
    attack = Passage(f"{case.id}/a", payload, Origin.ATTACK)
    rewritten = Passage(f"{case.id}/r", payload, Origin.BACKGROUND, (attack.id, case.golden[0].id))
    option = case.attacks["soft_ad"].options[0]
    failed = len(store.records) % 10 == 0
    benign = Trace(case.id, Condition.CLEAN, (), case.golden, case.golden, case.golden, answer=f"{payload} {payload}")
    trace = Trace(
        case.id,
        Condition.ATTACKED,
        (attack,),
        (attack, *case.golden),
        (rewritten,),
        (rewritten,),
        (Removal(f"{payload}/b", payload), Removal(case.golden[0].id, payload)),
        None if failed else payload,
        Failure("generator", payload, payload) if failed else None,
    )
    verdicts = Judgement((Judged(option.id, Verdict.CORRECT, payload),))
    other = Judgement((Judged(option.id, Verdict.UNDECIDED, payload),))
    good: dict[str, Measurement] = {"asr": Score(0.0), "f1_incorrect": Score(1.0), "ra_share": Score(1.0)}
    bad: dict[str, Measurement] = {
        "asr": Unscored(payload) if failed else Score(1.0),
        "f1_incorrect": Score(0.0),
        "ra_share": Score(0.5),
        "survival_retrieved": Score(1.0),
        payload: Score(1.0),
    }
    store.add(Record(clean, benign, verdicts, good))
    store.add(Record(attacked, trace, Failure("judge", payload, payload) if failed else other, bad))
