from __future__ import annotations

from pathlib import Path

from tasks.storage.lake import Lake
from tasks.tuning.trial_measurement import TrialCache


def test_a_grid_that_was_begun_and_not_ended_is_named(tmp_path: Path) -> None:
    kept = TrialCache(Lake(str(tmp_path)))
    assert kept.begin(["a", "b"], "first") is None
    assert kept.begin(["a", "c"], "other") is None, "of other trials"
    assert kept.begin(["a", "b"], "second") == "first"
    kept.end(["a", "b"])
    assert kept.begin(["a", "b"], "third") is None


def test_a_trial_is_kept_with_what_is_not_known(tmp_path: Path) -> None:
    kept, row = TrialCache(Lake(str(tmp_path))), {"question_id": "q", "status": "answered", "correctness": 1.0}
    assert kept.get("key") is None
    kept.put("key", [row])
    (again,) = kept.get("key") or []
    assert {key: value for key, value in again.items() if value is not None} == row and again["rouge1_recall"] is None
