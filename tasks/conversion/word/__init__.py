"""Word files: headings, notes, fields, formulas and pages of a Word body."""
