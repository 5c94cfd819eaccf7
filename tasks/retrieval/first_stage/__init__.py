"""First stage: chunks scored by vectors and words, in memory or by an index."""
