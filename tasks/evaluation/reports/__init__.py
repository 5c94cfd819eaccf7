"""Reports of what was measured, as one HTML file."""
