"""One Arrow schema a table of the lake; each column carries its meaning in the field's metadata.

No vector and no nested column: vectors are little-endian float32 bytes, so that any BI tool reads every
table. Times are UTC microseconds, durations ``*_ms``. Schemas change by adding columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Final

import pyarrow as pa

ROWS_AT_ONCE = 10_000
_TIME = pa.timestamp("us", tz="UTC")


def _column(name: str, kind: pa.DataType, doc: str, *, required: bool = False) -> pa.Field:
    return pa.field(name, kind, nullable=not required, metadata={"doc": doc})


def _key(name: str, doc: str) -> pa.Field:
    return _column(name, pa.string(), doc, required=True)


_CORPUS = _key("corpus", "name of the corpus")
_RUN = [_key("run_id", "the run that wrote the row"), _column("run_date", pa.date32(), "day of the run, UTC")]
_DOCUMENT = [
    _key("document_id", "hash of the file's name and content"),
    _key("file_name", "path below the corpus"),
]
_PLACE = [
    _column("page_number", pa.int32(), "1-based, as a viewer shows it; null where the format has no pages"),
    _column("sheet_name", pa.string(), "sheet of a workbook"),
    _column("row_number", pa.int32(), "1-based row of a sheet or CSV"),
    _column("section_path", pa.string(), "titles above it, joined by ' > '"),
]
_SPAN = [
    _column("start_offset", pa.int64(), "first character in the document's text"),
    _column("end_offset", pa.int64(), "one past the last character in the document's text"),
]
_QUESTION = [
    _key("question_id", "the questionnaire's own reference, or a hash"),
    _column("question_index", pa.int32(), "0-based order", required=True),
    _column("question", pa.string(), "the question's text"),
    _column("kind", pa.string(), "yes_no or free_text"),
    _column("section", pa.string(), "section of the questionnaire"),
    _column("sheet_name", pa.string(), "sheet that holds it"),
    _column("row_number", pa.int32(), "1-based row that holds it"),
    _column("max_characters", pa.int32(), "longest answer that the customer takes; null where not said"),
]
_ANSWER = [
    _key("answer_id", "hash of run, plan and question"),
    _key("status", "answered, declined, needs_review or failed"),
    _column("verdict", pa.string(), "yes, no, partial or not_applicable; null for free text"),
    _column("text", pa.string(), "the drafted answer; null if declined or failed"),
    _column("confidence", pa.float64(), "evidence in [0, 1]; with answering.confidence a probability"),
    _column("confidence_label", pa.string(), "high, medium or low"),
    _column("decline_reason", pa.string(), "no_evidence, weak_evidence, conflict, … ; null if answered"),
    _column("detail", pa.string(), "what a reviewer should know"),
    _column("generator", pa.string(), "who drafted"),
    _column("nearest_file_name", pa.string(), "file of the nearest fact of a decline"),
    _column("nearest_page_number", pa.int32(), "page of the nearest fact"),
    _column("nearest_quote", pa.string(), "the nearest fact, verbatim"),
]
_BOX = [
    _column(f"{side}_pt", pa.float32(), f"{side} edge on the page, in points from its upper left corner")
    for side in ("left", "top", "right", "bottom")
]

GRID_MEASURES: Final = (
    _key("question_id", "the question"),
    _key("status", "answered, declined, needs_review or failed"),
    _column("first_rank", pa.int32(), "1-based rank of the first hit on a gold page; null where none of ten is"),
    _column("page_recall_at_5", pa.float64(), "1 where that is at most 5, else 0; null for what has no gold page"),
    _column("page_mrr_at_10", pa.float64(), "1 over that rank, 0 without one; null for what has no gold page"),
    _column(
        "correctness",
        pa.float64(),
        "1 where its first citation is on a gold page, or it is rightly declined, else 0; null where not known",
    ),
    _column("rouge1_recall", pa.float64(), "share of the known answer's words that the answer has; null without one"),
    _column("context_relevance", pa.float64(), "largest cosine of the question with what was handed over, at least 0"),
    _column("groundedness", pa.float64(), "largest cosine of the answer with what was handed over; 0 if declined"),
    _column("answer_relevance", pa.float64(), "cosine of question and answer; 0 if declined"),
    _column("embedding_triad", pa.float64(), "mean of these three"),
)
"""What is measured of one configuration and one question."""

TABLES: Final[Mapping[str, pa.Schema]] = {
    "documents": pa.schema(
        [
            _CORPUS,
            *_DOCUMENT,
            _key("content_sha256", "hash of the file's bytes"),
            _column(
                "kind", pa.string(), "pdf, docx, pptx, xlsx, xls, csv, html, md, txt, eml or msg; null if quarantined"
            ),
            _column("title", pa.string(), "title of the document"),
            _key("status", "indexed or quarantined"),
            _column("reason", pa.string(), "why it is quarantined"),
            _column("size_bytes", pa.int64(), "size of the file"),
            _column("page_count", pa.int32(), "pages, slides or sheets"),
            _column("word_count", pa.int64(), "words of its text"),
            _column("source", pa.string(), "the folder or URL that the corpus was last refreshed from"),
            _column("is_rendered", pa.bool_(), "whether its pages are those of LibreOffice's layout"),
            _column("document_date", pa.date32(), "day that the file itself tells (its properties, a mail's head)"),
            _column("file_date", pa.date32(), "day when the file was last written, UTC, as its folder or store says"),
        ]
    ),
    "pages": pa.schema(
        [
            _CORPUS,
            *_DOCUMENT,
            _column("page_index", pa.int32(), "0-based order in the document", required=True),
            _column("page_number", pa.int32(), "1-based, as a viewer shows it; null where there are no pages"),
            _column("sheet_name", pa.string(), "sheet of a workbook"),
            *_SPAN,
            _column("text", pa.string(), "the page's text, running headers and footers left out"),
            _column("text_source", pa.string(), "native, ocr, rendered (LibreOffice), breaks (in the file) or none"),
            _column("label", pa.string(), "the page as the document itself numbers it"),
            _column("width_pt", pa.float32(), "width in points"),
            _column("height_pt", pa.float32(), "height in points"),
            _column("language", pa.string(), "ISO 639-1 code; null where there is too little text to tell"),
        ]
    ),
    "lines": pa.schema(
        [
            _CORPUS,
            *_DOCUMENT,
            _column("page_number", pa.int32(), "1-based, as a viewer shows it", required=True),
            *_SPAN,
            *_BOX,
        ]
    ),
    "elements": pa.schema(
        [
            _CORPUS,
            *_DOCUMENT,
            _column("element_index", pa.int32(), "0-based order in the document", required=True),
            _column("kind", pa.string(), "title, paragraph, list_item, table, row, header, footer or notes"),
            *_PLACE,
            *_SPAN,
            _column("text", pa.string(), "the element's text"),
            _column("html", pa.string(), "markup of a table"),
            *_BOX,
        ]
    ),
    "chunks": pa.schema(
        [
            _CORPUS,
            _key("index_key", "hash of the plan's chunking and embedding"),
            _key("chunk_id", "hash of document, span and context"),
            *_DOCUMENT,
            _column("kind", pa.string(), "the document's kind"),
            _column("chunk_index", pa.int32(), "0-based order in the document", required=True),
            *_PLACE,
            _column("last_page_number", pa.int32(), "the last page that the chunk touches"),
            *_SPAN,
            _column("token_count", pa.int32(), "tokens of the text, context not counted"),
            _column("context", pa.string(), "what stands before the text when it is searched"),
            _column("text", pa.string(), "verbatim from the document"),
            _column("parent_index", pa.int32(), "0-based order of its parent in the document; null without parents"),
            _column("granularity", pa.string(), "which way to cut it comes of; null where the plan has one"),
        ]
    ),
    "vectors": pa.schema(
        [
            _CORPUS,
            _key("index_key", "hash of the plan's chunking and embedding"),
            _key("chunk_id", "the chunk"),
            _column("model_fingerprint", pa.string(), "hash of the dense model's files and window"),
            _column("dense", pa.binary(), "unit dense vector, little-endian float32; `sql` shows its dimensions"),
            _column(
                "lexical", pa.binary(), "unit TF-IDF→SVD vector, little-endian float32; `sql` shows its dimensions"
            ),
        ]
    ),
    "index_versions": pa.schema(
        [
            *_RUN,
            _CORPUS,
            _key("index_key", "hash of the plan's chunking and embedding"),
            _key("index_version", "hash of what the version holds"),
            _column("plan", pa.string(), "the plan that the refresh was asked for"),
            _column("documents", pa.int32(), "documents in it"),
            _column("chunks", pa.int32(), "chunks in it"),
            _column("model_fingerprint", pa.string(), "hash of the dense model's files and window"),
            _column("published_at", _TIME, "when the tag live moved to it, forth or back"),
        ]
    ),
    "runs": pa.schema(
        [
            *_RUN,
            _column("kind", pa.string(), "refresh, answer, evaluate, tune, publish, rollback or purge"),
            _column("status", pa.string(), "running (or killed), done, unchanged, refused (by a quality gate), failed"),
            _column("error", pa.string(), "why it was refused or failed"),
            _column("corpus", pa.string(), "name of the corpus"),
            _column("plan", pa.string(), "plan or plans of the run"),
            _column("source", pa.string(), "the folder or file that it read"),
            _column("index_version", pa.string(), "version that it made or read"),
            _column("started_at", _TIME, "start"),
            _column("duration_ms", pa.int64(), "wall time"),
            _column("summary_json", pa.string(), "what the command printed with --json"),
            _column("scope", pa.string(), "what it was limited to, as the command line says it; null: nothing"),
            _column("asked_by", pa.string(), "who ran it: the setting `user`, or the login; null where nobody knows"),
        ]
    ),
    "questions": pa.schema([*_RUN, *_QUESTION]),
    "retrievals": pa.schema(
        [
            *_RUN,
            _column("plan", pa.string(), "the plan that ranked"),
            _key("question_id", "the question"),
            _column("rank", pa.int32(), "1-based", required=True),
            _key("chunk_id", "the hit"),
            _key("file_name", "path below the corpus"),
            *_PLACE,
            _column("score", pa.float64(), "what the plan ranks by; in [-1, 1] of what was ranked anew"),
            _column("dense_similarity", pa.float64(), "cosine in the dense space"),
            _column("lexical_similarity", pa.float64(), "cosine in the lexical space"),
            _column("bm25_share", pa.float64(), "BM25 over the most that the question's words could give"),
            _column("lead", pa.float64(), "score above the mean of what was ranked anew; null without reranking"),
            _column("known_words", pa.float64(), "share of the question's words, by idf, that any document has"),
            _column(
                "duplicates", pa.string(), "where else it stands, or differs a little: JSON, as tasks.records has it"
            ),
        ]
    ),
    "expansions": pa.schema(
        [
            *_RUN,
            _column("plan", pa.string(), "the plan that expanded"),
            _key("question_id", "the question"),
            _key(
                "expanded_by", "generator (other wordings of the question) or feedback (words of what it found first)"
            ),
            _column("query_index", pa.int32(), "0-based order; null where nothing was added"),
            _column(
                "query", pa.string(), "a wording that was searched for, or a stemmed word and its share, word^0.120"
            ),
            _column("reason", pa.string(), "why the question was asked as it stands; null where it was expanded"),
        ]
    ),
    "answers": pa.schema(
        [
            *_RUN,
            _column("plan", pa.string(), "the plan that answered"),
            _key("question_id", "the question"),
            *_ANSWER,
        ]
    ),
    "citations": pa.schema(
        [
            *_RUN,
            _column("plan", pa.string(), "the plan that answered"),
            _key("question_id", "the question"),
            _key("answer_id", "the answer"),
            _column("citation_index", pa.int32(), "0-based order in the answer", required=True),
            *_DOCUMENT,
            _column("content_sha256", pa.string(), "hash of the cited file's bytes"),
            *_PLACE,
            *_SPAN,
            _column("quote", pa.string(), "verbatim from the page"),
        ]
    ),
    "audit": pa.schema(
        [
            *_RUN,
            _key("run_kind", "answer, evaluate or ask"),
            _column("asked_by", pa.string(), "who ran it: the setting `user`, or the login; null where nobody knows"),
            _column("plan", pa.string(), "the plan that answered"),
            _key("plan_fingerprint", "hash of the plan as it was"),
            _key("plan_json", "the plan as it was, with what the command line and the settings made of it"),
            _CORPUS,
            _key("index_key", "hash of the plan's chunking and embedding"),
            _key("index_version", "the version that was searched"),
            _column("scope", pa.string(), "what it was limited to, as the command line says it; null: nothing"),
            _column("tags_json", pa.string(), "the patterns of each tag that the scope names; null: it names none"),
            _column("own_words", pa.string(), "what a question that leaned on others is about; null: it leans on none"),
            _column("checks_json", pa.string(), "the setting `checks`: who was asked about what a model wrote"),
            *_QUESTION,
            *_ANSWER,
            _column("model", pa.string(), "the model of the last attempt; null where none was asked"),
            _column("prompt_sha256", pa.string(), "hash of all that the last attempt sent"),
            _column("hits", pa.int32(), "hits handed over; they are in audit_steps"),
            _column("attempts", pa.int32(), "tries at a draft"),
            _column("checks", pa.int32(), "checks of the draft"),
            _column("failed_checks", pa.int32(), "checks that the draft did not pass"),
            _column("started_at", _TIME, "when drafting began, for all that were drafted together"),
            _column("finished_at", _TIME, "when it was done, for all that were drafted together"),
            _column("retrieval_ms", pa.float64(), "wall time of retrieval, shared by all that were retrieved together"),
            _column("drafting_ms", pa.float64(), "wall time of drafting, shared by all that were drafted together"),
        ]
    ),
    "audit_steps": pa.schema(
        [
            *_RUN,
            _column("plan", pa.string(), "the plan that answered"),
            _key("question_id", "the question"),
            _key("answer_id", "the answer"),
            _key("step", "hit (handed over), attempt (at a draft), check (of the draft) or citation (of the answer)"),
            _column("step_index", pa.int32(), "0-based order among the answer's steps of that kind", required=True),
            _column("chunk_id", pa.string(), "of a hit: its chunk"),
            _column("with_chunks", pa.string(), "of a hit: the chunks handed over for it; null: its own alone"),
            _column("rank", pa.int32(), "of a hit, 1-based"),
            _column("score", pa.float64(), "of a hit: what the plan ranks by"),
            _column("dense_similarity", pa.float64(), "of a hit: cosine in the dense space"),
            _column("lexical_similarity", pa.float64(), "of a hit: cosine in the lexical space"),
            _column("bm25_share", pa.float64(), "of a hit: BM25 over the most that the question's words could give"),
            _column("generator", pa.string(), "of an attempt: who tried"),
            _column("model", pa.string(), "of an attempt: the model that was asked"),
            _column("prompt_sha256", pa.string(), "of an attempt: hash of all that was sent"),
            _column("prompts_version", pa.string(), "of an attempt: hash of the prompt files it was made from"),
            _column("raw", pa.string(), "of an attempt: what the model said, as it came"),
            _column("failure", pa.string(), "of an attempt: why it became no draft"),
            _column("duration_ms", pa.float64(), "of an attempt: wall time"),
            _column("name", pa.string(), "of a check"),
            _column("passed", pa.bool_(), "of a check: whether the draft passed"),
            _column("detail", pa.string(), "of a check: what it found"),
            _column("document_id", pa.string(), "of a hit or citation: the document"),
            _column("file_name", pa.string(), "of a hit or citation: path below the corpus"),
            _column("content_sha256", pa.string(), "of a hit or citation: hash of the file's bytes"),
            *_PLACE,
            *_SPAN,
            _column("quote", pa.string(), "of a citation: verbatim from the page"),
        ]
    ),
    "grid": pa.schema(
        [
            *_RUN,
            _column("grid", pa.string(), "name of the grid"),
            _column("configuration", pa.int32(), "its number in the grid; 0 is the plan to beat", required=True),
            _column("levels", pa.string(), "JSON: the level of each factor; null for the plan to beat"),
            _column("index_version", pa.string(), "the version that was searched"),
            *GRID_MEASURES,
        ]
    ),
    "scores": pa.schema(
        [
            *_RUN,
            _column("plan", pa.string(), "the plan that was measured"),
            _key("metric", "name of the figure"),
            _column("value", pa.float64(), "the figure; null where it is undefined"),
            _column("n", pa.int32(), "questions that it is over"),
            _column("interval_low", pa.float64(), "lower end of its 95% bootstrap interval; null where none is made"),
            _column("interval_high", pa.float64(), "upper end of its 95% bootstrap interval"),
        ]
    ),
    "coverage": pa.schema(
        [
            *_RUN,
            _column("plan", pa.string(), "the plan that was measured"),
            _column("threshold", pa.float64(), "drafts of this confidence or more", required=True),
            _column("coverage", pa.float64(), "their share of all questions", required=True),
            _column("error", pa.float64(), "share of them that cite no page that answers", required=True),
            _column("n", pa.int32(), "how many they are", required=True),
        ]
    ),
    "quality": pa.schema(
        [
            *_RUN,
            _column("corpus", pa.string(), "name of the corpus"),
            _key("suite", "counts, pages, chunks or vectors"),
            _key("expectation", "what was expected, as Great Expectations calls it"),
            _column("column_name", pa.string(), "the column that it is about; null where it is about the rows"),
            _column("severity", pa.string(), "critical: the version is refused where it does not hold; or warning"),
            _column("passed", pa.bool_(), "whether it held"),
            _column("expected", pa.string(), "what was expected, in words"),
            _column("observed", pa.string(), "what was seen instead, and where"),
        ]
    ),
}


def to_table(name: str, rows: Iterable[Mapping[str, Any]]) -> pa.Table:
    """``rows`` as the table ``name``: a missing column is null, no rows give an empty table of the schema.

    Raises KeyError for a column that the schema does not have, and ArrowInvalid for a value of the wrong type.
    """
    schema = TABLES[name]
    left, made = iter(rows), [schema.empty_table()]
    # A row of Python's weighs ten times one of Arrow's: those of a large corpus never stand in memory together.
    while listed := list(islice(left, ROWS_AT_ONCE)):
        unknown = {key for row in listed for key in row} - set(schema.names)
        if unknown:
            raise KeyError(f"table {name} has no column {', '.join(sorted(unknown))}")
        values = [{column: row.get(column) for column in schema.names} for row in listed]
        made.append(pa.Table.from_pylist(values, schema=schema))
    return pa.concat_tables(made)
