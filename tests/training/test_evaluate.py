"""What the measurements of the reader print."""

from __future__ import annotations

from evaluate import Table


def test_every_mean_has_its_interval_and_its_number_of_cases() -> None:
    table = Table()
    for value in (0.0, 0.0, 1.0, 1.0):
        table.add("golden", "zh", "abstains", value)
    table.add("golden", "en", "seconds", 30.0)

    lines = list(table.lines())

    assert "| golden | zh | abstains | 0.500 | 0.150 to 0.850 | 4 |" in lines  # Wilson's interval
    assert "| golden | all | seconds | 30.000 | 30.000 to 30.000 | 1 |" in lines
