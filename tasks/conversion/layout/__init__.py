"""Page layout: lines of a printed page to columns, paragraphs, tables and headers."""
