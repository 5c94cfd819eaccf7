"""Page finders against pages whose texts are known."""

from __future__ import annotations

import inspect
import random
import string
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import accuracy_score

from tasks.pages.finders.accuracy import Case, accuracy, cases_of, is_borne_out
from tasks.pages.finders.dense import embed_pages
from tasks.pages.finders.finder import BestPage, FilePages, PageFinder
from tasks.pages.finders.storage import FileMatrices, fit_file, load_finder, pages_of
from tasks.pages.finders.text_degradation import reflowed
from tasks.pages.finders.tfidf import TfidfPages, fit_tfidf_pages
from tasks.pages.finders.verbatim import VerbatimPages, fit_verbatim_pages
from tasks.records import Document, PageSpan, Quarantined
from tasks.text.characters import fold
from tests.made.chunks import chunk_of, document_of

draw = random.Random(7)
WORDS = ["".join(draw.choices(string.ascii_lowercase, k=draw.randint(3, 9))) for _ in range(400)]
PAGES = tuple(" ".join(draw.choices(WORDS, k=180)) for _ in range(30))
NUMBERS = tuple(range(1, 31))


def finders() -> dict[str, PageFinder]:
    return {
        "tfidf": BestPage({"a.pdf": (NUMBERS, fit_tfidf_pages(PAGES))}),
        "bidfolio": BestPage({"a.pdf": (NUMBERS, fit_verbatim_pages(PAGES))}),
    }


def test_a_finder_is_told_the_file_and_the_text_alone() -> None:
    for made in (PageFinder.find, BestPage.find):
        parameters = inspect.signature(made).parameters
        assert list(parameters) == ["self", "file_name", "texts"]
        assert parameters["texts"].annotation == "Sequence[str]"


@pytest.mark.parametrize("name", ["tfidf", "bidfolio"])
def test_a_part_of_a_page_is_found(name: str) -> None:
    texts = [" ".join(page.split()[20:100]) for page in PAGES]
    assert finders()[name].find("a.pdf", texts) == list(NUMBERS)


@pytest.mark.parametrize("name", ["tfidf", "bidfolio"])
def test_what_is_not_known_has_no_page(name: str) -> None:
    assert finders()[name].find("b.pdf", ["a", "b"]) == [None, None]
    assert finders()[name].find("a.pdf", []) == []
    nothing = BestPage({"a.pdf": ((1, 2), fit_verbatim_pages(["", "…"])), "b.pdf": ((), fit_tfidf_pages([]))})
    assert nothing.find("a.pdf", ["word"]) == [1] and nothing.find("b.pdf", ["word"]) == [None]


def test_tfidf_is_that_of_scikit_learn() -> None:
    texts = [PAGES[3][:300], "nothing known", PAGES[9][100:700]]
    vectorizer = TfidfVectorizer()
    pages = vectorizer.fit_transform(PAGES)
    expected = (vectorizer.transform(texts) @ pages.T).toarray()
    assert np.allclose(fit_tfidf_pages(PAGES).scores(texts), expected, atol=1e-6)


@given(st.integers(0, 29), st.integers(0, 120), st.integers(30, 60))
def test_a_worn_text_is_found(page: int, start: int, length: int) -> None:
    text = " ".join(PAGES[page].split()[start : start + length])
    assert finders()["bidfolio"].find("a.pdf", [reflowed(text)]) == [page + 1]


def test_a_text_over_two_pages_is_on_the_one_with_more_of_it() -> None:
    late, early = PAGES[4].split(), PAGES[5].split()
    finder = finders()["bidfolio"]
    assert finder.find("a.pdf", [" ".join(late[-60:] + early[:20])]) == [5]
    assert finder.find("a.pdf", [" ".join(late[-20:] + early[:60])]) == [6]


def test_a_text_with_wrong_letters_is_found_by_what_is_left() -> None:
    letters = list(PAGES[12][:600])
    for at in range(7, len(letters), 23):
        letters[at] = "#" if letters[at] == " " else "q"
    assert finders()["bidfolio"].find("a.pdf", ["".join(letters)]) == [13]


def test_matrices_come_back_as_they_were() -> None:
    texts = [PAGES[3][:300], reflowed(PAGES[8][10:400]), "q" * 40]
    first, second = fit_tfidf_pages(PAGES), fit_verbatim_pages(PAGES)
    assert np.array_equal(TfidfPages.from_arrays(first.to_arrays()).scores(texts), first.scores(texts))
    assert np.array_equal(VerbatimPages.from_arrays(second.to_arrays()).scores(texts), second.scores(texts))
    kept = FileMatrices.from_bytes(FileMatrices(NUMBERS, second).to_bytes())
    assert kept.numbers == NUMBERS and np.array_equal(kept.pages.scores(texts), second.scores(texts))


