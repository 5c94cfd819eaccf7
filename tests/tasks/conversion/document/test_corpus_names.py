"""Documents are named by what tells them from the others of their corpus."""

from __future__ import annotations

import pytest

from tasks.conversion.document.corpus_names import LEAST_DOCUMENTS, Identity, corpus_identities, with_identities
from tasks.conversion.document.identity import name_facts
from tests.made.conversions import convert_bytes

BACKUPS = "Is this encrypted? Yes, all of it is, in every backup."
COVER = "# Securities commission\n\n{company} report for the year.\n\n{body}\n"


def filing(file_name: str, company: str) -> tuple[str, bytes]:
    return file_name, COVER.format(company=company, body=f"{company} sold goods. " * 3).encode()


FILINGS = [
    filing("AMERICANWATERWORKS_2020_10K.md", "American Water Works"),
    filing("AMERICANWATERWORKS_2021_10K.md", "American Water Works"),
    filing("GeneralMills_2021Q1_10K.md", "General Mills"),
    filing("verizon-2022-10K.md", "Verizon"),
    filing("walmart_10K.md", "Walmart"),
]


def names_of(files: list[tuple[str, bytes]]) -> list[str]:
    return [one.name for one in identities_of(files)]


def identities_of(files: list[tuple[str, bytes]]) -> list[Identity]:
    return corpus_identities([name_facts(convert_bytes(*file)) for file in files])


def test_a_title_that_all_share_gives_way_to_the_words_of_the_files_name() -> None:
    assert names_of(FILINGS) == [
        "American Water Works 2020",
        "American Water Works 2021",
        "General Mills 2021 Q1 report",
        "Verizon 2022 report",
        "Walmart report",
    ]


def test_a_title_that_tells_stays_and_what_it_lacks_is_added() -> None:
    files = [*FILINGS, ("privacy-hey.md", b"# Privacy notice\n\nWho sees what."), ("sla.md", b"# Sla\n\nUptime.")]
    assert names_of(files)[-2:] == ["Privacy notice \N{EN DASH} hey", "Sla"]


@pytest.mark.parametrize(
    "stem",
    ["Scan0001_final", "v3_final-copy", "550e8400-e29b-41d4-a716", "20240131", "9f86d081884c7d65"],
)
def test_figures_versions_and_hashes_name_nothing(stem: str) -> None:
    (facts,) = [name_facts(convert_bytes(f"{stem}.md", b"# Leave policy\n\nDays off."))]
    assert not {*facts.file_words} - {"Scan", "a"}
    assert corpus_identities([facts])[0].name.startswith("Leave policy")


def test_a_document_without_a_title_has_the_words_of_its_files_name() -> None:
    (name,) = names_of([("Past_Questionnaire-2026.txt", b"Do you encrypt backups? Yes, we do, all of them.")])
    assert name == "Past Questionnaire 2026"


@pytest.mark.parametrize(
    ("stem", "name"),
    [
        ("Policy (2020)", "Policy 2020"),
        ("_draft_", BACKUPS),
        ("(1)", BACKUPS),
        ("New Relic SOC2", "New Relic SOC2"),
        ("Draft Kings 2021 final", "Draft Kings 2021"),
        ("Version control policy v2", "Version control policy"),
        ("Erkla\u0308rung 2020", "Erkl\u00e4rung 2020"),
    ],
)
def test_marks_of_versions_go_and_words_stay(stem: str, name: str) -> None:
    assert names_of([(f"{stem}.txt", BACKUPS.encode())]) == [name]


def test_few_documents_keep_their_titles() -> None:
    files = [(f"part_{number}.md", b"# Staff handbook\n\nText.") for number in range(LEAST_DOCUMENTS - 1)]
    assert {name.partition(" \N{EN DASH} ")[0] for name in names_of(files)} == {"Staff handbook"}


def test_five_hundred_files_of_one_title_are_named_by_their_files() -> None:
    files = [(f"site-q{chr(97 + at // 26)}{chr(97 + at % 26)}-rules.md", b"# Site rules\n\nText.") for at in range(500)]
    found = names_of(files)
    assert len(set(found)) == 500
    assert found[0] == "qaa"


def test_rows_get_their_names_and_a_quarantined_one_none() -> None:
    document = convert_bytes("sla.md", b"# Service levels\n\nUptime.")
    rows = [
        {"document_id": document.document_id},
        {"document_id": "lost"},
        {"document_id": "kept", "name": "As it was"},
    ]
    found = with_identities(rows, {document.document_id: name_facts(document)})
    assert [row["name"] for row in found] == ["Service levels \N{EN DASH} sla", None, "As it was"]
    assert with_identities([], {}) == []


OTHERS = [(f"{word}.md", f"# {word} policy\n\nText.".encode()) for word in ("Password", "Travel", "Leave")]


@pytest.mark.parametrize(
    ("files", "text", "names"),
    [
        (["Client 1/policy.md", "Client 12/policy.md"], "# Visitor rules", ["Client 1", "Client 12"]),
        (["visitor_rules_v1.0.md", "visitor_rules_v2.1.md"], "# Visitor rules", ["v1.0", "v2.1"]),
        (["visitor-rules_v2_final.md", "visitor-rules_v3.md"], "# Visitor rules", ["v2", "v3"]),
        (["a-b.md", "a_b.md"], "# Visitor rules", ["a-b", "a_b"]),
        (["rules-emea.md", "rules-us.md"], "# Visitor rules\n\nIn the EMEA and the US region.", ["EMEA", "US"]),
    ],
)
def test_files_of_one_title_are_told_apart_by_their_paths(files: list[str], text: str, names: list[str]) -> None:
    found = names_of([*((file, text.encode()) for file in files), *OTHERS])[:-3]
    assert found == [f"Visitor rules \N{EN DASH} {name}" for name in names]


def test_stop_words_name_a_document_where_its_title_has_no_others() -> None:
    assert names_of([("Who we are.md", b"# Who we are\n\nWe are 40 people."), *OTHERS])[0] == "Who we are"
    files = [(f"{word} policy.md", f"# {word} policy\n\nAll {word} staff.".encode()) for word in ("IT", "US", "HR")]
    assert names_of(files) == ["IT policy", "US policy", "HR policy"]
