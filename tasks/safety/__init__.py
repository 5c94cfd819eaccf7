"""Safety: detect prompt injection in documents and questions."""
