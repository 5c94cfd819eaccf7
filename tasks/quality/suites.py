"""Great Expectations suites that index versions, answers and scores must pass, and the Data Docs of the versions.

A version must pass before it is published, the answers before a questionnaire is filled with them.

An empty frame passes most expectations, so the suites begin with the row count; a missing column fails each expectation
about it. Vectors are judged in pandas, by their norms: Great Expectations has no engine for Polars.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, get_args

import numpy as np
import pandas as pd

os.environ["GX_ANALYTICS_ENABLED"] = "false"  # read at import

import great_expectations as gx
import great_expectations.expectations as gxe
from great_expectations.data_context import EphemeralDataContext
from great_expectations.data_context.types.base import ProgressBarsConfig
from great_expectations.expectations.row_conditions import Column
from great_expectations.render.view import DefaultJinjaPageView
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket

from tasks.errors import UNWRITABLE
from tasks.quality.findings import Finding, finding_table
from tasks.quality.overview import overview_page, without_fetching
from tasks.records import AnswerStatus, Verdict

# Great Expectations logs its scratch folder at INFO through any handler of the process.
logging.getLogger("great_expectations").propagate = False

NORM_TOLERANCE = 1e-3
OWN_VECTORS = 0.5
"""Least share of chunks with a dense vector of their own. A broken model gives all texts the same vector; a good model,
too, gives the same vector to all texts of one length in a script that it cannot read, so it is no higher.
"""
SHOWN_ROWS = 3
Frames = Mapping[str, tuple[pd.DataFrame, Sequence[gxe.Expectation]]]
"""The frame and its expectations, by the name of the suite."""


def counts_suite(refused_loss: float, noticed_loss: float) -> list[gxe.Expectation]:
    """The expectations on what is left of the version before: an unexplained loss of more than the share
    ``refused_loss`` is critical, any loss of more than ``noticed_loss`` a warning.
    """
    names = ("documents", "pages", "chunks")
    refused = [
        _within(
            f"{name}_explained",
            f"of the {name} of the version before, at least {1 - refused_loss:.0%} are there still, or were deleted "
            "from folders that have other files",
            min_value=1 - refused_loss,
            severity="critical",
        )
        for name in names
    ]
    noticed = [
        _within(
            f"{name}_kept",
            f"of the {name} of the version before, at least {1 - noticed_loss:.0%} are there still",
            min_value=1 - noticed_loss,
            severity="warning",
        )
        for name in names
    ]
    return [*refused, *noticed]


def page_suite() -> list[gxe.Expectation]:
    """The expectations on every page of the documents."""
    return [
        gxe.ExpectTableRowCountToBeBetween(min_value=1, description="the documents have pages"),
        _known("document_id", "each page has the id of its document"),
        _within("page_number", min_value=1, description="page numbers begin with 1, or are null"),
        _unique("page_key", "a document has each page number once"),
        _is("is_within_text", True, "each page is a part of its document's text"),
    ]


def chunk_suite(chunks: int, max_tokens: Mapping[str, int], pages_found: float) -> list[gxe.Expectation]:
    """The expectations on the chunks: their number, ids, texts, pages, and at most ``max_tokens`` by granularity.

    The only granularity of a plan may have an empty name. ``pages_found`` is the least share of the chunks with pages
    whose page the page finder must find.
    """
    return [
        gxe.ExpectTableRowCountToEqual(value=chunks, description=f"all {chunks} chunks are there"),
        _known("chunk_id", "each chunk has an id"),
        _unique("chunk_id", "no two chunks have the same id"),
        _is("has_document", True, "each chunk has its document"),
        *(
            _within(
                "token_count",
                min_value=1,
                max_value=most,
                description=f"each chunk{f' of {name}' if name else ''} has 1 to {most} tokens",
                row_condition=Column("granularity") == name if name else None,
            )
            for name, most in max_tokens.items()
        ),
        _within("characters", min_value=1, description="each chunk has more than white space"),
        _is("is_verbatim", True, "each chunk is, letter by letter, what its document says at its offsets"),
        _is("is_cut_whole", True, "of each granularity, a document's chunks hold all of its text"),
        _is(
            "gives_orders",
            False,
            "no chunk gives orders to a language model; what does is not answered from",
            severity="warning",
        ),
        _is("lacks_page", False, "each chunk of a PDF or of slides has a page"),
        _is("pages_exist", True, "the pages that a chunk names are just those of its document that it stands on"),
        _is(
            "page_is_found",
            True,
            f"a search by the text alone finds the page of at least {pages_found:.0%} of the chunks",
            mostly=pages_found,
        ),
    ]


def vector_suite(chunks: int) -> list[gxe.Expectation]:
    """The expectations on the vectors of ``chunks`` chunks. A lexical vector may be zero, a dense vector may not."""
    return [
        gxe.ExpectTableRowCountToEqual(value=chunks, description=f"there are vectors of all {chunks} chunks"),
        _known("chunk_id", "each vector has the id of its chunk"),
        _known("dense_norm", "the numbers of dense vectors are finite"),
        _within(
            "dense_norm",
            min_value=1 - NORM_TOLERANCE,
            max_value=1 + NORM_TOLERANCE,
            description="each dense vector has the length 1",
        ),
        _known("lexical_norm", "the numbers of lexical vectors are finite"),
        _within(
            "lexical_norm", min_value=0, max_value=1 + NORM_TOLERANCE, description="no lexical vector is longer than 1"
        ),
        _is(
            "is_own",
            True,
            f"of at least {OWN_VECTORS:.0%} of the chunks no other text has the same dense vector",
            mostly=OWN_VECTORS,
        ),
        _is("is_of_text", True, "each dense vector that is looked at is the one that was made of its chunk's text"),
    ]


def answer_suite(questions: int) -> list[gxe.Expectation]:
    """The expectations on the answers to ``questions`` questions."""
    statuses, verdicts = list(get_args(AnswerStatus)), list(get_args(Verdict))
    return [
        gxe.ExpectTableRowCountToEqual(value=questions, description=f"each of {questions} questions has its answer"),
        _known("question_id", "each answer has a question"),
        _unique("question_id", "no question has two answers"),
        gxe.ExpectColumnValuesToBeInSet(
            column="status", value_set=statuses, description=f"each answer is {', '.join(statuses)}"
        ),
        gxe.ExpectColumnValuesToBeInSet(
            column="verdict", value_set=verdicts, description=f"each verdict is {', '.join(verdicts)}, or none"
        ),
        _within("confidence", min_value=0, max_value=1, description="each confidence is between 0 and 1, or none"),
        _is("lacks_draft", False, "what is answered or to be reviewed has a text and a citation"),
        _is(
            "lacks_reason", False, "what is declined or failed has a reason, and neither text nor verdict nor citation"
        ),
    ]


def citation_suite() -> list[gxe.Expectation]:
    """The expectations on the citations of those answers; there may be none."""
    return [
        _is("has_answer", True, "each citation is one of an answer"),
        _within("quote_characters", min_value=1, description="each quote has more than white space"),
        _is(
            "document_is_kept",
            True,
            "each cited document is kept, so that its quotes can be held against it",
            severity="warning",
        ),
        _is("is_verbatim", True, "each quote is, letter by letter, what its document says there"),
        _is("is_on_page", True, "each quote stands on the page that its citation names"),
    ]


def score_suite() -> list[gxe.Expectation]:
    """The expectations on the figures of plans."""
    return [
        gxe.ExpectTableRowCountToBeBetween(min_value=1, description="there are figures"),
        _known("figure", "each figure has a name"),
        _unique("figure", "a plan has each figure once"),
        _within("n", min_value=0, description="each figure says over how many questions it is"),
        _is("is_in_range", True, "rates are between 0 and 1, times not below 0, and all figures finite"),
        _is("is_in_interval", True, "each figure is within its own interval"),
        _is("is_over_nothing", False, "what is over no question is undefined"),
        _is("lacks_value", False, "what is over some questions has a value", severity="warning"),
    ]


class _Compiled(BytecodeCache):
    """Cache of the compiled templates: else each section of each site would compile them anew."""

    def __init__(self) -> None:
        self._code: dict[str, Any] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._code.get(bucket.key)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._code[bucket.key] = bucket.code


_compiled = _Compiled()


class PageView(DefaultJinjaPageView):
    """Page view of Data Docs that uses the shared template cache."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.env.bytecode_cache = _compiled


