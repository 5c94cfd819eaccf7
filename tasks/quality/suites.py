"""The Great Expectations suites that an index version must pass before it is published, and their Data Docs.

An empty frame passes most expectations, so each suite begins with the row count and the columns. Vectors are
judged in pandas: Great Expectations has no engine for Polars.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

os.environ["GX_ANALYTICS_ENABLED"] = "false"  # read at import

import great_expectations as gx
import great_expectations.expectations as gxe
from great_expectations.data_context.types.base import ProgressBarsConfig

# It says at INFO where its scratch folder is, through whatever handler the process has.
logging.getLogger("great_expectations").propagate = False

NORM_TOLERANCE = 1e-3
PAGES_FOUND = 0.9
"""The least share of chunks whose pages the page finder bears out. It is not all: it may err where we do not."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One expectation and whether it held; ``observed`` is short and holds no corpus text."""

    suite: str
    expectation: str
    column_name: str | None
    passed: bool
    observed: str


def chunk_suite(max_tokens: int) -> list[gxe.Expectation]:
    """What must hold for every chunk."""
    return [
        gxe.ExpectTableRowCountToBeBetween(min_value=1),
        gxe.ExpectTableColumnsToMatchSet(
            column_set=["chunk_id", "token_count", "characters", "is_verbatim", "lacks_page", "page_is_found"]
        ),
        gxe.ExpectColumnValuesToBeUnique(column="chunk_id"),
        gxe.ExpectColumnValuesToBeBetween(column="token_count", min_value=1, max_value=max_tokens),
        gxe.ExpectColumnValuesToBeBetween(column="characters", min_value=1),
        gxe.ExpectColumnValuesToBeInSet(column="is_verbatim", value_set=[True]),
        gxe.ExpectColumnValuesToBeInSet(column="lacks_page", value_set=[False]),
        gxe.ExpectColumnValuesToBeInSet(column="page_is_found", value_set=[True], mostly=PAGES_FOUND),
    ]


def vector_suite(chunks: int) -> list[gxe.Expectation]:
    """What must hold for the vectors of that many chunks. A lexical vector may be zero, a dense one may not."""
    unit = {"min_value": 1 - NORM_TOLERANCE, "max_value": 1 + NORM_TOLERANCE}
    return [
        gxe.ExpectTableRowCountToEqual(value=chunks),
        gxe.ExpectTableColumnsToMatchSet(column_set=["chunk_id", "dense_norm", "lexical_norm"]),
        gxe.ExpectColumnValuesToBeUnique(column="chunk_id"),
        gxe.ExpectColumnValuesToNotBeNull(column="dense_norm"),
        gxe.ExpectColumnValuesToBeBetween(column="dense_norm", **unit),
        gxe.ExpectColumnValuesToNotBeNull(column="lexical_norm"),
        gxe.ExpectColumnValuesToBeBetween(column="lexical_norm", min_value=0, max_value=1 + NORM_TOLERANCE),
    ]


def validate(frames: dict[str, tuple[pd.DataFrame, list[gxe.Expectation]]], docs_folder: str) -> Sequence[Finding]:
    """Every expectation of every suite, held against its frame; the Data Docs are written to ``docs_folder``."""
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False, metric_calculations=False)
    context.add_data_docs_site(
        site_name="bidfolio",
        site_config={
            "class_name": "SiteBuilder",
            "site_index_builder": {"class_name": "DefaultSiteIndexBuilder"},
            "store_backend": {"class_name": "TupleFilesystemStoreBackend", "base_directory": docs_folder},
        },
    )
    source = context.data_sources.add_pandas("index")
    findings: list[Finding] = []
    for name, (frame, expectations) in frames.items():
        batch = source.add_dataframe_asset(name).add_batch_definition_whole_dataframe("version")
        suite = context.suites.add(gx.ExpectationSuite(name, expectations=expectations))
        definition = context.validation_definitions.add(gx.ValidationDefinition(name=name, data=batch, suite=suite))
        checkpoint = context.checkpoints.add(
            gx.Checkpoint(
                name=f"{name}-gate",
                validation_definitions=[definition],
                actions=[gx.checkpoint.UpdateDataDocsAction(name="data_docs")],
                result_format="BASIC",
            )
        )
        outcome = checkpoint.run(batch_parameters={"dataframe": frame})
        for result in outcome.run_results.values():
            findings.extend(_finding(name, item) for item in result.results)
    return findings


def _finding(suite: str, item: gx.core.ExpectationValidationResult) -> Finding:
    config, result = item.expectation_config, item.result
    seen = result.get("observed_value")
    unexpected = result.get("unexpected_count")
    observed = f"{unexpected} rows" if unexpected is not None else "" if seen is None else str(seen)[:200]
    raised = (item.exception_info or {}).get("exception_message")
    return Finding(
        suite=suite,
        expectation=config.type,
        column_name=config.kwargs.get("column"),
        passed=bool(item.success),
        observed=str(raised)[:200] if raised else observed,
    )
