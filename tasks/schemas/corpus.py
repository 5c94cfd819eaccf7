"""Tables of a corpus: what was read, how it was cut, which versions were published, and what was checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pyarrow as pa

from tasks.schemas.columns import BOX, CORPUS, DOCUMENT, PLACE, RUN, SPAN, TIME, column, key

TABLES: Final[Mapping[str, pa.Schema]] = {
    "documents": pa.schema(
        [
            CORPUS,
            *DOCUMENT,
            key("content_sha256", "hash of the file's bytes"),
            column(
                "kind", pa.string(), "pdf, docx, pptx, xlsx, xls, csv, html, md, txt, eml or msg; null if quarantined"
            ),
            column("title", pa.string(), "title of the document"),
            column("name", pa.string(), "title, and what else tells it from the other documents of the corpus"),
            key("status", "indexed or quarantined"),
            column(
                "reason",
                pa.string(),
                "why it is quarantined; of an indexed file, which pages, or formulas, could not be read",
            ),
            column("size_bytes", pa.int64(), "size of the file"),
            column("page_count", pa.int32(), "pages, slides or sheets"),
            column("word_count", pa.int64(), "words of its text"),
            column("source", pa.string(), "the folder or URL that the corpus was last refreshed from"),
            column("is_rendered", pa.bool_(), "whether its pages are those of LibreOffice's layout"),
            column("document_date", pa.date32(), "day that the file itself tells (its properties, a mail's head)"),
            column("file_date", pa.date32(), "day when the file was last written, UTC, as its folder or store says"),
        ]
    ),
    "pages": pa.schema(
        [
            CORPUS,
            *DOCUMENT,
            column("page_index", pa.int32(), "0-based order in the document", required=True),
            column("page_number", pa.int32(), "1-based, as a viewer shows it; null where there are no pages"),
            column("sheet_name", pa.string(), "sheet of a workbook"),
            *SPAN,
            column("text", pa.string(), "the page's text, running headers and footers left out"),
            column("text_source", pa.string(), "native, ocr, rendered (LibreOffice), breaks (in the file) or none"),
            column("label", pa.string(), "the page as the document itself numbers it"),
            column("width_pt", pa.float32(), "width in points"),
            column("height_pt", pa.float32(), "height in points"),
            column("language", pa.string(), "ISO 639-1 code; null where there is too little text to tell"),
            column("uncomputed", pa.int32(), "formulas of a sheet that have no value in the file; null if unknown"),
        ]
    ),
    "lines": pa.schema(
        [
            CORPUS,
            *DOCUMENT,
            column("page_number", pa.int32(), "1-based, as a viewer shows it", required=True),
            *SPAN,
            *BOX,
        ]
    ),
    "elements": pa.schema(
        [
            CORPUS,
            *DOCUMENT,
            column("element_index", pa.int32(), "0-based order in the document", required=True),
            column(
                "kind",
                pa.string(),
                "title, paragraph, list_item, table, row, question (unanswered: in no chunk), header, footer or notes",
            ),
            *PLACE,
            *SPAN,
            column("text", pa.string(), "the element's text"),
            column("html", pa.string(), "markup of a table"),
            *BOX,
        ]
    ),
    "chunks": pa.schema(
        [
            CORPUS,
            key("index_key", "hash of the plan's chunking and embedding"),
            key("chunk_id", "hash of document, span and context"),
            *DOCUMENT,
            column("kind", pa.string(), "the document's kind"),
            column("chunk_index", pa.int32(), "0-based order in the document", required=True),
            *PLACE,
            column("last_page_number", pa.int32(), "the last page that the chunk touches"),
            *SPAN,
            column("token_count", pa.int32(), "tokens of the text, context not counted"),
            column("context", pa.string(), "what stands before the text when it is searched"),
            column("text", pa.string(), "verbatim from the document"),
            column("parent_index", pa.int32(), "0-based order of its parent in the document; null without parents"),
            column("granularity", pa.string(), "which way to cut it comes of; null where the plan has one"),
        ]
    ),
    "vectors": pa.schema(
        [
            CORPUS,
            key("index_key", "hash of the plan's chunking and embedding"),
            key("chunk_id", "the chunk"),
            column("model_fingerprint", pa.string(), "hash of the dense model's files and window"),
            column("dense", pa.binary(), "unit dense vector, little-endian float32; `sql` shows its dimensions"),
            column("lexical", pa.binary(), "unit TF-IDF→SVD vector, little-endian float32; `sql` shows its dimensions"),
        ]
    ),
    "library": pa.schema(
        [
            *RUN,
            CORPUS,
            key("file_name", "the file, as citations name it"),
            key("content_sha256", "hash of the file's bytes"),
            column("sheet_name", pa.string(), "sheet of a workbook"),
            column("row_number", pa.int32(), "row as the spreadsheet shows it", required=True),
            column("question", pa.string(), "what was asked"),
            column("verdict", pa.string(), "yes, no, partial or not_applicable; null where the row states none"),
            column("answer", pa.string(), "what was answered, besides the verdict"),
            column("answered_on", pa.date32(), "day of the answers: as told, else the workbook's own, else its file's"),
            column("approved_at", TIME, "when it was imported, by whom `runs` says"),
        ]
    ),
    "index_versions": pa.schema(
        [
            *RUN,
            CORPUS,
            key("index_key", "hash of the plan's chunking and embedding"),
            key("index_version", "hash of what the version holds"),
            column("plan", pa.string(), "the plan that the refresh was asked for"),
            column("documents", pa.int32(), "documents in it"),
            column("chunks", pa.int32(), "chunks in it"),
            column("model_fingerprint", pa.string(), "hash of the dense model's files and window"),
            column("published_at", TIME, "when the tag live moved to it, forth or back"),
        ]
    ),
    "quality": pa.schema(
        [
            *RUN,
            column("corpus", pa.string(), "name of the corpus"),
            key("suite", "counts, pages, chunks, vectors, gold, answers, citations, scores or drift"),
            key("expectation", "what was expected, as Great Expectations calls it; of gold and drift, what was tested"),
            column("column_name", pa.string(), "the column, figure or question that it is about; null: the rows"),
            column("severity", pa.string(), "critical: what was checked is refused where it does not hold; or warning"),
            column("passed", pa.bool_(), "whether it held; null where it could not be judged"),
            column("expected", pa.string(), "what was expected, in words"),
            column("observed", pa.string(), "what was seen instead, and where"),
        ]
    ),
}
