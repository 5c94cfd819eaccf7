"""LanceDB works with what its import leaves out, and gets the rest when it asks for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.made.paths import ROOT

CODE = """
import sys
import tasks.index, lancedb, pyarrow as pa
models = "lance_namespace_urllib3_client.models"
assert f"{models}.list_tables_response" not in sys.modules and "overrides.overrides" not in sys.modules
database = lancedb.connect(sys.argv[1])
database.create_table("t", pa.table({"a": [1, 2]}))
listed = database.list_tables()
assert list(listed.tables) == ["t"] and isinstance(listed, lancedb.db.ListTablesResponse)
assert type(listed).__module__ == f"{models}.list_tables_response"
from lance_namespace import CreateNamespaceRequest
assert CreateNamespaceRequest(id=["a"]).model_dump()["id"] == ["a"] and CreateNamespaceRequest.model_fields
from overrides import overrides
assert overrides.__module__ == "overrides.overrides"
"""


def test_models_are_made_when_they_are_used(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CODE, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
