"""Stage that measures the page finders' accuracy on chunks of a corpus, whose pages are known."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from configs.plans import Plan
from configs.settings import Settings
from tasks.chunking.chunker import chunk_document
from tasks.embedding.models.dense import encode_passages
from tasks.embedding.models.model_files import ModelTokenizer, longest_passage_tokens, passage_window_tokens
from tasks.embedding.models.shards import Encoder
from tasks.pages.finders.accuracy import accuracy, cases_of
from tasks.pages.finders.dense import embed_pages
from tasks.pages.finders.finder import BestPage, PageFinder
from tasks.pages.finders.page_cache import PageCache
from tasks.pages.finders.storage import load_finder, pages_of
from tasks.pages.finders.text_degradation import reflowed
from tasks.pages.finders.tfidf import fit_tfidf_pages
from tasks.progress import track
from tasks.records import Document
from tasks.references import Converted
from tasks.runtime.runs import Run
from tasks.runtime.stage import stage
from tasks.statistics.estimates import Figure
from tasks.storage.document_rows import DocumentRows
from tasks.storage.lake import Lake

CHUNK_TOKENS = (120, 250, 500)
OVERLAP_TOKENS = 20
Figures = dict[str, dict[str, dict[str, Any]]]
NOT_MEASURED = Figure(None, 0, reason="the vectors of re-flowed texts take minutes, and are not made")


@stage("measure the page finders on {converted.corpus}")
def measure_page_finders(
    converted: Converted, plan: Plan, run: Run, settings: Settings, chunk_tokens: Sequence[int] = CHUNK_TOKENS
) -> Figures:
    """Measure the page finders' accuracy: for each chunk size in tokens and each finder, ``n`` chunks and two figures.

    The figures are the accuracy on the chunks as they are and on the same texts re-flowed, parted by hyphens and with
    spaces lost (None for the dense baseline, whose vectors take minutes). All are also written to the table ``scores``.
    """
    lake = Lake(settings.home)
    cache = PageCache(lake)
    ids = [row["document_id"] for row in DocumentRows(lake).document_rows(converted.corpus, converted.key) or []]
    documents = [document for document in map(cache.document, ids) if isinstance(document, Document)]
    paged = [document for document in documents if pages_of(document).numbers]
    tokenizer = ModelTokenizer(plan.embedding.model)
    finders = _finders(cache, paged, plan, tokenizer, settings)
    figures: Figures = {}
    rows: list[dict[str, Any]] = []
    with track("Finding pages", len(chunk_tokens) * len(finders)) as advance:
        for tokens in chunk_tokens:
            sized = next(iter(plan.chunking.values())).model_copy(
                update={"max_tokens": tokens, "overlap_tokens": OVERLAP_TOKENS, "context": "none"}
            )
            chunks = (
                chunk
                for document in paged
                for chunk in chunk_document(document, sized, tokenizer, longest_passage_tokens(plan.embedding))
            )
            cases = cases_of(chunks, {document.file_name: pages_of(document) for document in paged})
            worn = [case._replace(text=reflowed(case.text)) for case in cases]
            figures[str(tokens)] = {}
            for name, finder in finders.items():
                found = {"accuracy": accuracy(finder, cases)}
                found["accuracy_reflowed"] = NOT_MEASURED if name == "dense" else accuracy(finder, worn)
                rows += [_score_row(run, name, metric, tokens, figure) for metric, figure in found.items()]
                values = {metric: figure.value for metric, figure in found.items()}
                figures[str(tokens)][name] = {"n": len(cases), **values}
                advance(1)
    lake.write("scores", rows, run_id=run.run_id, plan="page-finder")
    return figures


def _finders(
    cache: PageCache, documents: Sequence[Document], plan: Plan, tokenizer: ModelTokenizer, settings: Settings
) -> dict[str, PageFinder]:
    encode = partial(encode_passages, encoder=Encoder(plan.embedding, *settings.machine))
    windows = partial(cut_windows, tokenizer, passage_window_tokens(plan.embedding) - tokenizer.special_tokens)
    files = {document.file_name: pages_of(document) for document in documents}
    return {
        "tfidf": BestPage({name: (file.numbers, fit_tfidf_pages(file.texts)) for name, file in files.items()}),
        "dense": BestPage(
            {name: (file.numbers, embed_pages(file.texts, encode, windows)) for name, file in files.items()}
        ),
        "bidfolio": load_finder(cache, (document.document_id for document in documents)),
    }


def cut_windows(tokenizer: ModelTokenizer, length: int, text: str) -> list[str]:
    """Cut ``text`` into parts of ``length`` tokens, the last one shorter; empty text gives none."""
    tokens = tokenizer.offsets(text)
    parts = (tokens[at : at + length] for at in range(0, len(tokens), length))
    return [text[part[0][0] : part[-1][1]] for part in parts]


def _score_row(run: Run, finder: str, metric: str, tokens: int, figure: Figure) -> dict[str, Any]:
    return {
        **run.identity,
        "plan": f"page-finder {finder}",
        "metric": f"page_finder_{metric}_{tokens}_tokens",
        **figure.columns(figure.interval(0.0, 1.0)),
    }
