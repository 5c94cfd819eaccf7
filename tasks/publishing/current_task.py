"""Stages that tell if a corpus is current: nothing has to be made, so they load no index."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from configs.plans import Plan
from configs.settings import Settings
from tasks.embedding.models.model_files import model_fingerprint
from tasks.index.locks import writing_lock
from tasks.publishing.commit import is_as_left, is_recorded, recorded_live
from tasks.publishing.version_key import content_key
from tasks.references import Scan, Staged
from tasks.runtime.stage import stage
from tasks.storage.document_rows import documents_key
from tasks.storage.lake import Lake
from tasks.storage.leases import writing_lease


@contextmanager
def writing_index(corpus: str, settings: Settings) -> Iterator[None]:
    """Hold the right to write the corpus' indexes. Raises IndexLocked where another run has it."""
    with writing_lock(settings.home, corpus), writing_lease(Lake(settings.home), corpus):
        yield


def is_whole(corpus: str, plan: Plan, settings: Settings) -> bool:
    """Tell if the corpus and the plan's index were published to the end, and nothing of them is damaged since."""
    return is_as_left(Lake(settings.home), corpus, plan.index_key)


@stage("is {scan.corpus} current")
def find_current(scan: Scan, plan: Plan, settings: Settings) -> Staged | None:
    """The live version, if it and the lake were made from exactly these files by exactly this plan; else None.

    The version is known from its record, which its files are held against before: an index whose record does not name
    it is published again.
    """
    lake = Lake(settings.home)
    live = recorded_live(lake, scan.corpus, plan.index_key)
    is_current = (
        live is not None
        and live.content_key == content_key(scan.key, plan, model_fingerprint(plan.embedding))
        and documents_key(lake.read("documents", corpus=scan.corpus)["document_id"].to_pylist()) == scan.key
        and is_recorded(lake, live.corpus, live.index_key)
        and not scan.is_readable_now
        and not scan.kept
    )
    return live.reference if live and is_current else None
