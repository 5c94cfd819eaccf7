# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pypdfium2 has no stubs.

import csv
import hashlib
import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import docx
import openpyxl
import pptx
import pypdfium2
import pytest

from configs.demo import build, pdf, sheets
from configs.demo.build import SOURCES, DemoPaths, build_demo
from configs.demo.flowables import settable
from configs.demo.gold import GoldError
from configs.demo.passages import Concordance, Passage, Place, QuoteError, Rendered, words
from configs.demo.source import Items, Source, Table, column_widths, lines_of, parse
from configs.demo.yamls import SourceError, load
from tests.made.word_overlap import overlap

DOCUMENT = """\
---
file: Note.pdf
title: Note on keys
version: "1.10"
date: 2026-04-14
owner: Head of Keys
header: Corvane Systems Ltd | Note
footer: Public
---

# 1 Offices

Keys are kept in Gdańsk and Montréal.

- one bullet
- another bullet

Table: Rotation
| Key | Months |
|---|---|
| Tenant key | 12 |
| Root key | 24 |
"""

GOLD = """\
client: Larkfield Mutual
title: Supplier security questionnaire
issued: 2026-10-12
layout: {layout}
files: [{files}]
instructions: [Answer every question.]
items:
  - id: A-001
    section: 1 Keys
    question: How often are tenant keys rotated?
    answer: Every 12 months.
    answerable: true
    kind: table
    evidence: [{{file: Note.pdf, quote: "| Tenant key | 12 |"}}]
  - id: A-002
    section: 1 Keys
    question: Is there an office in Gdańsk?
    answer: Yes.
    verdict: yes
    answerable: true
    kind: two-passages
    evidence:
      - {{file: Note.pdf, quote: "{quote}"}}
      - {{file: Past.csv, quote: "Yes, 61 people"}}
  - id: A-003
    section: 2 Fleet
    question: How many lorries do you run?
    answer: null
    answerable: false
    kind: unanswerable
"""

PAST = """\
file: Past.csv
title: Earlier questions
author: Tyneford
date: 2026-01-05
sheets:
  - name: Questions
    widths_chars: [5, 40, 40]
    preamble: [[Tyneford]]
    header: [Ref, Question, Answer]
    rows:
      - [Staff]
      - [T1, "Is there an office in Poland?", "Yes, 61 people"]
"""


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> DemoPaths:
    return build_demo(tmp_path_factory.mktemp("demo"))


@pytest.fixture
def make_sources(tmp_path: Path) -> Callable[..., Path]:
    def make(
        quote: str = "Keys are kept in Gdańsk",
        layout: str = "assessment",
        files: str = "Client-A.xlsx",
        document: str = DOCUMENT,
    ) -> Path:
        root = tmp_path / "sources"
        for folder, name, text in (
            ("documents", "note.md", document),
            ("questionnaires", "past-tyneford.yaml", PAST),
            ("gold", "client-a.yaml", GOLD.format(quote=quote, layout=layout, files=files)),
        ):
            (root / folder).mkdir(parents=True, exist_ok=True)
            (root / folder / name).write_text(text, encoding="utf-8")
        return root

    return make


def page_texts(path: Path) -> list[str]:
    document = pypdfium2.PdfDocument(path)
    return [page.get_textpage().get_text_bounded() for page in document]


def digests(root: Path) -> dict[str, str]:
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def parsed(name: str) -> Source:
    path = SOURCES / "documents" / name
    return parse(path.read_text(encoding="utf-8"), name)


@pytest.fixture(scope="session")
def pdfs() -> list[tuple[Source, Rendered]]:
    sources = [parsed(path.name) for path in sorted((SOURCES / "documents").glob("*.md"))]
    return [(source, pdf.render(source)) for source in sources if source.front.file.endswith(".pdf")]


def test_the_same_sources_give_the_same_bytes(demo: DemoPaths, tmp_path: Path) -> None:
    build_demo(tmp_path)
    assert digests(tmp_path) == digests(demo.corpus.parent)


def test_the_corpus_has_the_size_that_the_readme_promises(demo: DemoPaths) -> None:
    files = [path for path in demo.corpus.iterdir() if path.is_file()]
    assert len(files) >= 14
    assert sum(len(page_texts(path)) for path in files if path.suffix == ".pdf") >= 120


def test_office_files_open_and_carry_the_date_of_their_source(demo: DemoPaths) -> None:
    word = docx.Document(str(demo.corpus / "Data-Processing-Agreement.docx"))
    assert word.core_properties.modified is not None
    assert word.core_properties.modified.date().isoformat() == "2026-09-01"
    assert any("Gdańsk" in cell.text for table in word.tables for row in table.rows for cell in row.cells)
    deck = pptx.Presentation(str(demo.corpus / "Platform-Overview.pptx"))
    assert len(deck.slides) == 15
    assert sum(slide.has_notes_slide for slide in deck.slides) == 14
    book = openpyxl.load_workbook(demo.corpus / "Past-Questionnaire-Albion-Housing-2025.xlsx")
    assert len(book.worksheets) == 2
    assert all(sheet.merged_cells.ranges for sheet in book.worksheets)
    assert book.properties.modified.date().isoformat() == "2025-06-12"


