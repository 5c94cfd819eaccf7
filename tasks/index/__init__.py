"""Index: versions in LanceDB, their rows, names, locks and readers."""

from tasks.index.rest_client import postpone

postpone()  # before any module of this room imports LanceDB
