"""Which documents a scope lets in, and what it says where it lets in none."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from tasks.errors import UsageError
from tasks.retrieval.queries.scope import EVERYTHING, Scope, resolved

FILES: dict[str, date | None] = {
    "rfp.eml": date(2026, 3, 1),
    "rfp.eml/annex_1.pdf": date(2026, 2, 1),
    "policies/it's 100%.pdf": date(2025, 6, 1),
    "policies/it's 100x.pdf": date(2025, 7, 1),
    "policies/a_b.docx": None,
    "policies/aXb.docx": None,
    "past/Größe.xlsx": date(2024, 1, 1),
    "past/deep/2023.csv": date(2023, 1, 1),
    "offers/offer [final].txt": date(2022, 1, 1),
    "offers/a\\b.txt": date(2022, 1, 1),
}
TAGS = {"past": ("past/**",), "idle": ("nothing/**",)}


def rows() -> list[dict[str, Any]]:
    found = [
        {
            "file_name": name,
            "status": "indexed",
            "kind": name.rpartition(".")[2],
            "document_date": day if day and day.month != 7 else None,
            "file_date": day and date(2025, 7, 1),
        }
        for name, day in FILES.items()
    ]
    lost = {"file_name": "policies/scan.pdf", "status": "quarantined", "kind": None}
    return [*found, lost | {"document_date": None, "file_date": None}]


def let_in(**given: Any) -> set[str]:
    found = resolved(Scope.of(**given), rows(), TAGS)
    assert found.file_names | found.others == set(FILES) and not found.file_names & found.others
    return set(found.file_names)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"files": ["*100%.pdf"]}, {"policies/it's 100%.pdf"}),
        ({"files": ["policies/a_b.docx"]}, {"policies/a_b.docx"}),
        ({"files": ["rfp.eml"]}, {"rfp.eml", "rfp.eml/annex_1.pdf"}),
        ({"folders": ["rfp.eml"]}, {"rfp.eml", "rfp.eml/annex_1.pdf"}),
        ({"folders": ["past/deep/"]}, {"past/deep/2023.csv"}),
        ({"folders": ["Past"]}, {"past/Größe.xlsx", "past/deep/2023.csv"}),
        ({"files": ["Gro\u0308\u00dfe.xlsx"]}, {"past/Größe.xlsx"}),
        ({"files": ["offer [final].txt"]}, {"offers/offer [final].txt"}),
        ({"files": ["Offers/offer [FINAL].txt"]}, {"offers/offer [final].txt"}),
        ({"files": ["a\\b.txt"]}, {"offers/a\\b.txt"}),
        ({"tags": ["past"]}, {"past/Größe.xlsx", "past/deep/2023.csv"}),
        ({"tags": ["past"], "files": ["rfp.eml"], "kinds": ["sheet"]}, {"past/Größe.xlsx", "past/deep/2023.csv"}),
        ({"kinds": ["PDF", "mail"]}, {n for n in FILES if n.endswith((".pdf", ".eml"))}),
        ({"since": "2026-02-01"}, {"rfp.eml", "rfp.eml/annex_1.pdf"}),
        ({"since": "2025-06-01", "until": "2025-07-01"}, {"policies/it's 100%.pdf", "policies/it's 100x.pdf"}),
    ],
)
def test_names_add_up_and_kinds_and_days_narrow(given: dict[str, Any], wanted: set[str]) -> None:
    assert let_in(**given) == wanted


def test_documents_without_a_day_are_counted_and_left_out() -> None:
    found = resolved(Scope.of(kinds=["docx", "csv"], until="2026-01-01"), rows(), TAGS)
    assert found.file_names == {"past/deep/2023.csv"} and found.undated == 2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"files": ["/annex_1.pdf"]}, "--file '/annex_1.pdf' names no document"),
        ({"files": ["polices/*"]}, "--file 'polices/\\*' names no document.*policies/"),
        ({"files": ["rfp.eml", "anex_1.pdf"]}, "anex_1.pdf"),
        ({"files": ["scan.pdf"]}, "scan.pdf"),
        ({"folders": ["polcies"]}, "--folder 'polcies' names no document.*policies"),
        ({"tags": ["pst"]}, "no tag 'pst'; there are past"),
        ({"tags": ["idle"]}, "--tag 'idle'"),
        ({"kinds": ["pptx"]}, "--kind 'pptx' names no document; there are csv, docx, eml, mail, pdf, sheet, txt, xlsx"),
        ({"tags": ["past"], "kinds": ["pdf"]}, "none of the 2 documents"),
        ({"since": "2027-01-01"}, "2022-01-01 to 2026-03-01"),
        ({"files": ["*.docx"], "since": "2027-01-01"}, "nobody knows the day of any of 2"),
    ],
    ids=str,
)
def test_what_names_nothing_is_said_with_what_there_is(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        let_in(**given)


def test_of_a_corpus_without_folders_none_is_offered() -> None:
    flat = [row for row in rows() if "/" not in row["file_name"]]
    with pytest.raises(UsageError, match=r"^--folder 'past' names no document, nor would any other$"):
        resolved(Scope.of(folders=["past"]), flat, TAGS)


@pytest.mark.parametrize(
    ("given", "said"),
    [({"since": "1.2.2026"}, "YYYY-MM-DD"), ({"since": "2026-02-02", "until": "2026-02-01"}, "no day is within")],
)
def test_a_wrong_day_is_refused(given: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Scope.of(**given)


@pytest.mark.parametrize("option", ["files", "folders", "tags", "kinds"])
def test_what_is_empty_is_no_limit_that_anybody_meant(option: str) -> None:
    given: dict[str, Any] = {option: [" "]}
    with pytest.raises(UsageError, match=f"--{option[:-1]} is empty"):
        Scope.of(**given)


def test_a_scope_reads_as_on_the_command_line() -> None:
    scope = Scope.of(["it's"], None, ["past"], None, "2026-01-01", "")
    assert str(scope) == "--file 'it'\"'\"'s' --tag past --since 2026-01-01"
    assert scope.to_json() == {"file": ["it's"], "tag": ["past"], "since": "2026-01-01"}
    assert not Scope.of([], [], None, None, None, "") and not EVERYTHING and scope