def test_names_with_accents_come_back_from_a_pdf(demo: DemoPaths) -> None:
    text = " ".join(page_texts(demo.corpus / "Privacy-and-Data-Protection-Policy.pdf"))
    assert "Montréal" in text
    assert "Gdansk" in text  # the standard fonts have no ń
    assert not {"\ufffd", "\u25a0"} & set(text)


def test_every_line_of_a_pdf_stands_on_the_page_that_its_passage_names(
    demo: DemoPaths, pdfs: list[tuple[Source, Rendered]]
) -> None:
    """The builder's own record against what a PDF reader finds on the page."""
    for source, rendered in pdfs:
        pages = [set(words(text)) for text in page_texts(demo.corpus / source.front.file)]
        title_page = {line.number for line in source.title_lines}
        for passage in rendered.passages:
            assert passage.place.page is not None
            if passage.line not in title_page:
                assert set(words(passage.text)) <= pages[passage.place.page - 1], (source.front.file, passage)


def test_no_word_of_a_source_is_left_out(pdfs: list[tuple[Source, Rendered]]) -> None:
    for source, rendered in pdfs:
        drawn: dict[int, list[str]] = defaultdict(list)
        for passage in rendered.passages:
            drawn[passage.line] += words(passage.text)
        for block in source.blocks:
            caption = block.caption.number if isinstance(block, Table) else None
            for line in lines_of(block):
                expected = words(settable(line.text))
                start = 2 if line.number == caption else 0  # Table 3: …
                assert drawn[line.number][start : start + len(expected)] == expected, (
                    source.front.file,
                    line,
                )


def test_some_lines_run_over_a_page_end(pdfs: list[tuple[Source, Rendered]]) -> None:
    for _, rendered in pdfs:
        pages: dict[int, set[int | None]] = defaultdict(set)
        for passage in rendered.passages:
            pages[passage.line].add(passage.place.page)
        assert any(len(numbers) == 2 for numbers in pages.values())


def test_pdf_contents_footers_and_bookmarks(demo: DemoPaths) -> None:
    path = demo.corpus / "Service-Level-Agreement.pdf"
    texts = page_texts(path)
    assert all(f"Page {number} of {len(texts)}" in text for number, text in enumerate(texts[1:], 2))
    assert "Contents" in texts[1]
    document = pypdfium2.PdfDocument(path)
    assert document.get_metadata_value("Title") == "Service Level Agreement"
    assert document.get_metadata_value("CreationDate").startswith("D:20260701")
    titles = [bookmark.get_title() for bookmark in document.get_toc()]
    assert titles[0] == "1 Purpose and scope"


def test_gold_resolves_to_pages_and_rows(make_sources: Callable[..., Path], tmp_path: Path) -> None:
    paths = build_demo(tmp_path / "out", make_sources())
    lines = [json.loads(line) for line in (paths.gold / "client-a.jsonl").read_text("utf-8").splitlines()]
    assert lines == [
        {
            "id": "A-001",
            "question": "How often are tenant keys rotated?",
            "answer": "Every 12 months.",
            "answerable": True,
            "kind": "table",
            "evidence": [{"file": "Note.pdf", "page": 3}],
        },
        {
            "id": "A-002",
            "question": "Is there an office in Gdańsk?",
            "answer": "Yes.",
            "answerable": True,
            "kind": "two-passages",
            "verdict": "yes",
            "evidence": [{"file": "Note.pdf", "page": 3}, {"file": "Past.csv", "page": None, "row": 4}],
        },
        {
            "id": "A-003",
            "question": "How many lorries do you run?",
            "answer": None,
            "answerable": False,
            "kind": "unanswerable",
            "evidence": [],
        },
    ]


def test_a_quote_that_no_line_holds_is_an_error_that_names_the_item(
    make_sources: Callable[..., Path], tmp_path: Path
) -> None:
    with pytest.raises(GoldError, match=r"item A-002: Note\.pdf: the quote 'Keys are kept in Oslo' stands nowhere"):
        build_demo(tmp_path / "out", make_sources(quote="Keys are kept in Oslo"))
    assert not (tmp_path / "out").exists()


def test_a_quote_that_two_lines_hold_is_an_error(make_sources: Callable[..., Path], tmp_path: Path) -> None:
    with pytest.raises(GoldError, match=r"item A-002: .* on page 3 and on page 3"):
        build_demo(tmp_path / "out", make_sources(quote="bullet"))


