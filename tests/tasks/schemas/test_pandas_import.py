"""Arrow is told of pandas when pandas is imported, and not before."""

from __future__ import annotations

import subprocess
import sys

from tests.made.paths import ROOT

CODE = """
import sys
from datetime import datetime
from importlib.util import find_spec
from tasks.schemas import to_table
import pyarrow as pa, pyarrow.dataset
assert to_table("runs", [{"run_id": "one"}]).num_rows == 1
assert "pandas" not in sys.modules and find_spec("pandas") is not None
import pandas as pd
frame = pd.DataFrame({"day": [datetime(2026, 1, 2), pd.NaT], "share": [0.5, float("nan")], "name": ["a", None]})
table = pa.Table.from_pandas(frame, preserve_index=False)
assert table.to_pydict() == {"day": [datetime(2026, 1, 2), None], "share": [0.5, None], "name": ["a", None]}
assert table.to_pandas().equals(frame)
"""


def test_arrow_imports_no_pandas_until_somebody_does_and_knows_it_then() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
