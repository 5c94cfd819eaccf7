"""Text: tokens, sentences, figures and names, negation, languages; used by every room."""
