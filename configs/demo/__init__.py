"""The demo corpus: sources of a fictitious vendor's documents, and the builder that turns them into files."""
