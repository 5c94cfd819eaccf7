"""The result of a refresh, as JSON and in one line for people."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from flows.cli.output.printing import counted
from tasks.references import Converted, FileCounts, GoldFigures, Scan, Staged

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

    @classmethod
    def unchanged(cls, run: Run, scan: Scan, converted: Converted | None, current: Staged) -> RefreshSummary:
        """The result of a run that leaves the version ``current`` live; ``converted`` where it had to read files."""
        return cls(
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
