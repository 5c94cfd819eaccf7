"""Version of the conversion, apart from the readers, which those who look documents up need not import."""

LOGIC_VERSION = "35"
"""Version of the conversion logic, part of the stage's cache key: raise it when a file would give another document."""
