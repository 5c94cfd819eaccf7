"""`bidfolio refresh`: index a folder of documents, publish the version, and update the lake's tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from prefect import flow

from configs.plans import load_plan
from configs.settings import Settings, load_settings
from flows.cli.output.progress import log_where_unseen
from flows.cli.output.refresh_summary import RefreshSummary
from flows.prefect_server.form_types import PatternList, PlanName, titled
from tasks.chunking.task import chunk_documents
from tasks.conversion.task import convert_documents, scan_corpus
from tasks.embedding.task import embed_chunks
from tasks.pages.task import index_pages
from tasks.publishing.current_task import find_current, writing_index
from tasks.publishing.mending_task import mend_corpus
from tasks.publishing.task import find_same, publish_index, stage_index
from tasks.quality.gold_task import judge_by_gold, read_gate
from tasks.quality.task import check_index
from tasks.references import Checked, Converted, Embedded, Scan, Staged
from tasks.runtime.artifacts import failure_recorded, open_run, record_refresh, record_unchanged, refusal_told
from tasks.storage.urls import require_no_secret

if TYPE_CHECKING:
    from tasks.runtime.runs import Run


@flow(name="refresh-corpus", flow_run_name="refresh {corpus}", on_running=[log_where_unseen])
def refresh_corpus(
    source: Annotated[str, titled("Documents")],
    plan: PlanName = "bidfolio",
    corpus: Annotated[str, titled("Corpus")] = "default",
    include: Annotated[PatternList, titled("Include")] = None,
    exclude: Annotated[PatternList, titled("Exclude")] = None,
) -> RefreshSummary:
    """Converts, chunks, embeds, stages, checks and publishes what has changed in the folder ``source``.

    Parameters:
        source: Folder that holds the company's documents, on the machine that refreshes, or an fsspec URL such as
            s3://bucket/folder, without a password.
        plan: The recipe to index with.
        corpus: Name of these documents as a whole; each corpus has an index of its own.
        include: Patterns of the files to index, such as *.pdf or policies/**; all where none is given.
        exclude: Patterns of the files to leave out, such as drafts/**. What was indexed and is left out now is removed.
    """
    require_no_secret(source)
    settings = load_settings(include=include, exclude=exclude)
    run = open_run("refresh", plan, source, corpus, settings)
    with failure_recorded(run, settings), writing_index(corpus, settings):
        recipe = load_plan(plan)
        read_gate(corpus, settings)
        mended = mend_corpus(corpus, recipe, settings)
        scan = scan_corpus(source, corpus, settings)
        current = find_current(scan, recipe, settings)
        if current is not None:
            return _unchanged(run, scan, None, current, settings)
        converted = index_pages(convert_documents(scan, settings), settings)
        current = find_same(converted, recipe, settings)
        if current is not None:
            return _unchanged(run, scan, converted, current, settings)
        with refusal_told(converted, settings):
            chunked = chunk_documents(converted, recipe, settings)
            embedded = embed_chunks(chunked, recipe, settings)
            staged = stage_index(converted, embedded, recipe, settings)
            checked = judge_by_gold(check_index(staged, recipe, run, settings), recipe, run, settings)
        publish_index(checked.staged, run, settings)
        summary = _summary(run, scan, converted, embedded, checked, mended)
        record_refresh(run, converted, summary.to_json(), settings)
    return summary


def _unchanged(
    run: Run, scan: Scan, converted: Converted | None, current: Staged, settings: Settings
) -> RefreshSummary:
    summary = RefreshSummary.unchanged(run, scan, converted, current)
    record_unchanged(run, scan, converted, summary.to_json(), settings)
    return summary


def _summary(
    run: Run, scan: Scan, converted: Converted, embedded: Embedded, checked: Checked, mended: tuple[str, ...]
) -> RefreshSummary:
    return RefreshSummary(
        run_id=run.run_id,
        index_version=checked.staged.index_version,
        documents=converted.counts,
        pages=converted.pages,
        chunks=checked.staged.chunks,
        embedded=embedded.embedded,
        reused=embedded.reused,
        seconds=run.seconds,
        newly_quarantined=converted.newly_quarantined,
        renamed=converted.renamed,
        replaced_source=scan.replaced_source,
        idle_patterns=scan.idle_patterns,
        kept=converted.kept,
        passed_over=scan.passed_over,
        warnings=mended + checked.warnings,
        gold=checked.gold,
        lexical_space=embedded.space,
        lexical_drift=embedded.drift,
        adapter="dropped" if embedded.lost_adapter else "kept" if embedded.adapter_key else "none",
    )
