"""Sources: files of a folder or bucket, their names, kinds and fingerprints."""