def test_an_assessment_has_a_dropdown_and_empty_answers(make_sources: Callable[..., Path], tmp_path: Path) -> None:
    paths = build_demo(tmp_path / "out", make_sources())
    book = openpyxl.load_workbook(paths.questionnaires / "Client-A.xlsx")
    assert book.sheetnames == ["Instructions", "Questionnaire"]
    sheet = book["Questionnaire"]
    assert [[cell.value for cell in row] for row in sheet.iter_rows(min_row=4)] == [
        ["Ref", "Question", "Answer", "Comments"],
        ["1 Keys", None, None, None],
        ["A-001", "How often are tenant keys rotated?", None, None],
        ["A-002", "Is there an office in Gdańsk?", None, None],
        ["2 Fleet", None, None, None],
        ["A-003", "How many lorries do you run?", None, None],
    ]
    assert sheet.freeze_panes == "A5"
    (dropdown,) = sheet.data_validations.dataValidation
    assert (dropdown.formula1, str(dropdown.sqref)) == ('"Yes,No,Partial,NA"', "C5:C9")


def test_requirements_come_as_xlsx_and_csv(make_sources: Callable[..., Path], tmp_path: Path) -> None:
    paths = build_demo(tmp_path / "out", make_sources(layout="requirements", files="B.xlsx, B.csv"))
    with (paths.questionnaires / "B.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[:2] == [
        ["No.", "Section", "Requirement", "Supplier response"],
        ["A-001", "1 Keys", "How often are tenant keys rotated?", ""],
    ]
    sheet = openpyxl.load_workbook(paths.questionnaires / "B.xlsx").worksheets[0]
    assert [cell.value for cell in sheet[4]] == rows[0]


def test_csv_rows_are_counted_as_a_spreadsheet_shows_them(demo: DemoPaths) -> None:
    path = SOURCES / "questionnaires" / "past-tyneford-council-2026.yaml"
    workbook = load(path.read_text(encoding="utf-8"), sheets.Workbook, path.name)
    with (demo.corpus / workbook.file).open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    for passage in sheets.render(workbook).passages:
        assert passage.place.row is not None
        assert " | ".join(rows[passage.place.row - 1]).startswith(passage.text)


def test_source_blocks_keep_their_line_numbers() -> None:
    source = parse(DOCUMENT, "note.md")
    assert source.front.version == "1.10"
    items, table = source.blocks[2:]
    assert isinstance(items, Items) and [line.number for line in items.lines] == [15, 16]
    assert isinstance(table, Table) and table.rows[1] == (22, ("Root key", "24"))
    assert sum(column_widths(table, 80)) == pytest.approx(80)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("Some **bold** text", "note.md:11: not in the Markdown subset"),
        ("| a | b |", "note.md:11: a table needs a line 'Table: caption'"),
        ("Table: empty", "note.md:11: a table is a header row"),
    ],
)
def test_what_is_not_in_the_subset_is_refused(line: str, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        parse(DOCUMENT.replace("# 1 Offices", line), "note.md")


def test_a_glyph_that_the_font_lacks_is_refused() -> None:
    with pytest.raises(SourceError, match=r"Note\.pdf: no glyph for '→'"):
        pdf.render(parse(DOCUMENT.replace("Keys are", "Keys → are"), "note.md"))


@pytest.mark.parametrize(
    ("quote", "places"),
    [
        ("alpha beta", (Place(1),)),
        ("Beta, GAMMA", (Place(1), Place(2))),
        ("gamma delta", (Place(2),)),
        ("| gamma | delta |", (Place(2),)),
    ],
)
def test_a_quote_over_a_page_end_has_both_pages(quote: str, places: tuple[Place, ...]) -> None:
    line = [Passage(7, "Alpha béta", Place(1)), Passage(7, "gamma delta", Place(2))]
    other = Passage(8, "delta epsilon", Place(2))
    assert Concordance([*line, other]).locate(quote) == places


@pytest.mark.parametrize("quote", ["", "...", "alph", "beta delta"])
def test_words_are_matched_whole_and_in_order(quote: str) -> None:
    with pytest.raises(QuoteError):
        Concordance([Passage(1, "alpha beta gamma delta", Place(1))]).locate(quote)


@pytest.mark.parametrize(
    ("question", "evidence", "share"),
    [
        ("How often are the tenant keys rotated?", "Tenant keys are rotated yearly.", 1.0),
        ("How often are tenant keys rotated?", "The key of a TENANT changes.", 1 / 3),
        ("Which of the two is it?", "It is this.", None),
        ("Backups?", "", 0.0),
    ],
)
def test_overlap_counts_content_words(question: str, evidence: str, share: float | None) -> None:
    assert overlap(question, evidence) == (None if share is None else pytest.approx(share))


def test_the_command_reports_its_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert build.main([]) == 2
    assert "usage" in capsys.readouterr().err
