"""Publishing: chunks and vectors to an index version, staged, checked and made live."""
