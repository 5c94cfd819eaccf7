from __future__ import annotations

import pytest

from configs.plans import load_plan
from tasks.index.versions import recipe_of


@pytest.mark.parametrize(
    ("lexical", "bm25", "language"),
    [
        ({}, {"stemming": "english"}, "english"),
        ({}, {"stemming": "german", "stop_words": "none"}, "german"),
        ({"stop_words": "portuguese"}, {"stemming": "english"}, "portuguese"),
        ({}, {"stemming": "none", "stop_words": "none"}, "none"),
    ],
)
def test_full_text_is_in_the_plans_language(lexical: dict[str, str], bm25: dict[str, str], language: str) -> None:
    plan = load_plan("rails")
    spaces = {
        "lexical": plan.embedding.lexical.model_copy(update=lexical),
        "bm25": plan.embedding.bm25.model_copy(update=bm25),
    }
    assert (
        recipe_of(plan.model_copy(update={"embedding": plan.embedding.model_copy(update=spaces)})).language == language
    )
