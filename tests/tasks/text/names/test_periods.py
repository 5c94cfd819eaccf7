"""Periods are read alike in file names, on covers and in questions."""

from __future__ import annotations

import pytest

from tasks.text.names.periods import Period, ended_periods, periods_in, without_periods


@pytest.mark.parametrize(
    ("text", "periods"),
    [
        ("FY18 and FY'23", ["2018", "2023"]),
        ("FY98", ["1998"]),
        ("3M_2018_10K", ["2018"]),
        ("JPMORGAN_2021Q1_10Q", ["2021 Q1"]),
        ("Q2 2022, 2Q22 and Q3'21", ["2022 Q2", "2022 Q2", "2021 Q3"]),
        ("Q2 FY22", ["2022 Q2"]),
        ("the second quarter of fiscal 2022", ["2022 Q2"]),
        ("for the fiscal year ended June 30, 2019", ["2019"]),
        ("the quarter ended 30 June 2022", ["2022 Q2"]),
        ("Sept 2020", ["2020-09"]),
        ("valid from 1 March 2024", ["2024-03"]),
        ("policy-2024-03-15", ["2024-03"]),
        ("20240131", ["2024-01"]),
        ("addendum_v202109", ["2021-09"]),
        ("in 2019-2020", ["2019", "2020"]),
        ("20221299, 10Q, Q4 and 120185", []),
        ("", []),
    ],
)
def test_periods_are_read(text: str, periods: list[str]) -> None:
    assert [str(period) for period in periods_in(text)] == periods


@pytest.mark.parametrize("written", ["2018", "2022 Q2", "2024-03"])
def test_a_shown_period_is_read_again(written: str) -> None:
    assert [str(period) for period in periods_in(written)] == [written]


def test_a_cover_says_which_year_or_quarter_ends() -> None:
    cover = "Act of 1934\nFor the quarterly period ended Commission file March 31, 2021 number 1-5805"
    assert list(ended_periods(cover)) == [Period(2021, quarter=1)]
    assert list(ended_periods("For the Fiscal YearEnded December 31, 2019")) == [Period(2019)]
    assert list(ended_periods("The year 2019 ended well")) == []


def test_a_question_names_a_period_by_its_year_and_its_part() -> None:
    assert Period(2022, quarter=2).words == ("2022", "q2")
    assert Period(2024, month=3).words == ("2024", "march")


def test_later_periods_end_later() -> None:
    periods = [Period(2022), Period(2022, month=5), Period(2022, quarter=1), Period(2021)]
    assert sorted(periods, key=lambda one: one.last_month) == periods[::-1]


def test_a_text_without_its_periods() -> None:
    assert without_periods("Report for Q2 2022, audited").split() == ["Report", "for", ",", "audited"]
