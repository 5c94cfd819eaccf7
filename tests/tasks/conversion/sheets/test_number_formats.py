"""Cells are read as the sheet shows them."""

from __future__ import annotations

import datetime as dt
import io
from typing import Any

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.conversion.sheets.number_formats import cell_text
from tasks.conversion.sheets.reader import read_workbook

DAY = dt.datetime(2026, 3, 2)
ACCOUNTS = '_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_);_(@_)'


@pytest.mark.parametrize(
    ("value", "number_format", "shown"),
    [
        (1234.5, "$#,##0.00", "$1,234.50"),
        (-1234.5, "$#,##0.00", "-$1,234.50"),
        (-1234.5, "#,##0.00;[Red](#,##0.00)", "(1,234.50)"),
        (1234.5, ACCOUNTS, "$1,234.50"),
        (-1234.5, ACCOUNTS, "$(1,234.50)"),
        (0, ACCOUNTS, "$-"),
        (1234.5, '#,##0.00\\ "€"', "1,234.50 €"),
        (1234.5, "[$€-407]#,##0.00", "€1,234.50"),
        (1234, "#,##0", "1,234"),
        (35, '0 "days"', "35 days"),
        (3.25, 'General" h"', "3.25 h"),
        (42, "00000", "00042"),
        (0.955, "0.0%", "95.5%"),
        (-0.125, "0%", "-13%"),
        (12, '0"%"', "12%"),
        (1234567, '#,##0,"K"', "1,235K"),
        (1.5e6, '0.0,,"M"', "1.5M"),
        (2_500_000_000, "0.00E+00", "2.50E+09"),
        (-0.0000125, "0.0E+00", "-1.3E-05"),
        (9.996, "0.00E+00", "1.00E+01"),
        (250, "0E-0", "3E2"),
        (0, "0.00E+00", "0.00E+00"),
        (2.5, "0.00", "2.50"),
        (2.5, "0", "3"),
        (2.675, "0.00", "2.68"),
        (1.5, "0.0##", "1.5"),
        (1, '"Yes";"Yes";"No"', "Yes"),
        (0, '"Yes";"Yes";"No"', "No"),
        (7, ";;;", ""),
        (True, "0", "TRUE"),
        ("1234.5", "$#,##0.00", "1234.5"),
        ("secret", ";;;", ""),
        ("shown", ";;;@", "shown"),
        ("24", '@" hours"', "24 hours"),
        ("Yes", "0;-0;0", "Yes"),
        ("Yes", ACCOUNTS, "Yes"),
        (dt.timedelta(hours=36), '[h]" hours"', "36 hours"),
        (dt.timedelta(hours=36), "[h]:mm\\ \\h", "36:00 h"),
    ],
)
def test_a_number_has_its_format(value: Any, number_format: str, shown: str) -> None:
    assert cell_text(value, number_format) == shown


@pytest.mark.parametrize(
    "number_format",
    ["General", "@", "", None, "# ?/?", "##0.0E+0", '[>3]"big";"small"', "(000) 000-0000", '0"', "[h]", "0" * 99],
)
def test_a_number_of_another_format_stays_as_it_is(number_format: str | None) -> None:
    assert cell_text(12.5, number_format) == "12.5"
    assert cell_text(1e300, "0.00") == "1e+300"


@pytest.mark.parametrize(
    ("value", "number_format", "shown"),
    [
        (DAY, "mm-dd-yy", "2026-03-02"),
        (DAY, "dd/mm/yyyy", "2026-03-02"),
        (DAY, "mmm-yy", "Mar-2026"),
        (DAY, "[$-409]mmmm d, yyyy;@", "March 2, 2026"),
        (DAY, "[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy", "Monday, March 02, 2026"),
        (DAY, "[$-407]d. mmmm yyyy", "2026-03-02"),
        (DAY, "yyyy", "2026"),
        (DAY, '"FY"yyyy', "FY2026"),
        (DAY, "mm/yyyy", "03/2026"),
        (DAY, "d-mmm", "2-Mar"),
        (DAY.replace(hour=9, minute=30), "dd mmm yyyy hh:mm", "2026-03-02 09:30"),
        (DAY.date(), "General", "2026-03-02"),
        (dt.time(9, 30), "h:mm AM/PM", "09:30:00"),
        (dt.time(0, 15), "hh:mm", "00:15"),
        (dt.time(9, 30), "h:mm", "9:30"),
        (dt.time(9, 30), "[$-409]h:mm;@", "9:30"),
        (dt.time(9, 30, 5), "h:mm:ss", "09:30:05"),
        (dt.time(18, 0), 'hh:mm" Uhr"', "18:00 Uhr"),
        (dt.time(0, 15), "mm:ss", "00:15:00"),
        (dt.timedelta(hours=36, minutes=5), "[h]:mm", "36:05"),
        (dt.timedelta(hours=36), "[hh]:mm:ss", "36:00:00"),
    ],
)
def test_a_date_is_shown_where_its_format_says_more_or_less_than_a_day(
    value: Any, number_format: str, shown: str
) -> None:
    assert cell_text(value, number_format) == shown


def test_a_workbook_is_read_as_it_is_shown() -> None:
    book = openpyxl.Workbook()
    book.active.append(["Price", "Reviewed", "Uptime"])
    book.active.append([1234.5, DAY, 0.9995])
    for name, number_format in (("A2", "$#,##0.00"), ("B2", "mmmm yyyy"), ("C2", "0.00%")):
        book.active[name].number_format = number_format
    out = io.BytesIO()
    book.save(out)
    (sheet,), _ = read_workbook("a.xlsx", out.getvalue())
    assert sheet.rows[1].cells == ("$1,234.50", "March 2026", "99.95%")


@given(st.floats(-1e12, 1e12), st.integers(0, 6))
def test_decimals_and_thousands_are_those_of_the_number(value: float, decimals: int) -> None:
    shown = cell_text(value, "#,##0" + ("." + "0" * decimals if decimals else ""))
    assert abs(float(shown.replace(",", "")) - value) <= 0.5001 * 10**-decimals + 1e-9 * abs(value)
    assert len(shown.partition(".")[2]) == decimals


@given(st.text('0#?.,;%"\\[]$€-_*@ aymdhs', max_size=20), st.floats(allow_nan=True))
def test_no_format_fails(number_format: str, value: float) -> None:
    for one in (value, DAY, dt.timedelta(hours=30)):
        assert isinstance(cell_text(one, number_format), str)


def test_texts_of_a_workbook_have_their_formats() -> None:
    book = openpyxl.Workbook()
    book.active.append(["RTO", "24", "secret", "plain"])
    book.active["B1"].number_format = '@" hours"'
    book.active["C1"].number_format = ";;;"
    book.active["D1"].number_format = "@"
    out = io.BytesIO()
    book.save(out)
    assert read_workbook("a.xlsx", out.getvalue())[0][0].rows[0].cells == ("RTO", "24 hours", "", "plain")
