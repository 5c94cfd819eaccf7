"""What an experiment says on a terminal, from a made summary."""

from __future__ import annotations

from typing import Any

from flows.cli.output.experiment_lines import experiment_lines


def test_no_p_is_rounded_to_one_that_was_not_found() -> None:
    base: dict[str, Any] = {"setting": "5", "is_base": True, "metric": "correctness", "value": 0.5, "n": 94}
    base |= dict.fromkeys(
        ("difference", "p", "p_holm", "interval_low", "interval_high", "bootstrap_low", "bootstrap_high")
    )
    base |= {"unscored": 0, "setting_value": 5.0}
    other = base | {"setting": "9", "is_base": False, "difference": 0.25, "p": 0.0002, "p_holm": 0.0008}
    other |= {"difference_low": 0.1, "difference_high": 0.4}
    told = {"experiment": "e", "base": "bidfolio", "question": "Which?", "figures": [base, other], "against": "5"}
    assert "answered right, or rightly declined:" in experiment_lines(told)
    rows = [line.split() for line in experiment_lines(told) if line.startswith(("5 ", "9 "))]
    assert rows[1][-3:] == ["+0.250", "<", ".001"] and rows[0][-1] == "base"
    assert not any("bootstrap" in line for line in experiment_lines(told))


def test_both_intervals_stand_beside_a_value() -> None:
    figure: dict[str, Any] = {"setting": "5", "is_base": True, "metric": "correctness", "value": 0.5, "n": 94}
    figure |= {"unscored": 0, "setting_value": 5.0, "p": None, "p_holm": None, "difference": None}
    figure |= {"interval_low": 0.25, "interval_high": 0.75, "bootstrap_low": 0.375, "bootstrap_high": 0.625}
    told = {"experiment": "e", "base": "bidfolio", "question": "Which?", "figures": [figure], "against": "5"}
    header, _, row = experiment_lines(told)[-5:-2]
    assert "95% by t" in header and "bootstrap" in header
    assert "[0.250, 0.750]  [0.375, 0.625]" in row