def test_a_dense_page_is_the_mean_of_its_windows() -> None:
    vectors = {"one": [1.0, 0.0], "two": [0.0, 1.0]}

    def encode(texts: object) -> np.ndarray:
        assert isinstance(texts, list)
        return np.array([vectors[text] for text in texts], dtype=np.float32)

    pages = embed_pages(["one two", "two", ""], encode, str.split)
    assert np.allclose(pages.pages, [[0.5**0.5, 0.5**0.5], [0, 1], [0, 0]])
    assert pages.scores(["two"]).argmax() == 1


def test_right_is_a_page_that_is_touched_or_that_holds_the_text() -> None:
    chunk = replace(chunk_of("All rights reserved."), page_spans=(PageSpan(2, 0, 20),))
    files = {
        chunk.file_name: FilePages((1, 2, 3), ("Other words.", "All rights reserved.", "all  Rights\nreserved. x"))
    }
    (case,) = cases_of([chunk], files)
    assert case.pages == {2, 3}
    assert cases_of([replace(chunk, page_spans=())], files) == [] == cases_of([chunk], {})


@pytest.mark.parametrize(("found", "expected"), [(2, True), (3, True), (5, True), (4, False), (None, False)])
def test_a_page_that_says_the_same_bears_a_chunk_out(found: int | None, expected: bool) -> None:
    text = "All rights reserved. And more."
    chunk = replace(chunk_of(text), page_spans=(PageSpan(2, 0, 20), PageSpan(3, 21, 30)))
    pages = FilePages((2, 3, 4, 5), ("All rights reserved.", "And more.", "Other words.", "x ALL rights\nreserved."))
    assert is_borne_out(chunk, found, pages) == expected


def test_accuracy_counts_right_pages() -> None:
    cases = [Case("a.pdf", PAGES[0][:200], frozenset({1})), Case("a.pdf", PAGES[1][:200], frozenset({7}))]
    found = accuracy(finders()["bidfolio"], cases)
    assert (found.value, found.n) == (0.5, 2)
    assert accuracy(finders()["bidfolio"], []).value is None


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 4), st.frozensets(st.integers(1, 4))), min_size=1))
def test_accuracy_is_the_share_that_counting_gives(drawn: list[tuple[str, int, frozenset[int]]]) -> None:
    class Says:
        """Finds the page that the text is."""

        def find(self, file_name: str, texts: Sequence[str]) -> list[int | None]:
            return [int(text) for text in texts]

    found = accuracy(Says(), [Case(name, str(page), right) for name, page, right in drawn])
    right = [page in pages for _, page, pages in drawn]
    assert found.n == len(drawn) and found.value == pytest.approx(accuracy_score([True] * len(right), right), abs=1e-9)
    assert found.clusters == len({name for name, *_ in drawn})


def test_a_corpus_finder_uses_what_is_kept_and_fits_the_rest() -> None:
    document = document_of(["The first page.", "The second leaf."])
    broken = Quarantined("x", "x.pdf", "0", "damaged")

    class Cache(dict[str, Document | Quarantined]):
        kept: bytes | None = None

        def document(self, document_id: str) -> Document | Quarantined | None:
            return self.get(document_id)

        def page_matrices(self, document_id: str) -> bytes | None:
            return self.kept

    cache = Cache({document.document_id: document, "x": broken})
    ids = [document.document_id, "x", "gone"]
    fitted = load_finder(cache, ids).find(document.file_name, ["second leaf"])
    cache.kept = fit_file(document).to_bytes()
    assert fitted == load_finder(cache, ids).find(document.file_name, ["second leaf"]) == [2]
    assert pages_of(document).numbers == (1, 2)


def test_a_reflowed_text_has_the_same_letters_but_for_those_misread() -> None:
    text = "A well-known sentence about encryption of customer data at rest, twice over and once more. " * 5
    misread = fold(reflowed(text))
    assert len(misread) == len(fold(text)) and 0 < sum(a != b for a, b in zip(misread, fold(text), strict=True)) < 15
    worn = reflowed(text, misread_letters=0)
    assert worn != text and worn == reflowed(text, misread_letters=0) and reflowed("") == ""
    assert "".join(filter(str.isalnum, worn)) == "".join(filter(str.isalnum, text))
