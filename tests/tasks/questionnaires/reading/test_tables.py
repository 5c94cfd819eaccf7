"""Sheets with several tables, hidden parts, labels in place of a table, and without a header."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence

import pytest
from openpyxl import load_workbook

from tasks.errors import UsageError
from tasks.questionnaires.filling.company_facts import facts_left, known_facts
from tasks.questionnaires.filling.fill_questionnaire import FilledAnswer, fill_questionnaire, fill_with_notes
from tasks.questionnaires.formats import worksheet_reader
from tasks.questionnaires.reading.read_questionnaire import read_questionnaire
from tests.made.form_layouts import one_a_sheet, side_by_side, stacked, vsa_sections
from tests.made.raw_workbooks import BOLD, UNLOCKED, Cell, Formula, RawSheet, Styled, raw_workbook

Make = Callable[..., bytes]
Rows = Sequence[Sequence[Cell]]
HEAD: Sequence[Cell] = ["ID", "Question", "Answer"]
ASKED = ("Do you log access?", "Who reads the logs?", "How long are logs kept?")


def of(*rows: Sequence[Cell], **rest: object) -> bytes:
    return raw_workbook(RawSheet("Security", rows, **rest))  # type: ignore[arg-type]


def texts(data: bytes) -> list[str]:
    return [question.text for question in read_questionnaire(data, "q.xlsx").questions]


def filled(data: bytes, answer: str = "We do.") -> dict[str, object]:
    """The cells of the first sheet that a fill of every question adds, without review columns."""
    read = read_questionnaire(data, "q.xlsx")
    answers = [FilledAnswer(row.question_id, "answered", answer) for sheet in read.sheets for row in sheet.rows]
    done = fill_with_notes(data, read, answers, review_columns=False).data
    before, after = (load_workbook(io.BytesIO(one)).worksheets[0] for one in (data, done))
    cells = [cell for row in after.iter_rows() for cell in row]
    return {cell.coordinate: cell.value for cell in cells if cell.value != before[cell.coordinate].value}


def test_hidden_rows_and_columns_are_not_read() -> None:
    rows: Rows = [HEAD, *([f"Q{at}", one] for at, one in enumerate(ASKED))]
    assert texts(of(*rows, hidden_rows=(3,))) == [ASKED[0], ASKED[2]]
    both: Rows = [["Question", "Old question", "Answer"], *([one, f"{one} (2019)"] for one in ASKED)]
    assert texts(of(*both, hidden_columns=(1,))) == [f"{one} (2019)" for one in ASKED]
    assert read_questionnaire(of(*rows, hidden_rows=(3,)), "q.xlsx").warnings == (
        "sheet 'Security': 1 hidden rows are not asked; unhide them to have them asked",
    )


def test_each_table_of_a_sheet_is_filled_and_has_its_section() -> None:
    form = vsa_sections()
    read = read_questionnaire(form.data, "v.xlsx")
    assert list(dict.fromkeys(one.section for one in read.questions)) == [
        "Data Protection",
        "Access Control",
        "Incident Response",
    ]
    assert set(filled(form.data)) == {cell for _, _, cell in form.expected}
    assert set(filled(side_by_side().data)) == {cell for _, _, cell in side_by_side().expected}


def test_review_columns_of_tables_beside_each_other_do_not_meet() -> None:
    data = side_by_side().data
    read = read_questionnaire(data, "s.xlsx")
    answers = [FilledAnswer(one.question_id, "answered", one.text) for one in read.questions]
    sheet = load_workbook(io.BytesIO(fill_questionnaire(data, read, answers))).active
    titles = [cell.value for cell in sheet[2]]
    assert titles.count("bidfolio status") == 2
    assert [sheet["C3"].value, sheet["G3"].value] == [sheet["B3"].value, sheet["F3"].value]


def test_an_answered_row_is_no_header() -> None:
    rows: Rows = [
        ["No.", "Requirement", "Compliance", "Comments"],
        ["1", "Access requirements", "Compliant", "See the notes"],
        ["2", "Answer to requests", "Partially", "Details follow"],
        ["3", "Response times", None, None],
    ]
    assert texts(of(*rows)) == ["Access requirements", "Answer to requests", "Response times"]


def test_titles_are_known_by_reference_letters_or_lock() -> None:
    parents: Rows = [
        ["2.1.", "Data Security", None],
        ["2.1.00", "Encryption baseline", None],
        ["2.1.00-01", "Data at rest is encrypted", None],
        ["2.1.00-02", "Data in transit is encrypted", None],
    ]
    assert texts(of(HEAD, *parents)) == ["Data at rest is encrypted", "Data in transit is encrypted"]
    bold: Rows = [[None, Styled("Network", BOLD)], [None, "Segmented networks"], [None, "Firewall rules"]]
    assert texts(of(HEAD, *bold)) == ["Segmented networks", "Firewall rules"]
    locked: Rows = [
        [None, "Network"],
        *([None, text, Styled(None, UNLOCKED)] for text in ("Segmented networks", "Firewall rules")),
    ]
    assert texts(of(HEAD, *locked)) == ["Segmented networks", "Firewall rules"]


def test_a_parent_that_asks_or_has_an_answer_is_a_question() -> None:
    rows: Rows = [
        ["1", "Do you have a policy?", None],
        ["1.1", "If so, who approves it?", None],
        ["2", "Backups", "Yes"],
        ["2.1", "Restore tests", None],
    ]
    assert len(texts(of(HEAD, *rows))) == 4


@pytest.mark.parametrize(
    "note",
    [
        "Do not fill in this sheet.",
        "This tab is to be completed by the evaluation team.",
        "For internal use only",
        "Suppliers should not complete the table below.",
        "Bitte nicht ausfüllen",
        "Ne pas remplir cette feuille",
    ],
)
def test_sheets_that_say_not_to_be_filled_are_left_out(note: str) -> None:
    rows: Rows = [[one] for one in ("Scoring", note)]
    asked: Rows = [HEAD, *([str(at), one] for at, one in enumerate(ASKED))]
    data = raw_workbook(RawSheet("Scoring", [*rows, *asked]), RawSheet("Yours", asked))
    read = read_questionnaire(data, "q.xlsx")
    assert [sheet.sheet_name for sheet in read.sheets] == ["Yours"] and read.skipped[0][0] == "Scoring"
    assert "If it is yours to fill in, name it in a --map" in read.warnings[0]
    alone = read_questionnaire(raw_workbook(RawSheet("Scoring", [*rows, *asked])), "q.xlsx")
    assert len(alone.questions) == 3 and "it is read all the same" in alone.warnings[0]


@pytest.mark.parametrize(
    "note", ["Do not change the questions.", "Please do not edit column B; complete this sheet.", "Answer in column C."]
)
def test_other_instructions_leave_a_sheet_to_be_answered(note: str) -> None:
    assert texts(of([note], HEAD, *([str(at), one] for at, one in enumerate(ASKED)))) == list(ASKED)


def test_a_sheet_that_repeats_the_questions_by_formula_is_left_out() -> None:
    asked: Rows = [HEAD, *([str(at), one] for at, one in enumerate(ASKED))]
    repeated: Rows = [[str(at), Formula(f"Yours!B{at + 2}", one), None] for at, one in enumerate(ASKED)]
    rated: Rows = [[str(at), f"Rated {one}", Formula(f"Yours!C{at + 2}", "")] for at, one in enumerate(ASKED)]
    copy: Rows = [["ID", "Question", "Reply"], *repeated]
    given: Rows = [HEAD, *rated]
    read = read_questionnaire(
        raw_workbook(RawSheet("Yours", asked), RawSheet("Copy", copy), RawSheet("Rated", given)), "q.xlsx"
    )
    assert [sheet.sheet_name for sheet in read.sheets] == ["Yours"]
    assert dict(read.skipped) == {
        "Copy": "it repeats the questions of another sheet by formulas",
        "Rated": "its answers are formulas",
    }


def test_a_question_or_answer_from_another_workbook_is_told_with_its_name_and_the_link_stays() -> None:
    rows: list[list[Cell]] = [
        ["Question", "Answer"],
        [Formula("'[1]All questions'!A2", "Do you encrypt backups?"), None],
        ["Do you rotate keys?", Formula("[2]Old!B3", "Yes")],
        ["Where do you host?", Formula("Table1[2]", "In Dublin")],
        [None, None, None, Formula("[1]Q!A9", "Internal: 4")],
    ]
    links = ("file:///C:/Users/ann/Master%20list.xlsx", "past.xlsx")
    data = raw_workbook(RawSheet("Security", rows), links=links)
    read = read_questionnaire(data, "q.xlsx")
    first, second = read.warnings
    assert first.startswith("sheet 'Security': 1 question comes by a link")
    assert "from another workbook, Master list.xlsx: the values that this file has saved are used" in first
    assert "1 answer comes" in second and "past.xlsx" in second
    assert read.questions[0].text == "Do you encrypt backups?" and read.sheets[0].answered_rows == (3, 4)
    answer = FilledAnswer(read.questions[0].question_id, "answered", "Yes", verdict="yes")
    filled = fill_with_notes(data, read, [answer], review_columns=False).data
    before, after = (zipfile.ZipFile(io.BytesIO(one)) for one in (data, filled))
    changed = [name for name in before.namelist() if before.read(name) != after.read(name)]
    assert changed == ["xl/worksheets/sheet1.xml"] and b"'[1]All questions'!A2" in after.read(changed[0])
    assert read_questionnaire(raw_workbook(RawSheet("Security", rows[:1] + rows[3:4])), "q.xlsx").warnings == ()


def test_formulas_without_a_value_are_told() -> None:
    rows: Rows = [HEAD, ["1", Formula("A9", None)], ["2", ASKED[0]], ["3", ASKED[1]]]
    (warning,) = read_questionnaire(of(*rows), "q.xlsx").warnings
    assert "1 question texts are formulas whose values the file does not have" in warning


def test_answers_below_their_labels_go_beside_them_below_them_or_into_their_cell() -> None:
    beside: Rows = [["1", ASKED[0]], [None, "Answer:"], ["2", ASKED[1]], [None, "Answer:"]]
    assert set(filled(of(*beside))) == {"C2", "C4"}
    assert filled(stacked().data)["A4"] == "Answer: We do."
    free: Rows = [[ASKED[0]], ["Answer:"], [], [], [ASKED[1]], ["Answer:"], [], []]
    assert set(filled(of(*free))) == {"A3", "A7"}
    boxes: Rows = [[ASKED[0]], [], [], [ASKED[1]]]
    assert set(filled(of(*boxes, merges=("A2:C3", "A5:C6")))) == {"A2", "A5"}
    unlocked: Rows = [
        ["1", ASKED[0]],
        [None, "Answer:"],
        [None, Styled(None, UNLOCKED)],
        ["2", ASKED[1]],
        [None, "Answer:"],
        [None, Styled(None, UNLOCKED)],
    ]
    assert set(filled(of(*unlocked))) == {"B3", "B6"}
    own: Rows = [[f"{ASKED[0]}\nAnswer:"], [f"{ASKED[1]}\nAnswer:"]]
    assert filled(of(*own)) == {"A1": f"{ASKED[0]}\nAnswer: We do.", "A2": f"{ASKED[1]}\nAnswer: We do."}


def test_a_comment_below_its_question_has_its_own_cell() -> None:
    data = one_a_sheet().data
    read = read_questionnaire(data, "q.xlsx")
    assert [(one.question_id, one.section) for one in read.questions] == [
        (f"SEC-{number}", "Security") for number in (1, 2, 3)
    ]
    yes = FilledAnswer("SEC-1", "answered", "Yes", "With AES-256.", "yes")
    book = load_workbook(io.BytesIO(fill_with_notes(data, read, [yes], review_columns=False).data))
    assert [book["Q1"][cell].value for cell in ("B4", "B5", "B6")] == [
        "Do you encrypt laptops?",
        "Yes",
        "With AES-256.",
    ]


def test_a_sheet_without_a_header_is_read_where_its_shape_is_sure() -> None:
    read = read_questionnaire(of(*([one] for one in ASKED)), "q.xlsx")
    assert [one.text for one in read.questions] == list(ASKED)
    assert "column A was taken for the questions (3), and column B for the answers" in read.warnings[0]
    assert set(filled(of(*([one] for one in ASKED)))) == {"B1", "B2", "B3"}
    with pytest.raises(UsageError, match="--question-column B"):
        read_questionnaire(of(["Milk"], ["Do you like it?"], ["Bread"], ["Butter"]), "q.xlsx")


def test_a_named_column_has_the_questions(make_sheet: Make) -> None:
    data = make_sheet([["Topic", "Wording", "Supplier"], ["Logs", "Access logs", None], ["Keys", "Key rotation", None]])
    read = read_questionnaire(data, "q.xlsx", question_column="B")
    assert "Access logs" in [one.text for one in read.questions]
    assert [one.text for one in read_questionnaire(data, "q.xlsx", question_column="Wording").questions]
    with pytest.raises(UsageError, match=r"--question-column F: no sheet has a question in that column"):
        read_questionnaire(data, "q.xlsx", question_column="F")


def test_facts_about_the_company_are_filled_from_its_profile_or_left() -> None:
    rows: Rows = [
        HEAD,
        ["1", "Company name", None],
        ["2", "Contact person's e-mail", None],
        ["3", "Website", None],
        ["4", "Do you log access?", None],
    ]
    read = read_questionnaire(of(*rows), "q.xlsx")
    assert [one.text for one in read.questions] == ["Do you log access?"]
    given = known_facts(read, {"name": "Northwind Ltd", "contact_email": "sales@northwind.example"})
    done = fill_with_notes(of(*rows), read, given, review_columns=False).data
    sheet = load_workbook(io.BytesIO(done)).active
    assert [sheet[f"C{row}"].value for row in (2, 3, 4, 5)] == ["Northwind Ltd", "sales@northwind.example", None, None]
    assert known_facts(read, {}) == []


def test_details_of_the_company_on_a_cover_sheet_and_above_the_questions() -> None:
    cover: Rows = [
        [Styled("Supplier details", BOLD)],
        ["GNRL-1", "Company name", None],
        ["GNRL-2", "Contact e-mail", "_____"],
        ["GNRL-3", "Founded", None],
        ["GNRL-4", "Website", "kept.example"],
        [Styled("Customer details", BOLD)],
        ["C-1", "Company name", None],
    ]
    above: Rows = [["Vendor name:", None, "Contact phone:"], [], HEAD, ["1", ASKED[0]], ["2", ASKED[1]]]
    data = raw_workbook(RawSheet("Cover", cover), RawSheet("Q", above))
    read = read_questionnaire(data, "q.xlsx")
    assert [one.text for one in read.questions] == list(ASKED[:2]) and read.skipped == ()
    labels = [fact.label for sheet in read.sheets for fact in sheet.facts]
    assert labels == ["Company name", "Contact e-mail", "Founded", "Vendor name:", "Contact phone:"]
    given = known_facts(read, {"name": "Northwind Ltd", "contact_email": "sales@northwind.example"})
    done = load_workbook(io.BytesIO(fill_with_notes(data, read, given, review_columns=False).data))
    assert [done["Cover"][f"C{row}"].value for row in range(2, 8)] == [
        "Northwind Ltd",
        "sales@northwind.example",
        None,
        "kept.example",
        None,
        None,
    ]
    assert [done["Q"][cell].value for cell in ("B1", "D1", "C4")] == ["Northwind Ltd", None, None]
    left = facts_left(read, given)
    assert left.startswith("q.xlsx: 2 facts about your company are left to you: “Founded” (Cover, row 4), “Contact")
    assert facts_left(read_questionnaire(of(HEAD, ["1", ASKED[0]]), "q.xlsx"), []) == ""


def test_labels_that_ask_for_no_company_s_details() -> None:
    others: list[Rows] = [
        [["Name", None], ["Date", None]],
        [["Reviewer name", None], ["Reviewer e-mail", None]],
        [["Contact details"], ["Name", "E-mail", "Phone"]],
        [["Customer contact"], ["Company name", None], ["Website", None]],
        [["Website", "kept.example"], ["Address", "1 Quay"]],
    ]
    for rows in others:
        read = read_questionnaire(raw_workbook(RawSheet("A", rows), RawSheet("Q", [HEAD, ["1", ASKED[0]]])), "q.xlsx")
        assert [sheet.sheet_name for sheet in read.sheets] == ["Q"]


@pytest.mark.parametrize("suffix", ["xlsm", "xltx", "xltm"])
def test_macro_workbooks_and_templates_are_read(suffix: str) -> None:
    assert read_questionnaire(of(HEAD, ["1", ASKED[0]]), f"q.{suffix}").questions[0].text == ASKED[0]


def test_questions_indented_by_level_are_one_column() -> None:
    rows: Rows = [
        ["Question", None, None, "Answer"],
        [ASKED[0]],
        [None, ASKED[1]],
        [None, None, ASKED[2]],
    ]
    data = of(*rows, merges=("A1:C1",))
    assert texts(data) == list(ASKED) and set(filled(data)) == {"D2", "D3", "D4"}


def test_sums_examples_and_notes_below_are_no_questions() -> None:
    rows: Rows = [
        ["No.", "Question", "Answer", "Points"],
        ["EX", "Example: do you lock your doors?", "Yes", None],
        *([str(at), one] for at, one in enumerate(ASKED)),
        [None, "Total", None, Formula("SUM(D3:D5)", "0")],
        [None, "Is the supplier good enough?", None, Formula('IF(D6>3,"PASS","FAIL")', "FAIL")],
        [],
        [None, "Is anything unclear? Call us."],
    ]
    assert texts(of(*rows)) == list(ASKED)


@pytest.mark.parametrize("ids", [True, False])
def test_notes_and_sums_right_below_the_questions_are_not_asked(ids: bool) -> None:
    notes = ("Total questions: 3", "Please contact procurement@x.example with questions.", "Questions? E-mail us.")
    rows: Rows = [
        HEAD if ids else [None, "Question", "Answer"],
        *([str(at) if ids else None, one] for at, one in enumerate(ASKED)),
        *([None, one] for one in notes),
        [None, "Total cost of ownership"],
        ["4" if ids else None, "Please see annex B and confirm that you comply."],
    ]
    asked = [(one.text, one.section) for one in read_questionnaire(of(*rows), "q.xlsx").questions]
    assert asked[:3] == [(one, "") for one in ASKED]
    assert asked[-1][0] == rows[-1][1] and (asked[-1][1] == "Total cost of ownership") == ids
    assert not {text for text, _ in asked} & set(notes)


def test_choices_to_tick_in_the_answer_s_cell_are_ticked() -> None:
    box = "☐ Yes  ☐ No"
    data = of(["Question", "Tick one"], *([one, box] for one in ("Is it logged?", "Is it limited?", "Is it kept?")))
    read = read_questionnaire(data, "q.xlsx")
    assert {row.choices for row in read.sheets[0].rows} == {("Yes", "No")} and not read.sheets[0].answered_rows
    answers = [FilledAnswer(read.questions[1].question_id, "answered", "No", "", "no")]
    sheet = load_workbook(io.BytesIO(fill_with_notes(data, read, answers, review_columns=False).data)).active
    assert [sheet["B2"].value, sheet["B3"].value] == [box, "☐ Yes  ☒ No"]


def test_a_section_with_fewer_columns_has_its_own_header() -> None:
    rows: Rows = [
        ["A. Keys", None, "Answer", "Details"],
        ["A-1", ASKED[0]],
        ["B. Logs", None, "Answer"],
        ["B-1", ASKED[1]],
        ["B-2", ASKED[2]],
    ]
    read = read_questionnaire(of(*rows), "q.xlsx")
    assert [(sheet.answer_column, sheet.comment_column, len(sheet.rows)) for sheet in read.sheets] == [
        (3, 4, 1),
        (3, None, 2),
    ]
    assert [one.section for one in read.questions] == ["A. Keys", "B. Logs", "B. Logs"]


def test_a_large_sheet_is_read_without_its_empty_end(monkeypatch: pytest.MonkeyPatch) -> None:
    rows: Rows = [HEAD, *([str(at), one, None] for at, one in enumerate(ASKED))]
    empty: Rows = [[Styled(None, UNLOCKED)]] * 500
    data = of(*rows, *empty, dropdowns={"C2:C4": '"Yes,No"'})
    whole = read_questionnaire(data, "q.xlsx")
    monkeypatch.setattr(worksheet_reader, "LARGE_BYTES", 100)
    assert read_questionnaire(data, "q.xlsx") == whole and len(whole.questions) == 3
