"""Pictures of what was measured, as numbers and as SVG and PNG."""
