"""Questions: their kind, form and limits, the verdict of an answer, and their rows."""
