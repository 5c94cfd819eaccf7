"""Spreadsheets: rows, headers, columns, sections and choices of a sheet, whatever its format."""