def validate(frames: Frames) -> list[Finding]:
    """Check every expectation of every suite against its frame.

    A frame has a column ``place``: the name of a row in a report.
    """
    return _run(_context(), frames)


def validate_with_docs(frames: Frames, docs_folder: str) -> list[Finding]:
    """Check as :func:`validate`, and write the Data Docs, which takes a hundred times as long, to ``docs_folder``.

    Where that cannot be written, they are left out.
    """
    context = _context()
    findings = _run(context, frames)
    try:
        _write_docs(context, docs_folder, findings)
    except OSError as error:
        if error.errno not in UNWRITABLE:
            raise
    return findings


def _write_docs(context: EphemeralDataContext, docs_folder: str, findings: Sequence[Finding]) -> None:
    # Great Expectations logs a trace for each page that it cannot write, and goes on.
    Path(docs_folder).mkdir(parents=True, exist_ok=True)
    TemporaryFile(dir=docs_folder).close()
    context.add_data_docs_site(
        site_name="bidfolio",
        site_config={
            "class_name": "SiteBuilder",
            "store_backend": {"class_name": "TupleFilesystemStoreBackend", "base_directory": docs_folder},
            "site_section_builders": {
                section: {"view": {"module_name": __name__, "class_name": PageView.__name__}}
                for section in ("expectations", "validations")
            },
        },
    )
    # Pages left by an earlier check would be listed with this one's.
    shutil.rmtree(Path(docs_folder, "validations"), ignore_errors=True)
    # Build this site only: the context has another in a scratch folder.
    context.build_data_docs(site_names=["bidfolio"], build_index=False)
    links = {}
    for page in Path(docs_folder).rglob("*.html"):
        page.write_text(without_fetching(page.read_text(encoding="utf-8")), encoding="utf-8")
        if page.parts[len(Path(docs_folder).parts)] == "validations":
            links[page.stem.removeprefix("index-")] = page.relative_to(docs_folder).as_posix()
    Path(docs_folder, "index.html").write_text(overview_page(finding_table(findings), links), encoding="utf-8")


