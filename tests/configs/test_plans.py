from __future__ import annotations

import pytest
import yaml

from configs.plans import PLANS_DIR, load_plan
from tasks.errors import UsageError


def test_a_plan_that_reranks_by_what_is_not_kept_is_refused(tmp_path) -> None:  # type: ignore[no-untyped-def]
    raw = yaml.safe_load((PLANS_DIR / "rails.yaml").read_text(encoding="utf-8"))
    raw["retrieval"]["rerank"] = "late_interaction"
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(raw), encoding="utf-8")
    with pytest.raises(UsageError, match=r"mine: .*none are kept: set embedding\.token_dimensions"):
        load_plan(str(file))
    raw["embedding"]["token_dimensions"] = 32
    file.write_text(yaml.safe_dump(raw), encoding="utf-8")
    assert load_plan(str(file)).index_key != load_plan("rails").index_key


def test_a_plan_that_weighs_leads_and_has_none_is_refused(tmp_path) -> None:  # type: ignore[no-untyped-def]
    raw = yaml.safe_load((PLANS_DIR / "bidfolio.yaml").read_text(encoding="utf-8"))
    raw["retrieval"]["rerank"] = "none"
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(raw), encoding="utf-8")
    with pytest.raises(UsageError, match=r"mine: .*weighs leads.*leave confidence out"):
        load_plan(str(file))
    raw["answering"]["confidence"]["lead"] = 0
    file.write_text(yaml.safe_dump(raw), encoding="utf-8")
    assert load_plan(str(file)).answering.confidence is not None
