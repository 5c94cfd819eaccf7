"""Quotes: which sentences of the hits may be quoted, with what context, in which section."""
