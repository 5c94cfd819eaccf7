from __future__ import annotations

import pytest

from tasks.errors import UsageError
from tasks.evaluation.gold.gold_corpus import in_corpus, page_counts
from tasks.evaluation.gold.gold_set import GoldLine
from tasks.records import GoldEvidence, GoldQuestion

LAST_PAGES = {"a/policy.pdf": 2, "notes.md": 0, "broken.pdf": None, "old/report.pdf": 3, "new/report.pdf": 5}


def line(number: int, *evidence: GoldEvidence, held_out: tuple[str, ...] = (), empty: bool = False) -> GoldLine:
    question = GoldQuestion(str(number), "Where?", True, evidence=evidence, held_out=held_out)
    return GoldLine(number, question, empty)


@pytest.mark.parametrize(
    ("file", "page", "fault"),
    [
        ("policy.pdf", 2, ""),
        ("policy.pdf", 3, "policy.pdf has no page 3: it has 2"),
        ("policy.pdf", None, "it names no page of policy.pdf, which has 2"),
        ("notes.md", None, ""),
        ("notes.md", 1, "notes.md has no page 1: it has no pages"),
        ("report.pdf", 5, ""),
        ("report.pdf", 6, "report.pdf has no page 6: it has 5"),
        ("broken.pdf", 99, ""),
        ("gone.pdf", 1, "the corpus has no file gone.pdf"),
    ],
)
def test_a_place_that_is_not_there_is_named_and_goes(file: str, page: int | None, fault: str) -> None:
    known, asked = GoldEvidence("policy.pdf", 1), GoldEvidence(file, page)
    found = in_corpus([line(4, known, asked)], "c", LAST_PAGES)
    assert found.faults == ((f"line 4: {fault}",) if fault else ())
    assert found.questions[0].evidence == ((known,) if fault else (known, asked))


def test_an_empty_answer_is_told() -> None:
    assert in_corpus([line(2, empty=True)], "c", LAST_PAGES).faults == (
        "line 2: the answer is empty: it counts as not known",
    )


def test_what_is_held_out_is_named_as_the_corpus_has_it_and_answers_nothing() -> None:
    lines = [line(1, held_out=("report.pdf", "elsewhere.pdf")), line(2, GoldEvidence("report.pdf", 1))]
    found = in_corpus([*lines, line(3, GoldEvidence("notes.md", None))], "c", LAST_PAGES)
    assert found.held_out == ("new/report.pdf", "old/report.pdf")
    assert found.faults == ("line 2: report.pdf is held out by the gold set itself",)
    assert found.questions[1].evidence == ()


def test_a_gold_set_of_another_corpus_is_refused() -> None:
    with pytest.raises(UsageError, match=r"the corpus 'c' has none of the 1 files .*gone\.pdf"):
        in_corpus([line(1, GoldEvidence("gone.pdf", 1)), line(2)], "c", LAST_PAGES)
    with pytest.raises(UsageError, match="holds out every document"):
        in_corpus([line(1, held_out=("a.pdf",))], "c", {"a.pdf": 1})


def test_pages_are_counted_from_the_lake_s_rows() -> None:
    documents = [{"file_name": name, "status": "indexed"} for name in ("a.pdf", "b.md")]
    documents.append({"file_name": "c.pdf", "status": "quarantined"})
    places = (("a.pdf", 2), ("a.pdf", 1), ("b.md", None))
    pages = [{"file_name": name, "page_number": number} for name, number in places]
    assert page_counts(documents, pages) == {"a.pdf": 2, "b.md": 0, "c.pdf": None}
