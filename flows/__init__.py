"""Flows and commands, a module each: every one reads as the pipeline that it is."""
