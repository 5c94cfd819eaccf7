from __future__ import annotations

import json

import pytest
import Stemmer

from configs.languages import languages
from tests.made.paths import ROOT

ASKED = ("en", "de", "fr", "es", "pt")


def test_stemmers_are_known() -> None:
    named = {spoken.stemming for spoken in languages().values()} - {None}
    assert named and named <= set(Stemmer.algorithms())


@pytest.mark.parametrize("code", ASKED)
def test_five_languages_are_whole(code: str) -> None:
    spoken = languages()[code]
    assert spoken.asking and spoken.requests and spoken.denials
    assert set(spoken.verdicts) == {"yes", "no", "partial", "not_applicable"}
    assert len(spoken.parallel) == len(languages()["en"].parallel) > 20


def test_parallel_sentences_are_no_questions_that_are_measured() -> None:
    lines = (ROOT / "tests" / "data" / "languages" / "demo.jsonl").read_text(encoding="utf-8").splitlines()
    measured = {json.loads(line)["question"] for line in lines}
    assert measured.isdisjoint(sentence for spoken in languages().values() for sentence in spoken.parallel)
