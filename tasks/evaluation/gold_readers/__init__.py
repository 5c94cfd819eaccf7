"""Readers of gold sets that others have made, by layout."""
