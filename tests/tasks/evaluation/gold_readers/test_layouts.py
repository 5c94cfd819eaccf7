"""Each reader on a small file in exactly its layout, with questions of our own."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from openpyxl import Workbook

from flows.cli import gold_command
from tasks.errors import UsageError
from tasks.evaluation.gold_readers.layouts import LAYOUTS, import_gold
from tasks.evaluation.gold_readers.source import Imported, file_stem
from tasks.questionnaires.completed.completed_rows import DRAFTS
from tasks.records import GoldEvidence, GoldQuestion

PASSAGES = [
    {"passage": "The lighthouse was lit in 1871.", "id": 7},
    {"passage": "Its keeper rows.", "id": 8},
    {"passage": "nan", "id": 9},
]


def written(path: Path, content: Any) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(content), path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in content), encoding="utf-8")
    elif path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(content[0]))
            writer.writeheader()
            writer.writerows(content)
    else:
        path.write_text(json.dumps(content), encoding="utf-8")
    return str(path)


def read(path: str, layout: str, passages: str | None = None) -> Imported:
    """The file, which shows its layout itself."""
    name, found = import_gold(path, None, passages)
    assert name == layout
    assert import_gold(path, layout, passages) == (name, found)
    return found


def at(*names: str) -> tuple[GoldEvidence, ...]:
    return tuple(GoldEvidence(name, None) for name in names)


def test_rag_mini_bioasq_as_hugging_face_lays_it_out(tmp_path: Path) -> None:
    written(tmp_path / "data" / "passages.parquet" / "part.0.parquet", PASSAGES)
    rows = [
        {"question": "When was it lit?", "answer": "In 1871.", "relevant_passage_ids": "[7, 9]", "id": 1},
        {"question": "Does the keeper row?", "answer": "Yes, he does.", "relevant_passage_ids": "[8, 7]", "id": 2},
        {"question": "When was it lit?", "answer": "Twice.", "relevant_passage_ids": "[]", "id": 1},
    ]
    written(tmp_path / "data" / "test.parquet" / "part.0.parquet", rows)
    found = read(str(tmp_path / "data" / "test.parquet"), "rag-mini-bioasq")
    assert found.questions == [
        GoldQuestion("1", "When was it lit?", True, "In 1871.", None, at("passage-7.txt")),
        GoldQuestion("2", "Does the keeper row?", True, "Yes, he does.", "yes", at("passage-8.txt", "passage-7.txt")),
    ]
    assert found.documents == {
        "passage-7.txt": "The lighthouse was lit in 1871.\n",
        "passage-8.txt": "Its keeper rows.\n",
    }
    assert found.left_out == {
        "passages that have no text": 1,
        "relevant passages that have no text": 1,
        "questions whose id is there already": 1,
    }


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
def test_rag_mini_wikipedia_names_no_passages(tmp_path: Path, suffix: str) -> None:
    beside = written(tmp_path / f"texts.{suffix}", PASSAGES[:2])
    rows = [{"question": "Was it lit in 1871?", "answer": "yes", "id": 0}, {"question": " ", "answer": "", "id": 1}]
    found = read(written(tmp_path / f"test.{suffix}", rows), "rag-mini-wikipedia", beside)
    assert found.questions == [GoldQuestion("0", "Was it lit in 1871?", True, "yes", "yes")]
    assert list(found.documents) == ["passage-7.txt", "passage-8.txt"]
    assert found.left_out == {"rows without a question": 1}


def test_lists_of_ids_in_jsonl_with_passages_beside(tmp_path: Path) -> None:
    written(tmp_path / "passages.jsonl", PASSAGES)
    rows = [{"question": "When?", "answer": "In 1871.", "relevant_passage_ids": [7], "id": "a"}]
    found = read(written(tmp_path / "test.jsonl", rows), "rag-mini-bioasq")
    assert found.questions == [GoldQuestion("a", "When?", True, "In 1871.", None, at("passage-7.txt"))]


def test_squad_with_and_without_what_is_impossible(tmp_path: Path) -> None:
    answers = [{"text": text, "answer_start": 4} for text in ("the harbour", "harbour", "harbour")]
    asked = [
        {"id": "q1", "question": "What does it  watch?", "answers": answers, "is_impossible": False},
        {"id": "q2", "question": "Who built it?", "answers": [], "plausible_answers": answers, "is_impossible": True},
    ]
    first = {"context": "It watches the harbour.", "qas": asked}
    old = {"context": "It is red.", "qas": [{"id": "q3", "question": "Which colour?", "answers": [{"text": "red"}]}]}
    articles = [{"title": "Old_Light", "paragraphs": [first, old]}]
    found = read(written(tmp_path / "dev.json", {"version": "v2.0", "data": articles}), "squad")
    assert found.questions == [
        GoldQuestion("q1", "What does it watch?", True, "harbour", None, at("Old_Light-001.md")),
        GoldQuestion("q2", "Who built it?", False),
        GoldQuestion("q3", "Which colour?", True, "red", None, at("Old_Light-002.md")),
    ]
    assert found.documents["Old_Light-001.md"] == "# Old Light\n\nIt watches the harbour.\n"


def test_bioasq_s_four_types(tmp_path: Path) -> None:
    url = "http://www.ncbi.nlm.nih.gov/pubmed/"
    where = {"beginSection": "abstract", "endSection": "abstract", "offsetInBeginSection": 0, "offsetInEndSection": 9}

    def asked(number: str, kind: str, exact: Any, *snippets: tuple[str, str], **more: Any) -> dict[str, Any]:
        quoted = [{"document": url + name, "text": text, **where} for name, text in snippets]
        question = {"id": number, "type": kind, "body": f"About {kind}?", "ideal_answer": ["At length."]}
        return question | {"snippets": quoted, "concepts": [], **({"exact_answer": exact} if exact else {})} | more

    content = {
        "questions": [
            asked("1", "yesno", "no", ("11", "It is not."), documents=[url + "11", url + "99"]),
            asked("2", "factoid", [["BRCA1", "breast cancer 1"]], ("11", "It is not."), ("12", "A gene.")),
            asked("3", "list", [["a", "A"], ["b"]], ("12", "A gene.")),
            asked("4", "summary", None, ("12", "And more."), ("12", " ")),
        ]
    }
    found = read(written(tmp_path / "training.json", content), "bioasq")
    told = [(one.answer, one.verdict, [place.file_name for place in one.evidence]) for one in found.questions]
    assert told == [
        ("At length.", "no", ["pubmed-11.txt"]),
        ("BRCA1", None, ["pubmed-11.txt", "pubmed-12.txt"]),
        ("a; b", None, ["pubmed-12.txt"]),
        ("At length.", None, ["pubmed-12.txt"]),
    ]
    assert found.documents == {"pubmed-11.txt": "It is not.\n", "pubmed-12.txt": "A gene.\n\nAnd more.\n"}
    assert found.left_out == {"documents that no snippet quotes": 1, "snippets that have no text": 1}


def test_financebench_counts_pages_from_0(tmp_path: Path) -> None:
    evidence = [
        {"evidence_text": "Sales …", "doc_name": "ACME_2022_10K", "evidence_page_num": 59},
        {"evidence_text": "Costs …", "evidence_doc_name": "ACME_2021_10K", "evidence_page_num": 0},
        {"evidence_text": "…", "evidence_page_num": None},
    ]
    row: dict[str, Any] = {"financebench_id": "financebench_id_1", "doc_name": "ACME_2022_10K", "company": "Acme"}
    row |= {"question": "Is Acme growing?", "answer": "No, sales fell.", "evidence": evidence}
    found = read(written(tmp_path / "open_source.jsonl", [row]), "financebench")
    places = (GoldEvidence("ACME_2022_10K.pdf", 60), GoldEvidence("ACME_2021_10K.pdf", 1))
    assert found.questions == [
        GoldQuestion("financebench_id_1", "Is Acme growing?", True, "No, sales fell.", "no", places)
    ]
    assert found.left_out == {"evidence without a page": 1} and not found.documents


def test_llamaindex_contexts_are_documents(tmp_path: Path) -> None:
    by = {"model_name": "m", "type": "ai"}
    example: dict[str, Any] = {
        "query": "What did she paint?",
        "query_by": by,
        "reference_contexts": ["She painted boats.", "And sky."],
    }
    example |= {"reference_answer": "Boats.", "reference_answer_by": by}
    content = {"class_name": "LabelledRagDataset", "examples": [example, example]}
    found = read(written(tmp_path / "rag_dataset.json", content), "llamaindex")
    (question,) = found.questions
    assert (question.question, question.answer) == ("What did she paint?", "Boats.")
    assert [found.documents[place.file_name] for place in question.evidence] == ["She painted boats.\n", "And sky.\n"]
    assert found.left_out == {"questions whose id is there already": 1}


def workbook(path: Path, *rows: tuple[str, ...]) -> str:
    book = Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)
    return str(path)


def test_a_completed_questionnaire_gives_verdicts_and_is_held_out(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "past.xlsx",
        ("Ref", "Question", "Answer", "Comments"),
        ("A1", "Do you encrypt backups?", "Yes", "With AES-256."),
        ("A2", "Do you support SAML?", "No, only OpenID Connect.", ""),
        ("A3", "Where do you host?", "In Dublin.", ""),
        ("A4", "Do you run a SOC?", "N/A", ""),
        ("A5", "Do you sleep?", "", ""),
    )
    found = read(path, "questionnaire")
    assert [(one.question, one.verdict, one.answer) for one in found.questions] == [
        ("Do you encrypt backups?", "yes", "With AES-256."),
        ("Do you support SAML?", "no", "No, only OpenID Connect."),
        ("Where do you host?", None, "In Dublin."),
        ("Do you run a SOC?", "not_applicable", None),
    ]
    assert {(one.held_out, one.questionnaire, one.evidence) for one in found.questions} == {
        (("past.xlsx",), "past.xlsx", ())
    }
    assert found.left_out == {"questions that nobody has answered": 1}


def test_a_question_with_two_verdicts_judges_nobody(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "past.xlsx",
        ("Question", "Answer", "Comments"),
        ("Do you encrypt backups?", "Yes", ""),
        ("Do you support SAML?", "Yes", ""),
        ("Do you  encrypt Backups?", "No", "Not all of them."),
        ("Do you support SAML?", "Yes", "Version 2.0."),
    )
    found = read(path, "questionnaire")
    assert [(one.question, one.verdict) for one in found.questions] == [("Do you support SAML?", "yes")] * 2
    assert found.left_out == {"rows whose question another row answers with another verdict": 2}


def test_what_bidfolio_drafted_judges_it_only_once_a_person_approved_it(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "filled.xlsx",
        ("Ref", "Question", "Answer", "bidfolio status"),
        ("A1", "Do you encrypt backups?", "Yes", "answered"),
        ("A2", "Where do you host?", "In Dublin.", ""),
        ("A3", "Who audits you?", "Marlow LLP.", "Approved, J. Doe"),
    )
    found = read(path, "questionnaire")
    assert [one.question for one in found.questions] == ["Where do you host?", "Who audits you?"]
    assert found.left_out == {DRAFTS: 1}


def test_a_questionnaire_in_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "past.csv"
    path.write_bytes("Ref;Question;Answer\n1;Do you host in Zürich?;Yes. In Zürich.\n".encode("cp1252"))
    (question,) = read(str(path), "questionnaire").questions
    assert (question.question, question.verdict) == ("Do you host in Zürich?", "yes")


@pytest.mark.parametrize(
    ("name", "content", "layout", "reason"),
    [
        ("x.json", {"papers": []}, None, "in no layout that is known .*squad.*--layout"),
        ("x.json", {"data": [{"paragraphs": [{"qas": []}], "title": "T"}]}, None, "layout squad: 'context' is missing"),
        ("x.json", {"data": []}, "llamaindex", "not in the layout llamaindex: 'examples' is missing"),
        ("x.jsonl", [{"id": "1", "question": "A?", "answerable": True}], None, "a gold set already"),
        ("x.json", {"data": [{"title": "T", "paragraphs": []}]}, None, "gives no question"),
        (
            "x.jsonl",
            [{"question": "A?", "answer": "B", "id": 1, "relevant_passage_ids": "7"}],
            None,
            "relevant_passage_ids: a list is expected",
        ),
    ],
)
def test_a_file_that_cannot_be_imported_says_why(
    tmp_path: Path, name: str, content: Any, layout: str | None, reason: str
) -> None:
    path = written(tmp_path / name, content)
    with pytest.raises(UsageError, match=reason) as refused:
        import_gold(path, layout, None)
    assert path in str(refused.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for text, reason in (
        (None, r"there is no file .*x\.json$"),
        ("{", r"cannot read .*x\.json, as it is not JSON: .*; a completed questionnaire is one of \.xls"),
        ('{"data": null}', r"x\.json is not in the layout squad: it is made otherwise$"),
    ):
        if text is not None:
            path.write_text(text, encoding="utf-8")
        with pytest.raises(UsageError, match=reason):
            import_gold(str(path), "squad", None)


def test_a_file_s_name_has_no_step_out_of_its_folder_and_stays_its_own() -> None:
    assert file_stem("passage", "7") == "passage-7"
    odd = [file_stem("passage", name) for name in ("../../etc", "a/b", "a b", "é", ".")]
    assert len(set(odd)) == 5 and not any("/" in name or name.startswith(".") for name in odd)


def test_the_command_line_offers_every_layout() -> None:
    assert gold_command.LAYOUTS == LAYOUTS


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("x.json", "", r"there is nothing in .*x\.json$"),
        ("x.json", "[]", r"there is nothing in .*x\.json$"),
        ("x.jsonl", "\n", r"there is nothing in .*x\.jsonl$"),
        ("x.csv", "", r"there is nothing in .*x\.csv$"),
        ("x.csv", "No,Question,Answer\n1,Do you host?,\n", r"gives no question: 1 questions that nobody has answered$"),
        ("x/readme.csv", "", r"x is a folder without Parquet files: name the file$"),
    ],
    ids=["empty JSON", "empty list", "empty JSONL", "empty CSV", "nothing answered", "folder"],
)
def test_what_has_no_question_says_so_and_not_that_its_layout_is_unknown(
    name: str, text: str, reason: str, tmp_path: Path
) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=reason):
        import_gold(str(tmp_path / name.split("/")[0]), None, None)
