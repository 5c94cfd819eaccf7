"""Which spans of a chunk may be quoted, and how they read in an answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.answering.quotes.passages import heads_a_table, joined_passages, passages_of
from tasks.records import Chunk, Hit, PageSpan
from tests.made.chunks import chunk_of


def hit_of(chunk: Chunk) -> Hit:
    return Hit("q", 1, chunk, 0.9, 0.9, 0.9, 0.9)


def test_a_row_of_a_table_reads_as_its_first_cell_and_what_the_others_say_of_it() -> None:
    chunk = chunk_of("Turnover, year to 31 March 2026 | £23.8 million\nResult after tax, same year | £1.9 million")
    passages = list(passages_of(hit_of(chunk)))
    assert [passage.quote for passage in passages] == chunk.text.splitlines()
    said = "Turnover, year to 31 March 2026: £23.8 million; Result after tax, same year: £1.9 million"
    assert joined_passages(passages) == said


INSURED = (
    "Cover | Limit | Basis | Excess\nIndemnity | £5 million | Each claim | £25,000\nCyber | £5 million | In all | None"
)


def test_a_row_below_the_titles_of_its_columns_is_said_with_them() -> None:
    titles, row, last = passages_of(hit_of(chunk_of(f"4 Insurance\nInsurance cover\n{INSURED}")))
    assert row.text == "Cover: Indemnity; Limit: £5 million; Basis: Each claim; Excess: £25,000"
    assert row.quote == "Indemnity | £5 million | Each claim | £25,000", "the quote is verbatim"
    assert last.text.endswith("; Excess: None") and titles.text == "Cover: Limit; Basis; Excess"


@pytest.mark.parametrize(
    "above",
    [
        "",
        "Cover | Limit\n",
        "March 2025 | 6 h 55 min | 3 h 50 min | Met\n",
        "Cover | Cover | Basis | Excess\n",
        "Cover | Limit | Basis | Excess\nNot a row of it.\n",
    ],
)
def test_without_titles_above_it_a_row_is_told_by_its_first_cell(above: str) -> None:
    *_, row = passages_of(hit_of(chunk_of(f"It covers this:\n{above}Indemnity | £5 million | Each claim | £25,000")))
    assert row.text == "Indemnity: £5 million; Each claim; £25,000"


def test_where_a_chunk_begins_with_a_row_that_may_be_any_of_the_table() -> None:
    *_, row = passages_of(
        hit_of(chunk_of("SharePoint | Archive | Out | Plus\nBorough One | Revenues | Out | Enterprise"))
    )
    assert row.text == "Borough One: Revenues; Out; Enterprise"


def test_an_empty_cell_is_not_told_below_its_title() -> None:
    table = (
        "Control | Yes | No | Notes\nEscrow of the source | – | No: x | –\nKeys | Yes: x | – | Yours or ours to keep"
    )
    _, escrow, keys = (row.text for row in passages_of(hit_of(chunk_of(f"Of the contract:\n{table}"))))
    assert escrow == "Control: Escrow of the source; No: x"
    assert keys == "Control: Keys; Yes: x; Notes: Yours or ours to keep"


def test_titles_may_have_a_day() -> None:
    table = "Exercise | Finding | State on 6 July 2026\nMarch 2025 | Cells in the wrong order | Closed May 2025"
    *_, row = passages_of(hit_of(chunk_of(f"Table 12: Findings\n{table}")))
    assert row.text.endswith("Finding: Cells in the wrong order; State on 6 July 2026: Closed May 2025")


def test_the_caption_above_the_titles_of_a_table_is_not_quoted() -> None:
    chunk = chunk_of(f"Insurance cover until 31 March 2027\n{INSURED}\nCertificates of insurance are sent on request.")
    caption, *rest = passages_of(hit_of(chunk))
    assert heads_a_table(caption) and caption.quote.startswith("Insurance cover")
    assert not heads_a_table(rest[-1])


@pytest.mark.parametrize(
    "fact",
    [
        "30 days after the contract has ended",
        "99.9 per cent availability in every edition",
        "2.5 GB of storage for each user account",
        "4 Engineers on call at any hour",
    ],
)
def test_a_fact_that_begins_with_a_figure_and_has_no_stop_is_a_passage(fact: str) -> None:
    first = next(passages_of(hit_of(chunk_of(f"{fact}\nThe rest is told elsewhere in it."))))
    assert first.quote == fact


def test_of_the_contents_no_line_is_a_passage_and_what_follows_them_is() -> None:
    chunk = chunk_of(
        "1 Report of the independent auditor\n2 Assertion of the management\nThe opinion is not qualified."
    )
    after = replace(chunk, section_path="Contents")
    assert [passage.quote for passage in passages_of(hit_of(after))] == ["The opinion is not qualified."]
    assert len(list(passages_of(hit_of(chunk)))) == 3


def test_a_sign_is_no_bullet() -> None:
    (passage,) = passages_of(hit_of(chunk_of("– 20 degrees is the least that the disks may have.")))
    assert passage.text == passage.quote


def test_a_bullet_is_quoted_and_not_said() -> None:
    (passage,) = passages_of(hit_of(chunk_of("• Customer data is encrypted at rest.")))
    assert passage.quote.startswith("• ") and passage.text == "Customer data is encrypted at rest."


@pytest.mark.parametrize(
    "other",
    [
        "Table 2: Measured security objectives",
        "Figure 3.1 – Data flows between the sites",
        "11.1 Use of AI tools by staff",
        "Who may use the tools at work?",
        "Backups of the database ............... 12",
    ],
)
def test_what_says_nothing_is_no_passage(other: str) -> None:
    chunk = chunk_of(f"{other}\nBackups of the database are kept for 35 days.")
    assert [passage.quote for passage in passages_of(hit_of(chunk))] == [
        "Backups of the database are kept for 35 days."
    ]


def test_the_heading_of_its_section_is_no_passage_with_or_without_its_number() -> None:
    chunk = chunk_of("Keeping backups of the database\nBackups of the database are kept for 35 days.")
    titled = replace(chunk, section_path="Operations > 4.2 Keeping backups of the database")
    assert [passage.quote for passage in passages_of(hit_of(titled))] == [
        "Backups of the database are kept for 35 days."
    ]


def test_a_numbered_sentence_and_a_captioned_row_are_quoted() -> None:
    text = "3. Backups of the database are kept for 35 days.\nTable 2: Objectives | Phishing | 61% of staff reported it"
    assert len(list(passages_of(hit_of(chunk_of(text))))) == 2


def text_of(quoted: str) -> str:
    return next(p.text for p in passages_of(hit_of(chunk_of(quoted))))


def test_cells_of_whole_sentences_keep_their_own_stops() -> None:
    assert text_of("7 | Support | Engineers answer at any hour. | Advisors watch what it costs.") == (
        "7: Support; Engineers answer at any hour. Advisors watch what it costs."
    )
    assert text_of("Engineers answer at any hour. | Advisors watch what it costs.") == (
        "Engineers answer at any hour. Advisors watch what it costs."
    )


def test_a_row_that_a_page_cuts_between_two_cells_begins_and_ends_with_one() -> None:
    text = "Support and maintenance services | Engineers answer at any hour of the day."
    at = text.index("|")
    for turn in (at, at + 2):
        pages = (PageSpan(1, 0, turn), PageSpan(2, turn, len(text)))
        first, second = passages_of(hit_of(replace(chunk_of(text), page_spans=pages)))
        assert (first.text, second.text) == (
            "Support and maintenance services …",
            "… Engineers answer at any hour of the day.",
        )
        assert text[second.start : second.end] == second.quote == "Engineers answer at any hour of the day."


def test_a_line_that_begins_small_goes_on_from_one_before_it() -> None:
    text = "Ventures qualify as follows; and\nif a joint venture, is made up of residents of the state."
    assert [p.begins_midway for p in passages_of(hit_of(chunk_of(text)))] == [False, True]
    for whole in (
        "b) Staff report what they have lost.",
        "e-mail | is kept for one year",
        "Staff report what is lost.",
    ):
        (*_, last) = passages_of(hit_of(chunk_of(f"Mind the following rules of the house.\n{whole}")))
        assert (last.quote, last.begins_midway) == (whole, False)


def test_the_titles_of_a_table_are_no_fact() -> None:
    table = "Role | Meant for | Administrator role\nRecords Officer | Those who keep records | Yes, by approval"
    found = {p.quote: heads_a_table(p) for p in passages_of(hit_of(chunk_of(f"Standard roles are these.\n{table}")))}
    assert found[table.splitlines()[0]] and not found[table.splitlines()[1]]
    assert not any(map(heads_a_table, passages_of(hit_of(chunk_of(table))))), "the table may have begun before"
    again = f"{table}\n\nRole | Meant for | Administrator role\nQueue Manager | Those who share out work | No"
    heads = [heads_a_table(p) for p in passages_of(hit_of(chunk_of(again)))]
    assert heads == [True, False, True, False], "said again where the table goes on"


def test_a_sentence_that_goes_over_a_page_is_quoted_page_by_page_and_shows_that_it_goes_on() -> None:
    text = "Backups of the production database are kept for 35 days and are then destroyed by the provider."
    at = text.index("are kept")
    spans = (PageSpan(1, 0, at), PageSpan(2, at, len(text)))
    first, second = passages_of(hit_of(replace(chunk_of(text), page_spans=spans)))
    assert (first.page_number, first.quote.strip()) == (1, text[:at].strip())
    assert first.text.endswith("database …") and not first.text.startswith("…")
    assert second.page_number == 2 and second.text.startswith("… are kept") and second.text.endswith("provider.")


@pytest.mark.parametrize(
    ("above", "below", "goes_on"),
    [
        ("We do not set up tunnels of any kind", "between the networks of customers either.", True),
        ("We do not set up tunnels of any kind.", "between the networks of customers either.", False),
        ("We do not set up tunnels of any kind", "Between networks there is a gateway for all.", False),
        ("Tunnels between sites and offices | No, at no site", "between networks | No", False),
        ("We do not set up tunnels of any kind", "b) Networks are kept apart at every site.", False),
    ],
)
def test_a_sentence_whose_paragraph_the_end_of_a_page_cuts_shows_that_it_goes_on(
    above: str, below: str, goes_on: bool
) -> None:
    text = f"{above}\n\n{below}"
    spans = (PageSpan(16, 0, len(above)), PageSpan(17, len(above) + 2, len(text)))
    first, *_ = passages_of(hit_of(replace(chunk_of(text), page_spans=spans)))
    assert (first.quote, first.ends_midway) == (above, goes_on)
    on_one_page, *_ = passages_of(hit_of(replace(chunk_of(text), page_spans=(PageSpan(16, 0, len(text)),))))
    assert not on_one_page.ends_midway, "a short line of its page is whole"


def test_a_chunk_that_begins_in_a_sentence_shows_it() -> None:
    chunk = chunk_of(
        "accounts are closed within one working day of the last day of work. Keys are returned to the desk."
    )
    later = chunk_of(chunk.text, start=100)
    first, second = passages_of(hit_of(later))
    assert first.text.startswith("… accounts") and second.text == "Keys are returned to the desk."
    assert next(passages_of(hit_of(chunk))).text.startswith("accounts"), "the document begins so"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("24%\nImprovement in the rate of incidents since 2019", "24% Improvement in the rate of incidents since 2019"),
        ("Year\n$3.3B\n\nSpent with 375 certified suppliers", "$3.3B Spent with 375 certified suppliers"),
        ("2M+\nTons of packaging avoided since 2015", "2M+ Tons of packaging avoided since 2015"),
        # A page's number, a step's, and what a table says.
        ("12\nBackups are kept for ninety days.", "Backups are kept for ninety days."),
        ("Step 3\nConfirm the order with the customer", "Confirm the order with the customer"),
        ("24%\nRate of incidents | 2019 | 2022 | since 2019", "Rate of incidents: 2019; 2022; since 2019"),
    ],
)
def test_the_figure_of_a_tile_is_quoted_with_what_it_counts(text: str, said: str) -> None:
    (passage,) = passages_of(hit_of(chunk_of(text)))
    assert passage.text == said and passage.quote in text
