"""Index: versions in LanceDB, their rows, names, locks and readers."""

from tasks.index import lancedb_import
from tasks.schemas import pandas_import

# Before any module of this room imports LanceDB, which has Arrow look for pandas.
pandas_import.postpone()
lancedb_import.postpone()
