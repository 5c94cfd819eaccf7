"""Quality: the gate before publishing, checks of answers, and drift of questions."""
