"""The number of cases that is promised has the power that was asked for, as simulations and tables have it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saferag.cli import main
from saferag.errors import OptionError
from saferag.experiment.comparison import mcnemar
from saferag.experiment.power import cases_for_binary, cases_for_mean, mcnemar_power, t_power


def test_a_mean_against_the_textbook() -> None:
    # Cohen (1988): a medium effect of 0.5, two-sided 5 %, power 0.8 needs 34 pairs; a small one of 0.2 needs 199.
    assert cases_for_mean(0.5, 1.0) == 34
    assert cases_for_mean(-0.2, 1.0) == 199


def test_the_power_of_mcnemars_test_against_a_simulation() -> None:
    rng = np.random.default_rng(5)
    n, gained, lost, draws = 60, 0.25, 0.08, 4000
    counts = rng.multinomial(n, (gained, lost, 1 - gained - lost), size=draws)

    rejected = sum(
        mcnemar(np.array([(0, 1)] * g + [(1, 0)] * b + [(0, 0)] * rest)) <= 0.05
        for (g, b, rest), times in zip(*np.unique(counts, axis=0, return_counts=True), strict=True)
        for _ in range(times)
    )

    assert mcnemar_power(gained, lost, n, 0.05) == pytest.approx(rejected / draws, abs=0.02)


@settings(max_examples=20, deadline=None)
@given(st.floats(0.05, 0.5), st.floats(0, 0.3))
def test_the_number_of_cases_is_enough_and_not_far_more(gained: float, lost: float) -> None:
    if abs(gained - lost) < 0.05:
        return

    cases = cases_for_binary(gained, lost)

    assert cases is not None
    assert mcnemar_power(gained, lost, cases, 0.05) >= 0.8
    assert mcnemar_power(gained, lost, max(1, int(cases * 0.8) - 6), 0.05) < 0.8


def test_a_difference_without_any_scatter_needs_hardly_any_case() -> None:
    assert cases_for_mean(0.3, 0.0) == 2
    assert (cases_for_mean(0.3, 0.04) or 99) <= 4


def test_a_stricter_level_needs_more_cases() -> None:
    loose, strict = cases_for_mean(0.3, 1.0, alpha=0.05), cases_for_mean(0.3, 1.0, alpha=0.05 / 12)

    assert loose is not None
    assert strict is not None
    assert strict > loose
    assert t_power(0.3, strict, 0.05 / 12) >= 0.8


def test_no_difference_is_never_found() -> None:
    assert cases_for_mean(0.0, 1.0) is None
    assert cases_for_binary(0.2, 0.2) is None
    assert cases_for_mean(1e-6, 1.0) is None


@pytest.mark.parametrize(("difference", "sd"), [(float("nan"), 1.0), (0.1, float("inf")), (0.1, -1.0)])
def test_a_mean_that_is_no_number_is_refused(difference: float, sd: float) -> None:
    with pytest.raises(OptionError):
        cases_for_mean(difference, sd)


@pytest.mark.parametrize(("gained", "lost"), [(-0.1, 0.1), (0.7, 0.4), (float("nan"), 0.1)])
def test_shares_that_cannot_be_are_refused(gained: float, lost: float) -> None:
    with pytest.raises(OptionError):
        cases_for_binary(gained, lost)


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    captured = capsys.readouterr()
    return int(end.value.code or 0), captured.out + captured.err


def test_the_command_takes_given_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    assert "34 cases for a mean difference of 0.5" in call(capsys, "power", "--difference", "0.5", "--sd", "1")[1]
    code, out = call(capsys, "power", "--gained", "0.3", "--lost", "0.1", "--json")

    assert (code, json.loads(out)["cases"]) == (0, cases_for_binary(0.3, 0.1))


def test_the_command_takes_a_pilot_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ("--retriever", "bm25", "--limit", "4", "--lang", "zh", "--task", "WDoS", "SN", "--out", "pilot")
    assert call(capsys, "run", *options)[0] == 0

    code, out = call(capsys, "power", "pilot", "--difference", "-0.2", "--metric", "f1_avg", "--json")
    rows = [json.loads(line) for line in out.splitlines()]

    assert code == 0
    assert {row["metric"] for row in rows} == {"f1_avg"}
    assert all(row["n_pilot"] == 4 and row["difference"] == -0.2 for row in rows)
    assert max(map(len, call(capsys, "power", "pilot")[1].splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "line"),
    [([], "give a pilot run, or --difference and --sd"), (["nowhere"], "is not a run's folder")],
)
def test_a_mistake_is_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str], line: str) -> None:
    code, out = call(capsys, "power", *arguments)

    assert code == 2
    assert line in out
