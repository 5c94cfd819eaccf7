"""Context: the text around a hit that is handed on with it."""
