"""Files to documents: pages and elements with offsets into one text."""
