"""Web pages: markup made readable, hidden content dropped, tables as rows of text."""
