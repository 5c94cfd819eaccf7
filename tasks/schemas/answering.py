"""Tables of runs: what was asked, found, answered and cited, and the whole record of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pyarrow as pa

from tasks.schemas.columns import ANSWER, CORPUS, DOCUMENT, PLACE, QUESTION, RUN, SPAN, TIME, column, key

TABLES: Final[Mapping[str, pa.Schema]] = {
    "runs": pa.schema(
        [
            *RUN,
            column("kind", pa.string(), "refresh, answer, evaluate, tune, publish, rollback or purge"),
            column("status", pa.string(), "running (or killed), done, unchanged, refused (by a quality gate), failed"),
            column("error", pa.string(), "why it was refused or failed"),
            column("corpus", pa.string(), "name of the corpus"),
            column("plan", pa.string(), "plan or plans of the run"),
            column("source", pa.string(), "the folder or file that it read"),
            column("index_version", pa.string(), "version that it made or read"),
            column("started_at", TIME, "start"),
            column("duration_ms", pa.int64(), "wall time"),
            column("summary_json", pa.string(), "what the command printed with --json"),
            column("scope", pa.string(), "what it was limited to, as the command line says it; null: nothing"),
            column("asked_by", pa.string(), "who ran it: the setting `user`, or the login; null where nobody knows"),
        ]
    ),
    "questions": pa.schema([*RUN, *QUESTION]),
    "retrievals": pa.schema(
        [
            *RUN,
            column("plan", pa.string(), "the plan that ranked"),
            key("question_id", "the question"),
            column("rank", pa.int32(), "1-based", required=True),
            key("chunk_id", "the hit"),
            key("file_name", "path below the corpus"),
            *PLACE,
            column("score", pa.float64(), "what the plan ranks by; in [-1, 1] of what was only ranked anew"),
            column("dense_similarity", pa.float64(), "cosine in the dense space"),
            column("lexical_similarity", pa.float64(), "cosine in the lexical space"),
            column("bm25_share", pa.float64(), "BM25 over the most that the question's words could give"),
            column("lead", pa.float64(), "what it was ranked anew by above the mean of all that were; null without"),
            column("relevance", pa.float64(), "logit of the cross-encoder that read it again; null where none did"),
            column("known_words", pa.float64(), "share of the question's words, by idf, that any document has"),
            column("names_document", pa.float64(), "how clearly the question names its document, from 0; null without"),
            column(
                "duplicates", pa.string(), "where else it stands, or differs a little: JSON, as tasks.records has it"
            ),
        ]
    ),
    "expansions": pa.schema(
        [
            *RUN,
            column("plan", pa.string(), "the plan that expanded"),
            key("question_id", "the question"),
            key("expanded_by", "generator (other wordings of the question) or feedback (words of what it found first)"),
            column("query_index", pa.int32(), "0-based order; null where nothing was added"),
            column(
                "query", pa.string(), "a wording that was searched for, or a stemmed word and its share, word^0.120"
            ),
            column(
                "reason",
                pa.string(),
                "why it was asked as it stands; null where it was expanded, if only by moved vectors",
            ),
        ]
    ),
    "answers": pa.schema(
        [
            *RUN,
            column("plan", pa.string(), "the plan that answered"),
            key("question_id", "the question"),
            *ANSWER,
        ]
    ),
    "citations": pa.schema(
        [
            *RUN,
            column("plan", pa.string(), "the plan that answered"),
            key("question_id", "the question"),
            key("answer_id", "the answer"),
            column("citation_index", pa.int32(), "0-based order in the answer", required=True),
            *DOCUMENT,
            column("content_sha256", pa.string(), "hash of the cited file's bytes"),
            *PLACE,
            *SPAN,
            column("quote", pa.string(), "verbatim from the page"),
        ]
    ),
    "audit": pa.schema(
        [
            *RUN,
            key("run_kind", "answer, evaluate, tune or ask"),
            column("asked_by", pa.string(), "who ran it: the setting `user`, or the login; null where nobody knows"),
            column("plan", pa.string(), "the plan that answered"),
            key("plan_fingerprint", "hash of the plan as it was"),
            key("plan_json", "the plan as it was, with what the command line and the settings made of it"),
            CORPUS,
            key("index_key", "hash of the plan's chunking and embedding"),
            key("index_version", "the version that was searched"),
            column("deviations", pa.string(), "what stood in for what the plan asks for; null: nothing"),
            column("scope", pa.string(), "what it was limited to, as the command line says it; null: nothing"),
            column("tags_json", pa.string(), "the patterns of each tag that the scope names; null: it names none"),
            column("own_words", pa.string(), "of earlier versions: what a question that leaned on others is about"),
            column("checks_json", pa.string(), "the setting `checks`: who was asked about what a model wrote"),
            column(
                "readers_json",
                pa.string(),
                "hash of the files of each model that read two texts together, by the key that names it; null: none",
            ),
            *QUESTION,
            *ANSWER,
            column("model", pa.string(), "the model of the last attempt; null where none was asked"),
            column("prompt_sha256", pa.string(), "hash of all that the last attempt sent"),
            column("hits", pa.int32(), "hits handed over; they are in audit_steps"),
            column("attempts", pa.int32(), "tries at a draft"),
            column("checks", pa.int32(), "checks of the draft"),
            column("failed_checks", pa.int32(), "checks that the draft did not pass"),
            column("started_at", TIME, "when drafting began, for all that were drafted together"),
            column("finished_at", TIME, "when it was done, for all that were drafted together"),
            column("retrieval_ms", pa.float64(), "wall time of retrieval, shared by all that were retrieved together"),
            column("drafting_ms", pa.float64(), "wall time of drafting, shared by all that were drafted together"),
        ]
    ),
    "audit_steps": pa.schema(
        [
            *RUN,
            column("plan", pa.string(), "the plan that answered"),
            key("question_id", "the question"),
            key("answer_id", "the answer"),
            key("step", "hit (handed over), attempt (at a draft), check (of the draft) or citation (of the answer)"),
            column("step_index", pa.int32(), "0-based order among the answer's steps of that kind", required=True),
            column("chunk_id", pa.string(), "of a hit: its chunk"),
            column("with_chunks", pa.string(), "of a hit: the chunks handed over for it; null: its own alone"),
            column("rank", pa.int32(), "of a hit, 1-based"),
            column("score", pa.float64(), "of a hit: what the plan ranks by"),
            column("dense_similarity", pa.float64(), "of a hit: cosine in the dense space"),
            column("lexical_similarity", pa.float64(), "of a hit: cosine in the lexical space"),
            column("bm25_share", pa.float64(), "of a hit: BM25 over the most that the question's words could give"),
            column("relevance", pa.float64(), "of a hit: logit of the cross-encoder that read it again; null without"),
            column("duplicates", pa.string(), "of a hit: what says the same, as in retrievals; null: nothing"),
            column(
                "known_words", pa.float64(), "of a hit: share of the question's words, by idf, that any document has"
            ),
            column("names_document", pa.float64(), "of a hit: how clearly the question names its document, from 0"),
            column("generator", pa.string(), "of an attempt: who tried"),
            column("model", pa.string(), "of an attempt: the model that was asked"),
            column("prompt_sha256", pa.string(), "of an attempt: hash of all that was sent"),
            column("prompts_version", pa.string(), "of an attempt: hash of the prompt files it was made from"),
            column("raw", pa.string(), "of an attempt: what the model said, as it came"),
            column("failure", pa.string(), "of an attempt: why it became no draft"),
            column("duration_ms", pa.float64(), "of an attempt: wall time"),
            column("name", pa.string(), "of a check"),
            column("passed", pa.bool_(), "of a check: whether the draft passed"),
            column("detail", pa.string(), "of a check: what it found"),
            column("document_id", pa.string(), "of a hit or citation: the document"),
            column("file_name", pa.string(), "of a hit or citation: path below the corpus"),
            column("content_sha256", pa.string(), "of a hit or citation: hash of the file's bytes"),
            *PLACE,
            *SPAN,
            column("quote", pa.string(), "of a citation: verbatim from the page"),
        ]
    ),
}
