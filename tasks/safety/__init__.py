"""Safety: text in documents and questions that gives orders to a model."""
