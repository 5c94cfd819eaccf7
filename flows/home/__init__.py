"""Commands over what a home keeps: SQL, trace, replay, purge and garbage collection."""
