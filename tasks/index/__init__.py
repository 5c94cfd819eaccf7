"""Index: versions in LanceDB, their rows, names, locks and readers."""
