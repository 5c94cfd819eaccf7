"""Files that describe an experiment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml


def written(folder: Path, **keys: Any) -> str:
    """A good experiment of two settings, with other keys; None leaves one out."""
    experiment = {
        "after": "mine",
        "question": "More?",
        "by": "plan",
        "base": "rails",
        "settings": {3: {"retrieval": {"top_k": 3}}, 5: {}},
        "against": 5,
        "measures": ["correctness"],
    } | keys
    path = folder / "mine.yaml"
    path.write_text(yaml.safe_dump({k: v for k, v in experiment.items() if v is not None}), encoding="utf-8")
    return str(path)
