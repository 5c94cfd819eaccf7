"""`bidfolio refresh`: index a folder of documents, publish the version, and update the lake's tables."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

from prefect import flow

from configs.plans import load_plan
from configs.settings import Settings, load_settings
from flows.cli.output.printing import counted
from flows.cli.output.progress import log_where_unseen
from flows.prefect_server.form_types import PatternList, PlanName, titled
from tasks.chunking.task import chunk_documents
from tasks.conversion.task import convert_documents, scan_corpus
from tasks.embedding.task import embed_chunks
from tasks.pages.task import index_pages
from tasks.publishing.mending_task import mend_corpus
from tasks.publishing.task import find_current, find_same, publish_index, stage_index, writing_index
from tasks.quality.gold_task import judge_by_gold, read_gate
from tasks.quality.task import check_index
from tasks.references import Checked, Converted, Embedded, FileCounts, GoldFigures, Scan, Staged
from tasks.runtime.artifacts import failure_recorded, open_run, record_refresh, record_unchanged, refusal_told
from tasks.storage.urls import require_no_secret

if TYPE_CHECKING:
    from tasks.runtime.runs import Run


_MOST_KINDS_SHOWN = 5
_TOLD_APART = frozenset(
    "newly_quarantined is_unchanged replaced_source idle_patterns kept passed_over warnings gold".split()
)
"""The fields of a summary that its JSON leaves out, or has in another form."""


@dataclass(frozen=True, slots=True)
class RefreshSummary:
    """The result of a refresh.

    ``newly_quarantined`` are the reasons of files that failed in this run for the first time. ``renamed`` counts added
    documents with the bytes of a deleted one, which are not converted and embedded again. ``replaced_source`` is the
    other folder that the corpus came from until now. ``idle_patterns`` match no file. ``kept`` were written to
    meanwhile, and their earlier documents stay. ``passed_over`` counts by suffix the files that are no documents.
    ``warnings`` are those of the checks, and what was found damaged and made anew. ``lexical_space`` is fitted (for
    the first time), kept, or refitted. ``lexical_drift`` is the share of the texts that the space was not fitted on;
    None where unknown. ``adapter`` is that of the version before: none, kept, or dropped, since the model is another.
    ``gold`` are the version's figures on the gate's gold set; None where none is configured, or nothing has changed.
    """

    run_id: str
    index_version: str
    documents: FileCounts
    pages: int
    chunks: int
    embedded: int
    reused: int
    seconds: float
    newly_quarantined: tuple[str, ...]
    renamed: int = 0
    is_unchanged: bool = False
    replaced_source: str | None = None
    idle_patterns: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    passed_over: tuple[tuple[str, int], ...] = ()
    warnings: tuple[str, ...] = ()
    lexical_space: str = "kept"
    lexical_drift: float | None = None
    adapter: str = "none"
    gold: GoldFigures | None = None

    def to_json(self) -> dict[str, Any]:
        """The summary as a dict for ``--json``."""
        fields = {name: value for name, value in asdict(self).items() if name not in _TOLD_APART}
        fields |= {"documents": self.documents._asdict(), "seconds": round(self.seconds, 3)}
        if self.lexical_drift is not None:
            fields["lexical_drift"] = round(self.lexical_drift, 4)
        if self.gold is not None:
            fields["gold"] = self.gold._asdict()
        return fields | {"passed_over": dict(self.passed_over)}

    def in_words(self) -> str:
        """The summary as one line for people."""
        passed = self._passed_over()
        if self.is_unchanged:
            lost = self.documents.quarantined
            held = f"; {lost} still quarantined" if lost else ""
            return f"nothing has changed: version {self.index_version} stays live ({self.chunks} chunks){held}{passed}"
        # A renamed file was counted as added and as deleted.
        counts = self.documents._replace(
            added=self.documents.added - self.renamed, deleted=self.documents.deleted - self.renamed
        )
        named = counts._asdict() | {"under a new name": self.renamed}
        said = ", ".join(f"{count} {name}" for name, count in named.items() if count) + passed
        return (
            f"published version {self.index_version}: documents {said}; {self.pages} pages, {self.chunks} chunks, "
            f"{self.embedded} embedded, {self.reused} reused{self._refitted()}{self._dropped()}, "
            f"in {self.seconds:.1f} s{self._judged()}"
        )

    def _passed_over(self) -> str:
        if not self.passed_over:
            return ""
        kinds = [f"{count} {suffix or 'without a suffix'}" for suffix, count in self.passed_over]
        shown = kinds[:_MOST_KINDS_SHOWN] + ["…"] * (len(kinds) > _MOST_KINDS_SHOWN)
        return f"; {sum(count for _, count in self.passed_over)} of other kinds passed over ({', '.join(shown)})"

    def _judged(self) -> str:
        if self.gold is None:
            return ""
        recall, before = (figures.get("page_recall_at_5") for figures in (self.gold.now, self.gold.before))
        found = "" if recall is None else f" finds {recall:.0%} of the pages among five hits"
        was = "" if recall is None or before is None else f" ({before:.0%} before)"
        asked = counted(self.gold.questions, "question")
        return f"; the gold set of {asked}{found}{was}, asked in {self.gold.seconds:.1f} s"

    def _dropped(self) -> str:
        dropped = ", adapter dropped (the model is another): run `bidfolio tune --adapter` again"
        return dropped if self.adapter == "dropped" else ""

    def _refitted(self) -> str:
        if self.lexical_space != "refitted":
            return ""
        share = "" if self.lexical_drift is None else f" (drift {self.lexical_drift:.0%})"
        return f", lexical space refitted{share}"


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
    summary = RefreshSummary(
        run.run_id,
        current.index_version,
        converted.counts if converted else scan.counts,
        0,
        current.chunks,
        0,
        current.chunks,
        run.seconds,
        (),
        is_unchanged=True,
        idle_patterns=scan.idle_patterns,
        kept=converted.kept if converted else (),
        passed_over=scan.passed_over,
    )
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
