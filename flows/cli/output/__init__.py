"""Output of the command line: tables, summaries and progress, as a person reads them."""
