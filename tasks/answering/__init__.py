"""Answering: from a question to an answer that cites file and page, or declines."""
