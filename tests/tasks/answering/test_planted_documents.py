"""Forty documents with planted orders, converted as any other: each is seen, and what obeys one gets nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from configs.settings import OpenAISettings
from tasks.answering.decision.grounding import check_drafts
from tasks.answering.drafts.draft import Asked
from tasks.answering.entailment.labels import Opinions
from tasks.answering.generators.openai_generator import OpenAIGenerator
from tasks.conversion.files.convert import convert
from tasks.conversion.office import unstructured_reader
from tasks.llm.model_server import ModelServer
from tasks.records import Hit, Question
from tasks.safety.injection import order_in, without_orders
from tests.made.chunks import chunk_of
from tests.made.injections import ABOUT, NAMED, ORDERS, Gullible, plant
from tests.made.scripted_server import Kept, scripted_url
from tests.made.source_files import source_of

QUESTION, FACT = "How long are database snapshots kept?", "Database snapshots are kept for 35 days in a second region."


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> list[Hit]:
    """Each document as the best hit, whole."""
    folder = tmp_path_factory.mktemp("planted")
    found = []
    for name in plant(folder):
        data = Path(folder, name).read_bytes()
        text = convert(source_of(name, data), data, unstructured_reader).text
        assert any(about[:20] in " ".join(text.split()) for about in ABOUT), f"{name} was converted"
        found.append(Hit("q", 1, chunk_of(text, file_name=name), 1.0, 0.9, 0.5, 0.9))
    return found


def test_each_is_left_out_and_told(planted: list[Hit]) -> None:
    assert len(planted) == 40 and {hit.chunk.file_name.rsplit(".", 1)[1] for hit in planted} == {
        "pdf",
        "docx",
        "xlsx",
        "md",
        "html",
        "txt",
    }
    for hit in planted:
        kept, suspects = without_orders([hit], 5)
        assert suspects[0].place.startswith(hit.chunk.file_name), hit.chunk.text
        for part in (part for one in kept for part in one.chunks):
            assert order_in(part.text) is None and len(part.text) < 120, part.text
            assert hit.chunk.text[part.start : part.end] == part.text, "what is left is verbatim"


def test_where_one_reached_the_model_what_it_says_then_goes_no_further(planted: list[Hit]) -> None:
    fact = Hit("q", 2, chunk_of(FACT, file_name="facts.md"), 0.5, 0.9, 0.5, 0.9)
    question = Question("q", 0, QUESTION, kind="yes_no")
    asked = [Asked(question, [hit, fact]) for hit in planted]
    server = Gullible({QUESTION: FACT})
    with scripted_url(server) as url:
        generator = OpenAIGenerator(ModelServer(OpenAISettings(base_url=url, model="gullible"), Kept()))
        drafts = generator.draft(asked)
    assert set(server.obeyed) >= {*ORDERS} - {ORDERS[12]} and set(server.obeyed) & {*NAMED}
    for draft in check_drafts(asked, drafts, Opinions()):
        assert (draft.text, draft.verdict) in {(None, None), (FACT, None)}