def _context() -> EphemeralDataContext:
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False, metric_calculations=False)
    return context


def _run(context: EphemeralDataContext, frames: Frames) -> list[Finding]:
    source = context.data_sources.add_pandas("index")
    findings: list[Finding] = []
    for name, (frame, expectations) in frames.items():
        batch = source.add_dataframe_asset(name).add_batch_definition_whole_dataframe("version")
        suite = context.suites.add(gx.ExpectationSuite(name, expectations=list(expectations)))
        definition = context.validation_definitions.add(gx.ValidationDefinition(name=name, data=batch, suite=suite))
        result = definition.run(
            batch_parameters={"dataframe": frame},
            result_format={"result_format": "SUMMARY", "unexpected_index_column_names": ["place"]},
        )
        findings.extend(_finding(name, item) for item in result.results)
    return findings


def _known(column: str, description: str) -> gxe.Expectation:
    return gxe.ExpectColumnValuesToNotBeNull(column=column, description=description)


def _unique(column: str, description: str) -> gxe.Expectation:
    return gxe.ExpectColumnValuesToBeUnique(column=column, description=description)


def _within(column: str, description: str, **limits: Any) -> gxe.Expectation:
    return gxe.ExpectColumnValuesToBeBetween(column=column, description=description, **limits)


def _is(column: str, value: bool, description: str, **more: Any) -> gxe.Expectation:
    return gxe.ExpectColumnValuesToBeInSet(column=column, value_set=[value], description=description, **more)


def _finding(suite: str, item: gx.core.ExpectationValidationResult) -> Finding:
    config = item.expectation_config
    return Finding(
        suite=suite,
        expectation=config.type,
        column_name=config.kwargs.get("column"),
        severity=config.severity.value,
        passed=bool(item.success),
        expected=config.description,
        observed=_observed(item),
    )


def _observed(item: gx.core.ExpectationValidationResult) -> str:
    for raised in _exceptions(item.exception_info or {}):
        return raised[:200]
    result = item.result
    if (count := result.get("unexpected_count")) is None:
        return f"there are {result.get('observed_value')}"
    if not count:
        return ""
    column = item.expectation_config.kwargs["column"]
    rows = result.get("partial_unexpected_index_list") or []
    shown = "; ".join(_row(row["place"], row[column]) for row in islice(rows, SHOWN_ROWS))
    return f"not so in {count} of {result['element_count']}: {shown}{' …' if count > SHOWN_ROWS else ''}"


def _row(place: str, value: Any) -> str:
    is_figure = not pd.isna(value) and not isinstance(value, str | bool | np.bool_)
    return f"{place} ({value:.6g})" if is_figure else place


def _exceptions(info: Mapping[str, Any]) -> Iterator[str]:
    """The messages of an expectation that could not be evaluated, each nested below the metric's name."""
    nested: Iterable[Any] = info.values() if "exception_message" not in info else [info]
    for one in nested:
        if isinstance(one, Mapping) and one.get("exception_message"):
            yield str(one["exception_message"])
