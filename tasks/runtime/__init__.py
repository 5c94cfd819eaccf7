"""Runtime: stages, runs, and what Prefect shows of them."""
