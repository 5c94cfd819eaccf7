"""Text: what every room knows of the words that documents and questions are written in."""
