"""Plain text and Markdown: paragraphs without any layout to go by."""
