"""The library: past answers that the company stands behind."""
