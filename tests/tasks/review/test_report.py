"""The HTML report: from disk, without a server, in a real browser; hostile texts; 500 answers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from flows.review import report_review
from tasks.errors import UsageError
from tasks.pages.pictures.page_painting import paint_all
from tasks.questionnaires.evidence.columns import report_anchor
from tasks.review.events import Change
from tasks.review.items import Evidence, ReviewItem
from tasks.review.page_html import report_html
from tasks.review.task import save_changes
from tasks.review.view import item_json
from tasks.storage.lake import Lake
from tests.made.browser import Browser, browser
from tests.made.reviewed_runs import CORPUS, PLAN, RUN, ReviewedRun, policy_pdf, reviewed_run, rule

MAX_BYTES = 30_000_000
WIDTH = 610
"""As wide as the stage makes 500 pages that are all full of print."""
HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"><!-- &amp;"
CURRENT = "document.querySelector('article.is-current')"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> ReviewedRun:
    found = reviewed_run(tmp_path_factory.mktemp("home"))
    save_changes.fn(RUN, {}, [Change("Q-2", "edit", f"By hand {HOSTILE}")], "Ann", found.settings)
    return found


def key(page: Browser, name: str) -> None:
    for kind in ("keyDown", "keyUp"):
        page.send("Input.dispatchKeyEvent", type=kind, key=name, **({"text": name} if kind == "keyDown" else {}))


def test_a_report_works_from_disk_and_asks_nobody(made: ReviewedRun, page: Browser) -> None:
    said = report_review(RUN, "", made.settings)
    path = Path(said["report"])
    assert path == made.questionnaire.with_name("q.report.html") and said["pages"] == 2 and said["unshown"] == 0
    page.complaints.clear()
    page.asked_for.clear()
    page.open(path.as_uri(), 1280, 900)
    assert page.run("document.querySelectorAll('article').length") == 7
    page.until(f"{CURRENT}.querySelector('img')?.naturalWidth > 300")
    assert rule(0) in page.run(f"{CURRENT}.innerText") and "Answers it: 30%" in page.run(f"{CURRENT}.innerText")
    assert page.run(f"{CURRENT}.querySelectorAll('.paper i').length") == 1
    box = f"JSON.stringify({CURRENT}.querySelector('%s').getBoundingClientRect())"
    mark, paper = (json.loads(page.run(box % name)) for name in (".paper i", ".paper"))
    left, right = ((mark[side] - paper["left"]) / paper["width"] for side in ("left", "right"))
    top = (mark["top"] - paper["top"]) / paper["height"]
    assert left == pytest.approx(60 / 595, abs=0.01) and top == pytest.approx(82 / 842, abs=0.01) and right > 0.5
    for pressed, wanted in (("j", "Q-1"), ("j", "Q-2"), ("k", "Q-1"), ("k", "Q-0"), ("k", "Q-0")):
        key(page, pressed)
        assert page.run(f"{CURRENT}.id") == report_anchor(wanted)
    key(page, "a")
    assert "bidfolio review" in page.run("document.getElementById('toast').innerText")
    key(page, "/")
    assert page.run("document.activeElement.id") == "search"
    page.type("BY hand")
    shown = "[...document.querySelectorAll('article')].filter(one => !one.hidden).map(one => one.dataset.id).join()"
    assert page.run(shown) == "Q-2"
    page.run("document.getElementById('search').value = ''; document.querySelector('[data-filter=declined]').click()")
    assert page.run(shown) == "Q-6" and "the closest passage" in page.run(f"{CURRENT}.innerText").lower()
    page.until(f"{CURRENT}.querySelector('img')?.naturalWidth > 300")
    edited = page.run(f"document.getElementById('{report_anchor('Q-2')}').textContent")
    assert f"By hand {HOSTILE}" in edited and "Edited by Ann" in edited and rule(2) in edited
    page.open(f"{path.as_uri()}#{report_anchor('Q-4')}", 390, 844)
    assert page.run(f"{CURRENT}.id") == report_anchor("Q-4")
    page.until(f"Math.abs({CURRENT}.getBoundingClientRect().top) < 60")
    assert page.run("document.documentElement.scrollWidth") <= 390, "nothing is cut off on a telephone"
    assert page.run("document.title") == "q.xlsx: report"
    assert page.complaints == [] and all(url.startswith(("file:", "data:", "about:")) for url in page.asked_for)


def test_a_report_replaces_a_report_and_nothing_else(made: ReviewedRun, tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    for _ in range(2):
        report_review(RUN, str(path), made.settings)
    path.write_text("<html>mine</html>", encoding="utf-8")
    with pytest.raises(UsageError, match="is no report: give --overwrite"):
        report_review(RUN, str(path), made.settings)
    assert path.read_text(encoding="utf-8") == "<html>mine</html>"
    report_review(RUN, str(path), made.settings, overwrite=True)
    for wrong in (tmp_path, tmp_path / "none" / "r.html"):
        with pytest.raises(UsageError, match="folder"):
            report_review(RUN, str(wrong), made.settings)


def test_a_quote_whose_document_is_gone_says_so(tmp_path: Path) -> None:
    made = reviewed_run(tmp_path)
    (tmp_path / "documents/policy.pdf").unlink()
    said = report_review(RUN, str(tmp_path / "r.html"), made.settings)
    assert (said["pages"], said["unshown"]) == (0, 7)
    report = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "policy.pdf is not in its folder any more" in report and str(tmp_path) not in report


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({}, "This is an approved answer. Ann approved it on 3 August 2026 in second.xlsx."),
        ({"row_number": 9}, "This is an approved answer of the library, which has another in its place now."),
    ],
)
def test_an_approved_answer_is_shown_in_words_behind_the_page_that_bears_it_out(
    entry: dict[str, Any], told: str, tmp_path: Path, page: Browser
) -> None:
    made, lake = reviewed_run(tmp_path), Lake(str(tmp_path / "home"))
    listed = {"file_name": "library:second.xlsx", "sheet_name": "S", "row_number": 4}
    approved = {"approved_by": "Ann", "approved_on": date(2026, 8, 3), "questionnaire": "second.xlsx"}
    written = {"question": "?", "entry_id": "e", "answered_on": date(2026, 8, 3), "approved_at": datetime.now(UTC)}
    whose = {"run_id": RUN, "run_date": date(2026, 8, 1), "corpus": CORPUS, "content_sha256": "0"}
    lake.write("library", [whose | listed | approved | written | entry], corpus=CORPUS)
    of_run = {"run_id": RUN, "plan": PLAN}
    cited = lake.read("citations", **of_run).to_pylist()
    first = next(row for row in cited if row["question_id"] == "Q-0")
    reused = {**first, **listed, "document_id": "gone", "page_number": None, "quote": "We do."}
    lake.write("citations", [reused, *(row | {"citation_index": 1} for row in cited)], **of_run)
    said = report_review(RUN, str(tmp_path / "r.html"), made.settings)
    assert said["unshown"] == 0 and str(tmp_path) not in (tmp_path / "r.html").read_text(encoding="utf-8")
    page.open((tmp_path / "r.html").as_uri())
    article = "document.getElementById('q-Q-0')"
    page.until(f"{article}.querySelector('img')?.naturalWidth > 300")
    page.run(f"{article}.querySelectorAll('.sources button')[1].click()")
    page.until(f"{article}.querySelector('.why') !== null")
    assert page.run(f"{article}.querySelector('.why').innerText") == told
    assert (
        page.run(f"{article}.querySelector('figcaption').innerText") == "approved answer in second.xlsx, sheet S, row 4"
    )


def test_a_report_of_500_answers_is_small_enough_and_usable(tmp_path: Path, page: Browser) -> None:
    """Each answer has a densely printed page of its own; each picture stands in the file once."""
    (painted,) = paint_all(policy_pdf(1, 4, filler=50), [0], WIDTH)
    assert painted is not None and len(painted.png) > 25_000, "a page full of print"

    def picture(item: ReviewItem, at: int) -> dict[str, Any]:
        del at
        return {"picture": item.question_id[2:], "boxes": [[0.1, 0.1, 0.6, 0.12]], "width": WIDTH, "height": 863}

    items = [
        ReviewItem(
            question_id=f"Q-{number}",
            question=f"Question {number}: is part {number} of the service checked by a second person, and how often?",
            status="needs_review" if number % 3 else "answered",
            text=" ".join([rule(number)] * 3),
            detail=HOSTILE,
            section=f"Section {number // 25}",
            evidence=(Evidence("policy.pdf", rule(number) + HOSTILE, number + 1),),
        )
        for number in range(500)
    ]
    data = {
        "mode": "report",
        "run_id": RUN,
        "file": "q.xlsx",
        "about": "500 questions",
        "items": [item_json(item, RUN, picture) for item in items],
    }
    path = tmp_path / "r.html"
    path.write_text(report_html("q.xlsx", data, {str(number): painted.png for number in range(500)}), encoding="utf-8")
    size = path.stat().st_size
    assert 500 * len(painted.png) < size < MAX_BYTES
    page.complaints.clear()
    page.open(path.as_uri(), 1280, 900)
    assert page.run("document.querySelectorAll('article').length") == 500
    page.until(f"{CURRENT}.querySelector('img')?.naturalWidth === {WIDTH}")
    assert page.run("document.images.length") < 20, "pictures are put in as they come near"
    page.run("location.hash = 'q-Q-499'")
    page.until(f"{CURRENT}.id === 'q-Q-499' && {CURRENT}.querySelector('img')?.naturalWidth === {WIDTH}")
    assert page.run("document.title") == "q.xlsx" and page.complaints == []


def test_the_policy_of_a_report_lets_its_own_script_run_and_no_other(made: ReviewedRun, tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    report_review(RUN, str(path), made.settings)
    text = path.read_text(encoding="utf-8")
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)
    assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
    assert HOSTILE not in text and text.count("<script>") == 1
