"""Gold sets: questions with known answers, read, made, and held against a corpus."""
