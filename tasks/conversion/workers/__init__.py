"""Worker processes: each file is converted in a sandbox, here or on a cluster."""
