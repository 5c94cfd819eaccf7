"""One file: its container, its date, its reader, and when another try would help."""
