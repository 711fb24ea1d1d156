"""What a person reads while a run goes on."""

from __future__ import annotations

import pytest

from saferag.cli.console import TerminalProgress, duration, pace


@pytest.mark.parametrize(("rate", "said"), [(250.0, "250.0/s"), (1.0, "1.0/s"), (0.125, "8.0 s each")])
def test_a_slow_model_is_timed_by_the_case_and_a_fast_one_by_the_second(rate: float, said: str) -> None:
    assert pace(rate) == said


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.4, "0 s"), (119, "119 s"), (120, "2 min"), (5400, "90 min"), (7200, "2 h")]
)
def test_the_time_left_is_in_the_unit_that_a_person_would_use(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_a_pipe_gets_lines_with_rate_and_time_left(capfd: pytest.CaptureFixture[str]) -> None:
    with TerminalProgress(every=0.0) as progress:
        progress.start(3)
        progress.advance()

    assert "1/3 cases, " in capfd.readouterr().err
