"""Slides: reading order, lists, tables and pictures of a presentation."""
