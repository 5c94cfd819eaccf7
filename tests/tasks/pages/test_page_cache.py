"""Tests of the page finder's matrices in the cache."""

from __future__ import annotations

from pathlib import Path

from tasks.conversion.files.converted_cache import ConvertedCache
from tasks.pages.finders.page_cache import PageCache
from tasks.storage.lake import Lake


def test_a_file_that_is_converted_again_loses_its_matrices_of_every_version(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    cache = PageCache(lake)
    for document_id in ("ab", "abc", "d"):
        cache.put_page_matrices(document_id, document_id.encode())
    lake.put(b"old", "cache", "pages", "ab-1-1.npz")
    ConvertedCache(lake).drop_pages({"ab", "d", "unknown"})
    assert [cache.page_matrices(document_id) for document_id in ("ab", "abc", "d")] == [None, b"abc", None]
    assert lake.get("cache", "pages", "ab-1-1.npz") is None
