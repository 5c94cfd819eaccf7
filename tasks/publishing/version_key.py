"""Content keys of index versions: the same key means that nothing has to be done."""

from __future__ import annotations

import json
from dataclasses import asdict

from configs.plans import Plan
from tasks.chunking import chunker
from tasks.conversion.document import corpus_names
from tasks.conversion.files import version
from tasks.embedding.lexical import abbreviations, bm25, lexical_space
from tasks.embedding.models import shards
from tasks.index.versions import recipe_of
from tasks.records import content_id


def content_key(documents_key: str, plan: Plan, model_fingerprint: str) -> str:
    """The key of everything that an index version is made from; ``documents_key`` is that of its set of documents."""
    logic = (version, corpus_names, chunker, shards, lexical_space, bm25, abbreviations)
    versions = [module.LOGIC_VERSION for module in logic]
    indexes = json.dumps(asdict(recipe_of(plan)), sort_keys=True)
    return content_id("content", documents_key, plan.index_key, model_fingerprint, *versions, indexes)
