"""PDF files: lines with their places, form fields, redactions and scanned pages."""
