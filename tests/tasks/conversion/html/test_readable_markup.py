"""Web pages: what they show is read, whatever element holds it."""

from __future__ import annotations

import pytest

from tests.made.conversions import convert_bytes


def lines(body: str) -> list[str]:
    return convert_bytes("page.html", f"<html><body>{body}</body></html>".encode()).text.split("\n")


@pytest.mark.parametrize("tag", ["main", "article", "header", "form", "fieldset", "figure", "details", "section"])
def test_what_an_element_holds_is_read_in_its_place(tag: str) -> None:
    table = "<table><tr><td>RPO</td><td>1 hour</td></tr></table>"
    got = lines(f"<p>Before it.</p><{tag}><p>Within it.</p>{table}</{tag}><p>After it.</p>")
    assert got == ["Before it.", "Within it.", "RPO | 1 hour", "After it."]


@pytest.mark.parametrize(
    "body",
    [
        "<details><summary>Do you log?</summary><p>Yes, always.</p></details>",
        '<h2><button data-bs-target="#a">Do you log?</button></h2><div id="a" class="collapse">Yes, always.</div>',
        '<button aria-controls="a">Do you log?</button><div id="a" hidden>Yes, always.</div>',
        "<figure><figcaption>Do you log?</figcaption><p>Yes, always.</p></figure>",
        "<fieldset><legend>Do you log?</legend>Yes, always.</fieldset>",
    ],
)
def test_a_question_stands_before_its_answer(body: str) -> None:
    assert lines(body) == ["Do you log?", "Yes, always."]


def test_what_is_filled_into_a_form_is_read_beside_its_label() -> None:
    assert lines(
        '<form><p><label>Name <input name="n" value="Corvane Ltd"></label></p>'
        '<p><input type="checkbox" checked><label>Encrypted</label> <input type="checkbox"><label>Tested</label></p>'
        '<p>Logs: <input type="radio" name="r" value="y">Yes <input type="radio" name="r" value="n" checked>No</p>'
        "<p>Country: <select><option>Spain</option><option selected>Portugal</option></select></p>"
        "<p>Encrypted: <select><option>Yes</option><option>No</option></select></p>"
        "<p>Remarks: <textarea>None at all.</textarea></p>"
        '<p>Token <input type="hidden" value="s3cret"><input type="password" value="hunter2"></p>'
        '<p>Done.<input type="submit" value="Send"><button>Cancel</button></p></form>'
    ) == [
        "Name Corvane Ltd",
        "☒ Encrypted ☐ Tested",
        "Logs: ☐ Yes ☒ No",
        "Country: Portugal",
        "Encrypted:",
        "Remarks: None at all.",
        "Token",
        "Done.",
    ]


@pytest.mark.parametrize("span", ["2", "2 ", "65534"])
def test_a_cell_that_spans_rows_or_columns_is_said_in_each_and_leaves_the_others_in_theirs(span: str) -> None:
    table = (
        "<table><tr><th>Area<th>Control<th>Yes<th>No</tr>"
        f"<tr><td rowspan='{span}'>Access<td>Two factors<td>x<td></tr><tr><td>Reviews<td><td>x</tr></table>"
    )
    assert lines(table) == [
        "Area | Control | Yes | No",
        "Access | Two factors | Yes: x | –",
        "Access | Reviews | – | No: x",
    ]


@pytest.mark.parametrize("span", ["1000000000", "9" * 5000])
def test_spans_that_are_no_numbers_or_beyond_all_measure_are_read(span: str) -> None:
    table = f"<table><tr><td colspan='{span}'>Plans<td rowspan='-3'>a</tr><tr><td colspan='x'>Gold<td>b</tr></table>"
    head, row = lines(table)
    assert head == "Plans | Plans | a" and row == "Gold | b"


def test_a_heading_over_two_columns_names_both_and_a_title_above_it_none() -> None:
    table = (
        "<table><tr><td colspan=4>Coverage<tr><th>Service<th colspan=2>In place<th>No"
        "<tr><td>Gold<td>x<td><td><tr><td>Silver<td><td>x<td><tr><td>Basic<td><td><td>x</table>"
    )
    assert lines(table) == [
        "Coverage",
        "Service | In place | In place | No",
        "Gold | In place: x | – | –",
        "Silver | – | In place: x | –",
        "Basic | – | – | No: x",
    ]
    (found,) = (e for e in convert_bytes("a.html", f"<html><body>{table}".encode()).elements if e.kind == "table")
    assert found.html is not None and found.html.isascii()


def test_a_mark_is_named_by_all_headings_above_it() -> None:
    table = (
        "<table><tr><th rowspan=2>Feature<th colspan=2>EU<th colspan=2>US<tr><th>Basic<th>Pro<th>Basic<th>Pro"
        "<tr><td>SSO<td><td>x<td><td><tr><td>API<td>x<td>x<td><td>x</table>"
    )
    assert lines(table) == [
        "Feature | EU | EU | US | US",
        "Feature | Basic | Pro | Basic | Pro",
        "SSO | – | EU Pro: x | – | –",
        "API | EU Basic: x | EU Pro: x | – | US Pro: x",
    ]


def test_a_heading_stands_over_each_of_its_columns_and_a_row_of_a_form_over_none() -> None:
    table = "<table><tr><td>Site<td colspan=2>EU<td>US<tr><td>Paris<td>1 h<td>2 h<td>3 h</table>"
    assert lines(table) == ["Site | EU | EU | US", "Paris | 1 h | 2 h | 3 h"]
    form = "<table><tr><td>Name<td colspan=3>Acme<tr><td>Street<td>Main 1<td>Zip<td>4711<tr><td>City<td colspan=3>Bonn"
    assert lines(f"{form}</table>") == ["Name | Acme", "Street | Main 1 | Zip | 4711", "City | Bonn"]


@pytest.mark.parametrize(
    ("terms", "read"),
    [
        ("<dt>RPO</dt><dd>15 minutes</dd><dt>RTO<dd>4 <b>hours</b>", ["RPO | 15 minutes", "RTO | 4 hours"]),
        ("<div><dt>RPO</dt><dd>15 minutes</dd></div>", ["RPO | 15 minutes"]),
        ("<dt>RPO<dt>Recovery point<dd>15 minutes<dd>for all data", ["RPO Recovery point | 15 minutes for all data"]),
        ("<dt>Do you log?<dd>Yes, always.", ["Do you log?", "Yes, always."]),
        ("<dt>Logs<dd><ul><li>Access<li>Change</ul>", ["Logs", "Access", "Change"]),
        (f"<dt>Logs<dd>{'All of it. ' * 40}", ["Logs", ("All of it. " * 40).strip()]),
        ("<dd>Nothing above.", ["Nothing above."]),
        ("<dt>Alone", ["Alone"]),
        ("", []),
    ],
)
def test_a_term_and_what_is_said_of_it_in_a_few_words_are_a_row(terms: str, read: list[str]) -> None:
    assert lines(f"<p>What we promise.</p><dl>{terms}</dl>") == ["What we promise.", *read]
