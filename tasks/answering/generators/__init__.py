"""Generators: who drafts an answer (sentences of the corpus, a model server, or several in a row)."""
